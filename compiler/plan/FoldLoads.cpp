//===- FoldLoads.cpp - what the folds of a forest move --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/FoldLoads.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace blink;

namespace {

constexpr int kInput = FoldTable::kInput, kOutput = FoldTable::kOutput;

/// Collects the folds of trees as collective-expand-folds makes them.
class FoldCollector {
public:
  explicit FoldCollector(const PackingProblem &problem)
      : fabric_(*problem.fabric), table_(problem.collective) {}

  /// The channels that the first and the last rank of an edge use: one, or
  /// several with relays between them.
  struct Connection {
    int entry, exit;
  };
  Connection connect(const TreeEdge &edge, int tree);
  void add(int rank, int tree, bool completes, llvm::ArrayRef<int> sources,
           llvm::ArrayRef<int> destinations);
  std::vector<TreeFold> finish();

private:
  const Fabric &fabric_;
  FoldTable table_;
  std::vector<TreeFold> folds_;
  std::vector<size_t> places_; ///< of each, among the table's
  size_t numFolds_ = 0;        ///< of the table
};

} // namespace

FoldCollector::Connection FoldCollector::connect(const TreeEdge &edge,
                                                 int tree) {
  llvm::Expected<std::vector<Fabric::Segment>> segments =
      fabric_.segments(edge.from, edge.to, edge.path);
  if (!segments) { // collective-expand-folds will say what is wrong with it
    llvm::consumeError(segments.takeError());
    int channel = table_.addChannel(sched::ChannelKind::peer);
    return {channel, channel};
  }
  Connection connection{-1, -1};
  for (const Fabric::Segment &segment : *segments) {
    int channel = table_.addChannel(segment.kind);
    if (connection.entry < 0) {
      connection.entry = channel;
    } else {
      table_.addFold(segment.from, tree, false, {connection.exit}, {channel});
      ++numFolds_;
    }
    connection.exit = channel;
  }
  return connection;
}

void FoldCollector::add(int rank, int tree, bool completes,
                        llvm::ArrayRef<int> sources,
                        llvm::ArrayRef<int> destinations) {
  auto isChannel = [](int operand) { return operand >= 0; };
  folds_.push_back({rank,
                    int(llvm::count_if(sources, isChannel) +
                        llvm::count_if(destinations, isChannel)),
                    !llvm::is_contained(destinations, kOutput),
                    {}});
  places_.push_back(numFolds_++);
  table_.addFold(rank, tree, completes, sources, destinations);
}

std::vector<TreeFold> FoldCollector::finish() {
  std::vector<FoldMoves> moves = table_.moves();
  for (auto [fold, place] : llvm::zip_equal(folds_, places_))
    fold.moves = moves[place];
  return std::move(folds_);
}

/// Chains of copies, each a tree of its own.
static std::vector<TreeFold> foldsOfChains(const PackingProblem &problem,
                                           const Tree &tree) {
  int n = problem.fabric->numRanks();
  bool gathers = hasUpTrees(problem.collective);
  std::vector<const TreeEdge *> toRoot(n, nullptr);
  for (const TreeEdge &edge : gathers ? tree.up : tree.down)
    toRoot[gathers ? edge.from : edge.to] = &edge;
  FoldCollector collector(problem);
  for (int far = 0; far < n; ++far) {
    // From the far end to the root: what a fold uses on either side.
    int outer = gathers ? kInput : kOutput;
    for (int rank = far;;) {
      const TreeEdge *edge = rank == tree.root ? nullptr : toRoot[rank];
      FoldCollector::Connection hop{kOutput, kInput};
      if (edge)
        hop = collector.connect(*edge, far);
      if (gathers)
        collector.add(rank, far, false, {outer}, {hop.entry});
      else
        collector.add(rank, far, false, {hop.exit}, {outer});
      if (!edge)
        break;
      outer = gathers ? hop.exit : hop.entry;
      rank = gathers ? edge->to : edge->from;
    }
  }
  return collector.finish();
}

std::vector<TreeFold> blink::foldsOf(const PackingProblem &problem,
                                     const Tree &tree) {
  if (isRouted(problem.collective))
    return foldsOfChains(problem, tree);
  int n = problem.fabric->numRanks();
  bool reduces = hasUpTrees(problem.collective);
  bool spreads = hasDownTrees(problem.collective);
  struct Node {
    llvm::SmallVector<int> fromChildren{kInput}, toChildren{kOutput};
    int toParent = 0, fromParent = 0;
  };
  std::vector<Node> nodes(n);
  FoldCollector collector(problem);
  for (const TreeEdge &edge : tree.up) {
    FoldCollector::Connection hop = collector.connect(edge, 0);
    nodes[edge.from].toParent = hop.entry;
    nodes[edge.to].fromChildren.push_back(hop.exit);
  }
  for (const TreeEdge &edge : tree.down) {
    FoldCollector::Connection hop = collector.connect(edge, 0);
    nodes[edge.to].fromParent = hop.exit;
    nodes[edge.from].toChildren.push_back(hop.entry);
  }
  for (int rank = 0; rank < n; ++rank) {
    const Node &node = nodes[rank];
    bool isRoot = rank == tree.root;
    if (isRoot)
      collector.add(rank, 0, reduces, node.fromChildren, node.toChildren);
    if (!isRoot && reduces)
      collector.add(rank, 0, false, node.fromChildren, {node.toParent});
    if (!isRoot && spreads)
      collector.add(rank, 0, false, {node.fromParent}, node.toChildren);
  }
  return collector.finish();
}

ForestFolds blink::foldsOf(const PackingProblem &problem,
                           const Packing &packing) {
  ForestFolds folds;
  for (const Tree &tree : packing.trees)
    folds.push_back(foldsOf(problem, tree));
  return folds;
}

double blink::shareOfTree(const Packing &packing, const Tree &tree) {
  return tree.weight / packing.algbw;
}

std::vector<RankFolds> blink::foldsOfRanks(const Packing &packing,
                                           const ForestFolds &folds,
                                           int numRanks,
                                           sched::Protocol protocol,
                                           const std::vector<unsigned> &parts) {
  std::vector<RankFolds> ranks(numRanks);
  for (size_t t = 0; t < packing.trees.size(); ++t) {
    unsigned copies = parts.empty() ? 1 : parts[t];
    double share = shareOfTree(packing, packing.trees[t]) / copies;
    for (unsigned copy = 0; copy < copies; ++copy)
      for (const TreeFold &fold : folds[t]) {
        RankFolds &rank = ranks[fold.rank];
        rank.loads.push_back(loadOf(fold.moves, share, fold.up, protocol));
        rank.shares.push_back(share);
        rank.channels += fold.channels;
      }
  }
  return ranks;
}
