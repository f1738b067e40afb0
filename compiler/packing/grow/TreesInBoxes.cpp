//===- TreesInBoxes.cpp - how trees lead through boxes --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/grow/TreesInBoxes.h"

#include "compiler/packing/Boxes.h"
#include "compiler/packing/grow/GrowTrees.h"
#include "compiler/packing/grow/GrowthPaths.h"
#include "compiler/packing/grow/RootedCut.h"
#include "compiler/packing/grow/RootedTree.h"
#include "compiler/packing/grow/SplitSwitches.h"
#include "compiler/topology/symmetry/MachineColoring.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <functional>
#include <optional>

using namespace blink;

/// Returns the parents of each rank in trees grown from `problem.root`; none if
/// links do not carry the trees.
static std::vector<std::vector<int>> growParents(const PackingProblem &problem,
                                                 const GrowRequest &request) {
  constexpr int kVariants = 16;
  const std::optional<SplitMachine> split = splitSwitches(problem);
  const PackingProblem within = split ? split->problem(problem) : problem;
  const RankTopology &machine = *within.rankTopology;
  if (!cutsCarry(within, classesAround(machine, problem.root), request.copies,
                 request.unit))
    return {};
  std::vector<std::vector<int>> parents;
  for (const Tree &tree : growTrees(within, pathsToGrow(machine),
                                    islandsOf(machine), request, kVariants))
    parents.push_back(rootedTree(tree, machine.numRanks()).parents);
  return parents;
}

/// Returns the box with one more rank, the last, that stands for all other
/// boxes: it is joined with `number` of the others, evenly chosen, by links for
/// one tree each.
static llvm::Expected<RankTopology> withOutside(const RankTopology &box,
                                                int number, double unit) {
  Topology topology = box.topology();
  std::vector<int> gpus = box.gpus();
  gpus.push_back(int(topology.gpus().size()));
  const int outside = int(topology.nodes.size());
  std::string id = "outside";
  while (llvm::any_of(topology.nodes,
                      [&](const Node &node) { return node.id == id; }))
    id += '\'';
  topology.nodes.push_back({id, NodeKind::gpu});
  LinkKind kind = LinkKind::nvlink;
  for (const Link &link : topology.links)
    if (box.linkKinds().contains(link.kind))
      kind = link.kind;
  for (int entry = 0; entry < number; ++entry) {
    const int node = box.nodeOf(entry * box.numRanks() / number);
    topology.links.push_back({outside, node, unit, 0, kind});
    topology.links.push_back({node, outside, unit, 0, kind});
  }
  return RankTopology::create(std::move(topology), std::move(gpus),
                              box.linkKinds());
}

/// Returns trees over one box, each from another place; none if links do not
/// carry them.
static std::vector<PlaceTree> treesFromPlaces(const RankTopology &box,
                                              Collective collective,
                                              const GrowRequest &request) {
  const std::optional<RankTopology> machine =
      llvm::expectedToOptional(withOutside(box, request.copies, request.unit));
  if (!machine)
    return {};
  const int outside = box.numRanks();
  std::vector<PlaceTree> trees =
      growParents({&*machine, collective, outside}, request);
  for (PlaceTree &tree : trees) {
    tree.pop_back();
    if (llvm::count(tree, outside) != 1)
      return {};
    std::replace(tree.begin(), tree.end(), outside, -1);
  }
  return trees;
}

static int depthOf(const PlaceTree &tree, size_t place) {
  int depth = 0;
  for (int at = tree[place]; at >= 0; at = tree[size_t(at)])
    ++depth;
  return depth;
}

/// Pairs each of as many trees with another place such that no depth of a place
/// in its tree exceeds `most`. Returns the index of each place's tree; nothing
/// if that is impossible. Takes augmenting paths (Berge, 1957).
static std::vector<size_t> pairWithin(const std::vector<PlaceTree> &trees,
                                      const std::vector<size_t> &places,
                                      int most) {
  std::vector<int> placeOf(trees.size(), -1);
  std::vector<bool> seen;
  std::function<bool(size_t)> give = [&](size_t place) {
    for (size_t tree = 0; tree < trees.size(); ++tree) {
      if (seen[tree] || depthOf(trees[tree], places[place]) > most)
        continue;
      seen[tree] = true;
      if (placeOf[tree] < 0 || give(size_t(placeOf[tree]))) {
        placeOf[tree] = int(place);
        return true;
      }
    }
    return false;
  };
  for (size_t place = 0; place < places.size(); ++place) {
    seen.assign(trees.size(), false);
    if (!give(place))
      return {};
  }
  std::vector<size_t> treeOf(places.size());
  for (size_t tree = 0; tree < trees.size(); ++tree)
    treeOf[size_t(placeOf[tree])] = tree;
  return treeOf;
}

std::vector<TreeInBoxes>
blink::growInBoxes(const PackingProblem &problem,
                   const std::vector<std::vector<int>> &boxes, int number,
                   double unit, int mostChildren) {
  const RankTopology &machine = *problem.rankTopology;
  const size_t home =
      size_t(llvm::find_if(boxes,
                           [&](const std::vector<int> &box) {
                             return llvm::is_contained(box, problem.root);
                           }) -
             boxes.begin());
  const std::vector<int> &other = boxes[(home + 1) % boxes.size()];
  const std::optional<LoneBox> homeBox =
      llvm::expectedToOptional(boxAlone(machine, boxes[home]));
  const std::optional<LoneBox> otherBox =
      llvm::expectedToOptional(boxAlone(machine, other));
  if (!homeBox || !otherBox || number > int(other.size()))
    return {};
  const GrowRequest request{number, unit, mostChildren};
  const int root =
      int(llvm::find(boxes[home], problem.root) - boxes[home].begin());
  const std::vector<PlaceTree> atRoot =
      growParents({&homeBox->machine, problem.collective, root}, request);
  if (atRoot.empty())
    return {};
  const std::vector<PlaceTree> beyond =
      treesFromPlaces(otherBox->machine, problem.collective, request);
  if (beyond.size() != atRoot.size())
    return {};
  std::vector<size_t> places;
  for (const PlaceTree &tree : beyond)
    places.push_back(size_t(llvm::find(tree, -1) - tree.begin()));
  std::vector<size_t> treeOf;
  // Within the depth of all trees, any tree does for any place.
  for (int most = 0; treeOf.empty(); ++most)
    treeOf = pairWithin(atRoot, places, most);
  std::vector<TreeInBoxes> trees;
  for (size_t tree = 0; tree < beyond.size(); ++tree)
    trees.push_back({places[tree], atRoot[treeOf[tree]], beyond[tree]});
  return trees;
}
