//===- BoxTrees.cpp - trees that cross each rail once a box ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/BoxTrees.h"

#include "compiler/packing/Boxes.h"
#include "compiler/packing/Shares.h"
#include "compiler/packing/lp/SymmetricProblem.h"
#include "compiler/plan/LatencyTree.h"
#include "compiler/plan/NetworkCosts.h"
#include "compiler/topology/symmetry/SymmetricPaths.h"

#include <algorithm>

using namespace blink;

namespace {

/// Most boxes: with more, messages would wait for each other about as long as
/// hops take.
constexpr size_t kMostBoxes = 32;
constexpr ProtocolCosts kCosts = costsOf(Protocol::simple);

class BoxTreeMaker {
public:
  BoxTreeMaker(const PackingProblem &problem, const SymmetricPaths &paths,
               const std::vector<std::vector<int>> &boxes)
      : problem_(problem), paths_(paths), boxes_(boxes) {
    boxOf_.resize(boxes.size() * boxes.front().size());
    for (size_t box = 0; box < boxes.size(); ++box)
      for (int rank : boxes[box])
        boxOf_[rank] = box;
  }

  /// Returns the tree from or to `root`, over the ranks at `place`; without
  /// edges if a path is missing.
  Tree make(int root, size_t place);
  size_t placeOf(int rank) const {
    const std::vector<int> &box = boxes_[boxOf_[rank]];
    return size_t(std::find(box.begin(), box.end(), rank) - box.begin());
  }

private:
  void add(int from, int to);
  void addBoxes(size_t place);

  const PackingProblem &problem_;
  const SymmetricPaths &paths_;
  const std::vector<std::vector<int>> &boxes_;
  std::vector<size_t> boxOf_;
  Tree tree_;
  bool isWhole_ = true;
};

/// Adds an edge that leads away from the root.
void BoxTreeMaker::add(int from, int to) {
  const bool up = hasUpTrees(problem_.collective);
  Path path = up ? paths_.path(to, from) : paths_.path(from, to);
  isWhole_ &= !path.empty();
  if (up)
    tree_.up.push_back({to, from, std::move(path)});
  else
    tree_.down.push_back({from, to, std::move(path)});
}

/// Adds the edges from the root's box to the other boxes.
void BoxTreeMaker::addBoxes(size_t place) {
  const size_t first = boxOf_[tree_.root];
  const int numBoxes = int(boxes_.size());
  if (!isRooted(problem_.collective)) {
    for (int next = 1; next < numBoxes; ++next)
      add(tree_.root, boxes_[(first + size_t(next)) % boxes_.size()][place]);
    return;
  }
  CostMatrix hops(boxes_.size() * boxes_.size(), 0), gaps = hops;
  const std::vector<double> prices = hopPrices(*problem_.rankTopology, kCosts);
  for (int from = 0; from < numBoxes; ++from)
    for (int to = 0; to < numBoxes; ++to) {
      if (from == to)
        continue;
      const Path path = paths_.path(boxes_[from][place], boxes_[to][place]);
      double &hop = hops[size_t(from) * boxes_.size() + size_t(to)];
      const double engine = engineCost(*problem_.rankTopology, path);
      hop = 2 * engine;
      for (int link : path)
        hop += prices[link];
      gaps[size_t(from) * boxes_.size() + size_t(to)] = kCosts.gap + engine;
    }
  const TimedTree tree =
      LatencyTrees(CostGraph(hops, numBoxes), CostGraph(gaps, numBoxes))
          .find(int(first));
  for (int box : tree.order)
    add(boxes_[size_t(tree.parents[box])][place], boxes_[size_t(box)][place]);
}

Tree BoxTreeMaker::make(int root, size_t place) {
  tree_ = Tree();
  tree_.root = root;
  const size_t first = boxOf_[root];
  const int entry = boxes_[first][place];
  if (entry != root)
    add(root, entry);
  addBoxes(place);
  for (size_t next = 0; next < boxes_.size(); ++next) {
    const std::vector<int> &box = boxes_[(first + next) % boxes_.size()];
    for (size_t other = 1; other < box.size(); ++other)
      if (const int rank = box[(place + other) % box.size()]; rank != root)
        add(box[place], rank);
  }
  std::reverse(tree_.up.begin(), tree_.up.end()); // children come first there
  if (!isWhole_)
    tree_ = Tree();
  return std::move(tree_);
}

} // namespace

llvm::Expected<std::optional<Packing>>
blink::packBoxTrees(const PackingProblem &problem) {
  const Collective collective = problem.collective;
  if (collective == Collective::allreduce ||
      collective == Collective::reducescatter || isRouted(collective) ||
      problem.association)
    return std::nullopt;
  const std::vector<std::vector<int>> boxes = equalBoxes(*problem.rankTopology);
  if (boxes.empty() || boxes.size() > kMostBoxes)
    return std::nullopt;
  llvm::Expected<RankTopology> direct = withAllPairs(*problem.rankTopology);
  if (!direct)
    return direct.takeError();
  PackingProblem free = problem;
  free.rankTopology = &*direct;
  const bool many = direct->numRanks() > kFewRanks && !isRooted(collective);
  const SymmetricProblem modulo = many ? SymmetricProblem::reduce(problem)
                                       : SymmetricProblem::plain(problem);
  const SymmetricPaths paths(
      modulo.symmetry(),
      direct->cheapestPaths(hopPrices(*direct, kCosts),
                            modulo.symmetry().representatives()));
  BoxTreeMaker maker(free, paths, boxes);
  Packing packing;
  if (isRooted(collective))
    for (size_t place = 0; place < boxes.front().size(); ++place)
      packing.trees.push_back(maker.make(problem.root, place));
  else
    for (int root : modulo.symmetry().representatives())
      packing.trees.push_back(maker.make(root, maker.placeOf(root)));
  const double parts = isRooted(collective) ? double(boxes.front().size()) : 1;
  for (Tree &tree : packing.trees) {
    if (tree.up.empty() && tree.down.empty())
      return std::nullopt;
    tree.weight = 1;
  }
  if (!isRooted(collective))
    packing = modulo.withImages(std::move(packing));
  llvm::Expected<Shares> shares = exactShares(free, packing);
  if (!shares)
    return shares.takeError();
  packing.algbw = rateOfShares(free, packing, *shares);
  for (Tree &tree : packing.trees)
    tree.weight =
        packing.algbw / parts / blocksOfBuffer(collective, direct->numRanks());
  if (llvm::Error error = free.verify(packing))
    return error;
  return packing;
}
