//===- ExpandForest.cpp - from trees to folds -----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/ExpandForest.h"

#include "compiler/plan/FoldMoves.h"
#include "compiler/plan/SymmetricFolds.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>

using namespace blink;
using Operand = FoldProgram::Operand;

FoldProgram blink::emptyProgram(Collective collective,
                                const RankTopology &rankTopology) {
  FoldProgram program;
  program.collective = collective;
  program.numRanks = rankTopology.numRanks();
  program.ranks.resize(rankTopology.numRanks() + rankTopology.relays().size());
  for (const Link &link : rankTopology.topology().links)
    program.links.push_back({link.bandwidth, link.latency});
  return program;
}

llvm::Expected<Connection> blink::connect(FoldProgram &program,
                                          const RankTopology &rankTopology,
                                          int tree, const TreeEdge &edge) {
  llvm::Expected<std::vector<RankTopology::Segment>> segments =
      rankTopology.segments(edge.from, edge.to, edge.path);
  if (!segments)
    return segments.takeError();
  Connection connection;
  for (const RankTopology::Segment &segment : *segments) {
    int channel = program.addChannel(tree, segment.from, segment.to,
                                     segment.kind, segment.path);
    if (connection.entry < 0)
      connection.entry = channel;
    else
      program.addFold(segment.from, tree, false,
                      {Operand::channel(connection.exit)},
                      {Operand::channel(channel)});
    connection.exit = channel;
  }
  return connection;
}

namespace {

class ForestExpander {
public:
  ForestExpander(const PackingProblem &problem, const Packing &packing,
                 const Shares *shares)
      : problem_(problem), rankTopology_(*problem.rankTopology),
        packing_(packing), shares_(shares),
        program_(emptyProgram(problem.collective, *problem.rankTopology)) {}

  llvm::Expected<FoldProgram> run();

private:
  using Operands = llvm::SmallVector<Operand>;
  /// Adds the folds of all ranks except the root on the way up. Returns what
  /// the root adds.
  llvm::Expected<Operands> expandUp(int tree, Operand input);
  /// Does the same if sums have an order: adds the folds of all partial sums.
  llvm::Expected<Operands> expandSum(int tree, Operand input);
  llvm::Error expandTree(int tree);
  void addRoot(int tree, bool completes, llvm::ArrayRef<Operand> sources,
               llvm::ArrayRef<Operand> destinations);
  llvm::Error expandChain(int origin, int far,
                          llvm::ArrayRef<const TreeEdge *> toParent);
  llvm::Error expandChains();
  /// Adds a tree for what the packing's tree `origin` carries and returns its
  /// index.
  int addTree(int origin, int block, int depth);

  const PackingProblem &problem_;
  const RankTopology &rankTopology_;
  const Packing &packing_;
  const Shares *shares_;
  FoldProgram program_;
};

} // namespace

int ForestExpander::addTree(int origin, int block, int depth) {
  FoldProgram::Tree tree;
  tree.root = packing_.trees[origin].root;
  tree.block = block;
  tree.depth = depth;
  tree.origin = origin;
  tree.switchUse = packing_.trees[origin].switchUse;
  if (shares_) {
    tree.numerator = shares_->numerators[origin];
    tree.denominator = shares_->denominators[origin];
    tree.share = shareOfBlock(problem_.collective, rankTopology_.numRanks(),
                              tree.numerator, tree.denominator);
  } else {
    tree.share = packing_.trees[origin].weight / packing_.algbw;
  }
  program_.trees.push_back(tree);
  return int(program_.trees.size()) - 1;
}

/// Adds the root's fold. If the root passes its input on to several ranks on
/// other machines, adds one fold for each of these and one for all others: a
/// fold goes on only when all that it writes may go on, so the slowest network
/// channel would hold up the others.
void ForestExpander::addRoot(int tree, bool completes,
                             llvm::ArrayRef<Operand> sources,
                             llvm::ArrayRef<Operand> destinations) {
  const int rank = packing_.trees[tree].root;
  auto leaves = [&](const Operand &operand) {
    return operand.isChannel() &&
           program_.channels[operand.index].leavesMachine();
  };
  if (sources.size() > 1 || llvm::count_if(destinations, leaves) < 2)
    return program_.addFold(rank, tree, completes, sources, destinations);
  llvm::SmallVector<Operand> others;
  for (const Operand &operand : destinations)
    if (!leaves(operand))
      others.push_back(operand);
  program_.addFold(rank, tree, completes, sources, others);
  for (const Operand &operand : destinations)
    if (leaves(operand))
      program_.addFold(rank, tree, completes, sources, {operand});
}

