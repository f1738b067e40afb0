//===- GrowOverBoxes.cpp - trees that enter each box once -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/grow/GrowOverBoxes.h"

#include "compiler/packing/Boxes.h"
#include "compiler/packing/grow/PackGrown.h"
#include "compiler/packing/grow/RootedTree.h"

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
            const std::vector<std::vector<int>> &boxes, const PathTable &table)
      : problem_(problem), boxes_(boxes), table_(table) {
    while (std::find(boxes_[first_].begin(), boxes_[first_].end(),
                     problem.root) == boxes_[first_].end())
      ++first_;
  }

  /// Returns `copies` trees for each place, each in `parts` equal ones, at
  /// `rate` GB/s together.
  Packing pack(int copies, int parts, double rate) const;

private:
  const std::vector<int> &boxAfter(size_t next) const {
    return boxes_[(first_ + next) % boxes_.size()];
  }
  Tree make(size_t place, size_t copy, const std::vector<int> &parents,
            double weight) const;

  const PackingProblem &problem_;
  const std::vector<std::vector<int>> &boxes_;
  const PathTable &table_;
  size_t first_ = 0; ///< index of the root's box
};

/// Makes one tree; `parents` gives the parents of the boxes after the root's.
Tree OverBoxes::make(size_t place, size_t copy, const std::vector<int> &parents,
                     double weight) const {
  const int numRanks = problem_.rankTopology->numRanks();
  const bool up = hasUpTrees(problem_.collective);
  RootedTree tree{std::vector<int>(numRanks, -1), std::vector<Path>(numRanks)};
  auto join = [&](int parent, int child) {
    if (child == problem_.root || child == parent)
      return;
    tree.parents[child] = parent;
    tree.paths[child] = pathOf(table_, up, parent, child);
  };
  for (size_t next = 1; next < boxes_.size(); ++next) {
    const std::vector<int> &box = boxAfter(next);
    join(boxAfter(size_t(parents[next - 1] + 1))[place], box[place]);
    for (int rank : box)
      join(box[place], rank);
  }
  std::vector<int> box = boxAfter(0);
  const int entry = box[place];
  if (entry != problem_.root) {
    join(problem_.root, entry);
    for (int rank : box)
      join(entry, rank);
  } else {
    // The root's links are already full: it sends the whole buffer into its box
    // once. It therefore sends the trees of its own place to one rank only, and
    // the box's ranks pass them on.
    box.erase(box.begin() + long(place));
    if (!box.empty())
      std::rotate(box.begin(), box.begin() + long(copy % box.size()),
                  box.end());
    for (size_t next = 0; next < box.size(); ++next)
      join(next == 0 ? problem_.root : box[(next - 1) / 2], box[next]);
  }
  return treeOf(problem_, tree, weight);
}

Packing OverBoxes::pack(int copies, int parts, double rate) const {
  Packing packing;
  const size_t places = boxes_.front().size();
  const std::vector<std::vector<int>> trees =
      treesOverBoxes(int(boxes_.size()) - 1, copies);
  // Lanes begin with the first trees. These are one tree of each place, so that
  // all ranks have something to do at once.
  for (size_t copy = 0; copy < size_t(copies * parts); ++copy)
    for (size_t place = 0; place < places; ++place) {
      packing.trees.push_back(make(place, copy, trees[copy % trees.size()],
                                   rate / double(places) / copies / parts));
      packing.algbw += packing.trees.back().weight;
    }
  return packing;
}

} // namespace

std::vector<Packing> blink::growOverBoxes(const PackingProblem &problem,
                                          double rate, int maxTrees) {
  const RankTopology &machine = *problem.rankTopology;
  std::vector<Packing> packings;
  const std::vector<std::vector<int>> boxes = equalBoxes(machine);
  if (boxes.size() < 2 || machine.isLimited() ||
      machine.numRanks() > kMostRanks)
    return packings;
  const PathTable table = machine.cheapestPaths(
      std::vector<double>(machine.topology().links.size(), 1.0));
  const int most =
      maxTrees > 0 ? std::min(maxTrees, kMostSharing) : kMostSharing;
  const OverBoxes over(problem, boxes, table);
  for (int copies : kTreesOfPlace) {
    if (copies > kTreesOfPlace[0] && size_t(copies) >= boxes.size() - 1)
      break; // no lower than with fewer
    const int parts = most / (int(boxes.front().size()) * copies);
    if (parts == 0)
      break;
    Packing packing = over.pack(copies, parts, rate);
    if (llvm::Error error = problem.verify(packing))
      llvm::consumeError(std::move(error)); // too slow links; others may do
    else
      packings.push_back(std::move(packing));
  }
  return packings;
}
