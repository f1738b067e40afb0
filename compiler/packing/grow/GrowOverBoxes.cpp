//===- GrowOverBoxes.cpp - trees that enter each box once -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/grow/GrowOverBoxes.h"

#include "compiler/packing/Boxes.h"
#include "compiler/packing/grow/PackGrown.h"
#include "compiler/packing/grow/RootedTree.h"
#include "compiler/packing/grow/TreesInBoxes.h"
#include "compiler/support/Infinity.h"

#include <algorithm>

using namespace blink;

namespace {

/// Numbers of trees for each place, which are also the most children of a box
/// in these trees together.
constexpr int kTreesOfPlace[] = {2, 4};
/// For more ranks, trees in which any rank has any number of children are as
/// low, and timing these takes long.
constexpr int kMostRanks = 512;

/// Returns the parent of each of `numBoxes` boxes in each of `copies` trees
/// over them (-1 for the first box of a tree). In all trees together, no box
/// has more than `copies` children.
std::vector<std::vector<int>> treesOverBoxes(int numBoxes, int copies) {
  std::vector<int> room(numBoxes, copies);
  std::vector<std::vector<int>> trees;
  int sender = 0;
  for (int copy = 0; copy < copies; ++copy) {
    std::vector<int> order, children; // boxes that send, and their children
    std::vector<bool> sends(numBoxes, false);
    for (int missing = numBoxes - 1; missing > 0; missing -= children.back()) {
      sender += room[sender] == 0 ? 1 : 0;
      order.push_back(sender);
      sends[sender] = true;
      children.push_back(std::min(room[sender], missing));
      room[sender] -= children.back();
    }
    for (int next = 0; next < numBoxes; ++next)
      if (const int box = (sender + next) % numBoxes; !sends[box])
        order.push_back(box);
    std::vector<int> parents(numBoxes, -1);
    size_t child = 1;
    for (size_t parent = 0; parent < children.size(); ++parent)
      for (int of = 0; of < children[parent]; ++of)
        parents[order[child++]] = order[parent];
    trees.push_back(std::move(parents));
  }
  return trees;
}

/// Builds the trees from one root over the places of its boxes.
class OverBoxes {
public:
  OverBoxes(const PackingProblem &problem,
            const std::vector<std::vector<int>> &boxes)
      : problem_(problem), boxes_(boxes),
        table_(problem.rankTopology->cheapestPaths(std::vector<double>(
            problem.rankTopology->topology().links.size(), 1.0))) {
    while (std::find(boxes_[first_].begin(), boxes_[first_].end(),
                     problem.root) == boxes_[first_].end())
      ++first_;
  }

  /// Returns a tree for each place that reaches all ranks of a box directly.
  /// In another turn they begin with other ranks of the root's box.
  std::vector<TreeInBoxes> direct(size_t turn) const;
  /// Returns the packing at `rate` GB/s of trees of one weight: of those of
  /// each turn, which take `copies` ways over boxes by turns.
  Packing pack(const std::vector<std::vector<TreeInBoxes>> &turns, int copies,
               double rate) const;
  /// Returns the least bandwidth between ranks at one place of the root's box
  /// and the next, in GB/s; 0 if a path is missing.
  double leastCrossing() const;

private:
  const std::vector<int> &boxAfter(size_t next) const {
    return boxes_[(first_ + next) % boxes_.size()];
  }
  Tree make(const TreeInBoxes &of, const std::vector<int> &parents,
            double weight) const;