llvm::Expected<ForestExpander::Operands>
ForestExpander::expandUp(int tree, Operand input) {
  const Tree &edges = packing_.trees[tree];
  struct Node {
    Operands sources;
    int toParent = -1;
  };
  std::vector<Node> nodes(rankTopology_.numRanks(), Node{{input}});
  for (const TreeEdge &edge : edges.up) {
    llvm::Expected<Connection> hop =
        connect(program_, rankTopology_, tree, edge);
    if (!hop)
      return hop.takeError();
    nodes[edge.from].toParent = hop->entry;
    nodes[edge.to].sources.push_back(Operand::channel(hop->exit));
  }
  if (hasUpTrees(problem_.collective))
    for (int rank = 0; rank < rankTopology_.numRanks(); ++rank)
      if (rank != edges.root)
        program_.addFold(rank, tree, false, nodes[rank].sources,
                         {Operand::channel(nodes[rank].toParent)});
  return std::move(nodes[edges.root].sources);
}

llvm::Expected<ForestExpander::Operands>
ForestExpander::expandSum(int tree, Operand input) {
  const std::vector<Association::Node> &nodes = problem_.association->nodes();
  const std::vector<TreeEdge> &edges = packing_.trees[tree].up;
  // What a fold at the node's place reads in order to have the node's sum. A
  // fold adds its sources one after the other, so the first of them may itself
  // be a sum that is not made yet.
  std::vector<Operands> sources(nodes.size());
  for (size_t node = 0; node < nodes.size(); ++node) {
    if (nodes[node].isTerm()) {
      sources[node] = {input};
    } else {
      sources[node] = std::move(sources[nodes[node].left]);
      sources[node].append(sources[nodes[node].right]);
    }
    if (node == edges.size() || edges[node].from == edges[node].to)
      continue;
    llvm::Expected<Connection> hop =
        connect(program_, rankTopology_, tree, edges[node]);
    if (!hop)
      return hop.takeError();
    program_.addFold(edges[node].from, tree, false, sources[node],
                     {Operand::channel(hop->entry)});
    sources[node] = {Operand::channel(hop->exit)};
  }
  return std::move(sources.back());
}

llvm::Error ForestExpander::expandTree(int tree) {
  const Tree &edges = packing_.trees[tree];
  Collective collective = problem_.collective;
  // The block number, for buffers with one block for each rank.
  int block = program_.trees[tree].block;
  bool gathers = collective == Collective::allgather;
  bool scatters = collective == Collective::reducescatter;
  Operand input = Operand::input(scatters ? block : 0);
  Operand output = Operand::output(gathers ? block : 0);
  llvm::Expected<Operands> sources =
      problem_.association ? expandSum(tree, input) : expandUp(tree, input);
  if (!sources)
    return sources.takeError();

  struct Node {
    Operands destinations;
    int fromParent = -1;
  };
  std::vector<Node> nodes(rankTopology_.numRanks(), Node{{output}});
  for (const TreeEdge &edge : edges.down) {
    llvm::Expected<Connection> hop =
        connect(program_, rankTopology_, tree, edge);
    if (!hop)
      return hop.takeError();
    nodes[edge.to].fromParent = hop->exit;
    nodes[edge.from].destinations.push_back(Operand::channel(hop->entry));
  }
  addRoot(tree, hasUpTrees(collective), *sources,
          nodes[edges.root].destinations);
  if (hasDownTrees(collective))
    for (int rank = 0; rank < rankTopology_.numRanks(); ++rank)
      if (rank != edges.root)
        program_.addFold(rank, tree, false,
                         {Operand::channel(nodes[rank].fromParent)},
                         nodes[rank].destinations);
  return llvm::Error::success();
}

