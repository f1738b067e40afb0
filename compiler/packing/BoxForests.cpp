//===- BoxForests.cpp - few trees of one box of a pod ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/BoxForests.h"

#include "compiler/packing/Boxes.h"

#include <optional>

using namespace blink;

/// Returns the same trees in ranks and links of the whole machine.
static Packing ofWhole(const Packing &packing, const LoneBox &box,
                       const std::vector<int> &ranks) {
  Packing whole = packing.inFull();
  for (Tree &tree : whole.trees) {
    tree.root = ranks[size_t(tree.root)];
    for (TreeEdge &edge : tree.down) {
      edge.from = ranks[size_t(edge.from)];
      edge.to = ranks[size_t(edge.to)];
      for (int &link : edge.path)
        link = box.links[size_t(link)];
    }
  }
  return whole;
}

std::vector<Packing> blink::boxForests(const RankTopology &rankTopology,
                                       const std::vector<double> &rates,
                                       const SelectOptions &options) {
  std::vector<Packing> forests;
  const std::vector<std::vector<int>> boxes = equalBoxes(rankTopology);
  if (boxes.empty() || boxes.front().size() < 2)
    return forests;
  const std::optional<LoneBox> box =
      llvm::expectedToOptional(boxAlone(rankTopology, boxes.front()));
  if (!box)
    return forests;
  const PackingProblem problem{&box->machine, Collective::allgather};
  const std::optional<PackedTrees> packed =
      llvm::expectedToOptional(packTrees(problem));
  if (!packed)
    return forests;
  const double optimum = packed->packing.algbw;
  SelectOptions few;
  few.keepGoing = options.keepGoing;
  int numTrees = 0;
  for (double rate : rates) {
    if (rate > optimum)
      continue;
    few.slack = 1 - rate / optimum;
    const std::optional<Packing> selected =
        llvm::expectedToOptional(selectTrees(problem, *packed, few));
    if (!selected || selected->numTrees() == numTrees)
      continue;
    numTrees = selected->numTrees();
    forests.push_back(ofWhole(*selected, *box, boxes.front()));
  }
  return forests;
}