  const PackingProblem &problem_;
  const std::vector<std::vector<int>> &boxes_;
  const PathTable table_;
  size_t first_ = 0; ///< index of the root's box
};

/// Makes one tree; `parents` gives the parents of the boxes after the root's.
Tree OverBoxes::make(const TreeInBoxes &of, const std::vector<int> &parents,
                     double weight) const {
  const int numRanks = problem_.rankTopology->numRanks();
  const bool up = hasUpTrees(problem_.collective);
  RootedTree tree{std::vector<int>(numRanks, -1), std::vector<Path>(numRanks)};
  auto join = [&](int parent, int child) {
    tree.parents[child] = parent;
    tree.paths[child] = pathOf(table_, up, parent, child);
  };
  for (size_t next = 0; next < boxes_.size(); ++next) {
    const std::vector<int> &box = boxAfter(next);
    const PlaceTree &within = next == 0 ? of.atRoot : of.beyond;
    for (size_t place = 0; place < box.size(); ++place)
      if (within[place] >= 0)
        join(box[size_t(within[place])], box[place]);
    if (next > 0)
      join(boxAfter(size_t(parents[next - 1] + 1))[of.place], box[of.place]);
  }
  return treeOf(problem_, tree, weight);
}

std::vector<TreeInBoxes> OverBoxes::direct(size_t turn) const {
  const std::vector<int> &home = boxAfter(0);
  const size_t places = home.size();
  const size_t root =
      size_t(std::find(home.begin(), home.end(), problem_.root) - home.begin());
  std::vector<TreeInBoxes> trees;
  for (size_t place = 0; place < places; ++place) {
    PlaceTree beyond(places, int(place)), atRoot = beyond;
    beyond[place] = -1;
    atRoot[root] = -1;
    if (place != root) {
      atRoot[place] = int(root);
    } else {
      // The root's links are already full: it sends the whole buffer into its
      // box once. It therefore sends the trees of its own place to one rank
      // only, and the box's ranks pass them on.
      std::vector<size_t> others;
      for (size_t other = 0; other < places; ++other)
        if (other != root)
          others.push_back(other);
      if (!others.empty())
        std::rotate(others.begin(), others.begin() + long(turn % others.size()),
                    others.end());
      for (size_t next = 0; next < others.size(); ++next)
        atRoot[others[next]] = int(next == 0 ? root : others[(next - 1) / 2]);
    }
    trees.push_back({place, std::move(atRoot), std::move(beyond)});
  }
  return trees;
}

Packing OverBoxes::pack(const std::vector<std::vector<TreeInBoxes>> &turns,
                        int copies, double rate) const {
  Packing packing;
  const std::vector<std::vector<int>> overBoxes =
      treesOverBoxes(int(boxes_.size()) - 1, copies);
  // Lanes begin with the first trees. These are one tree of each place, so that
  // all ranks have something to do at once.
  for (size_t turn = 0; turn < turns.size(); ++turn)
    for (const TreeInBoxes &of : turns[turn]) {
      packing.trees.push_back(
          make(of, overBoxes[turn % overBoxes.size()],
               rate / double(turns[turn].size()) / double(turns.size())));
      packing.algbw += packing.trees.back().weight;
    }
  return packing;
}

double OverBoxes::leastCrossing() const {
  const std::vector<Link> &links = problem_.rankTopology->topology().links;
  const std::vector<int> &home = boxAfter(0), &next = boxAfter(1);
  double least = kInfinity;
  for (size_t place = 0; place < home.size(); ++place) {
    const Path &path = pathOf(table_, hasUpTrees(problem_.collective),
                              home[place], next[place]);
    if (path.empty())
      return 0;
    for (int link : path)
      least = std::min(least, links[size_t(link)].bandwidth);
  }
  return least;
}

/// Returns the equal boxes of a machine for which trees may be grown here; none
/// for others.
std::vector<std::vector<int>> boxesToGrow(const RankTopology &machine) {
  std::vector<std::vector<int>> boxes = equalBoxes(machine);
  if (boxes.size() < 2 || machine.isLimited() ||
      machine.numRanks() > kMostRanks)
    return {};
  return boxes;
}

} // namespace

std::vector<Packing> blink::growOverBoxes(const PackingProblem &problem,
                                          double rate, int maxTrees) {
  std::vector<Packing> packings;
  const std::vector<std::vector<int>> boxes =
      boxesToGrow(*problem.rankTopology);
  if (boxes.empty())
    return packings;
  const int most =
      maxTrees > 0 ? std::min(maxTrees, kMostSharing) : kMostSharing;
  const OverBoxes over(problem, boxes);
  for (int copies : kTreesOfPlace) {
    if (copies > kTreesOfPlace[0] && size_t(copies) >= boxes.size() - 1)
      break; // no lower than with fewer
    const int parts = most / (int(boxes.front().size()) * copies);
    if (parts == 0)
      break;
    std::vector<std::vector<TreeInBoxes>> turns;
    for (int turn = 0; turn < copies * parts; ++turn)
      turns.push_back(over.direct(size_t(turn)));
    Packing packing = over.pack(turns, copies, rate);
    if (llvm::Error error = problem.verify(packing))
      llvm::consumeError(std::move(error)); // too slow links; others may do
    else
      packings.push_back(std::move(packing));
  }
  return packings;
}

std::vector<Packing> blink::growThroughBoxes(const PackingProblem &problem,
                                             double most, double least,
                                             int maxTrees) {
  constexpr double kSame = 1e-9;
  constexpr int kMostNumbers = 2; // fewer trees are seldom lower, and slower
  constexpr int kChildren[] = {3, RankTopology::kMaxRanks};
  std::vector<Packing> packings;
  const std::vector<std::vector<int>> boxes =
      boxesToGrow(*problem.rankTopology);
  if (boxes.empty())
    return packings;
  const OverBoxes over(problem, boxes);
  const double unit = over.leastCrossing();
  if (!(unit > 0))
    return packings;
  const int copies = kTreesOfPlace[0];
  int numbers = 0;
  for (int number = int(
           std::min(most / unit * (1 + kSame), double(boxes.front().size())));
       number > 0 && number * unit >= least && numbers < kMostNumbers;
       --number) {
    if (maxTrees > 0 && number * copies > maxTrees)
      continue;
    const size_t before = packings.size();
    for (int children : kChildren) {
      const std::vector<TreeInBoxes> trees =
          growInBoxes(problem, boxes, number, unit, children);
      if (trees.empty())
        continue;
      Packing packing =
          over.pack(std::vector(size_t(copies), trees), copies, number * unit);
      if (llvm::Error error = problem.verify(packing))
        llvm::consumeError(std::move(error));
      else
        packings.push_back(std::move(packing));
    }
    numbers += packings.size() > before;
  }
  return packings;
}