namespace {
/// The blocks that a chain between the root of a tree and `far` carries. The
/// tables are at Collective in schedules/schedule.fbs.
struct ChainBlocks {
  int block;  ///< of the file's trees
  int input;  ///< block of the source's input
  int output; ///< block of the destination's output
};
} // namespace

static ChainBlocks chainBlocksOf(Collective collective, int root, int far,
                                 int numRanks) {
  const sched::CollectiveTraits &traits = traitsOf(collective);
  if (traits.scattersInput && traits.gathersOutput)
    return {root * numRanks + far, far, root};
  return {far, traits.scattersInput ? far : 0, traits.gathersOutput ? far : 0};
}

llvm::Error
ForestExpander::expandChain(int origin, int far,
                            llvm::ArrayRef<const TreeEdge *> toParent) {
  bool gathers = hasUpTrees(problem_.collective);
  llvm::SmallVector<const TreeEdge *> edges; // in the direction of the data
  for (int rank = far; toParent[rank];
       rank = gathers ? toParent[rank]->to : toParent[rank]->from)
    edges.push_back(toParent[rank]);
  if (!gathers)
    std::reverse(edges.begin(), edges.end());

  int root = packing_.trees[origin].root;
  ChainBlocks blocks =
      chainBlocksOf(problem_.collective, root, far, rankTopology_.numRanks());
  int tree = addTree(origin, blocks.block, int(edges.size()));
  int at = gathers ? far : root;
  Operand source = Operand::input(blocks.input);
  for (const TreeEdge *edge : edges) {
    llvm::Expected<Connection> hop =
        connect(program_, rankTopology_, tree, *edge);
    if (!hop)
      return hop.takeError();
    program_.addFold(at, tree, false, {source}, {Operand::channel(hop->entry)});
    at = edge->to;
    source = Operand::channel(hop->exit);
  }
  program_.addFold(at, tree, false, {source}, {Operand::output(blocks.output)});
  return llvm::Error::success();
}

llvm::Error ForestExpander::expandChains() {
  // The file sorts trees by block: for each root by far rank, then by tree.
  struct Origin {
    int tree;
    std::vector<const TreeEdge *> toParent; ///< per rank; null for the root
  };
  bool gathers = hasUpTrees(problem_.collective);
  llvm::MapVector<int, std::vector<Origin>> byRoot;
  for (size_t t = 0; t < packing_.trees.size(); ++t) {
    const Tree &tree = packing_.trees[t];
    std::vector<const TreeEdge *> toParent(rankTopology_.numRanks(), nullptr);
    for (const TreeEdge &edge : gathers ? tree.up : tree.down)
      toParent[gathers ? edge.from : edge.to] = &edge;
    byRoot[tree.root].push_back({int(t), std::move(toParent)});
  }
  for (const auto &[root, origins] : byRoot)
    for (int far = 0; far < rankTopology_.numRanks(); ++far)
      for (const Origin &origin : origins)
        if (llvm::Error error = expandChain(origin.tree, far, origin.toParent))
          return error;
  return llvm::Error::success();
}

llvm::Expected<FoldProgram> ForestExpander::run() {
  int n = rankTopology_.numRanks();
  if (isRouted(problem_.collective)) {
    if (llvm::Error error = expandChains())
      return error;
  } else {
    bool blocks = numBlocks(problem_.collective, n) > 1;
    for (size_t t = 0; t < packing_.trees.size(); ++t) {
      const Tree &tree = packing_.trees[t];
      addTree(int(t), blocks ? tree.root : 0, tree.depth(n));
      if (llvm::Error error = expandTree(int(t)))
        return error;
    }
  }
  if (packing_.symmetry)
    makeSymmetric(program_, packing_.symmetry);
  countMoves(program_);
  return std::move(program_);
}

llvm::Expected<FoldProgram> blink::expandForest(const PackingProblem &problem,
                                                const Packing &packing,
                                                const Shares *shares) {
  return ForestExpander(problem, packing, shares).run();
}
