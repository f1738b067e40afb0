//===- BoxRotation.cpp - boxes that take each other's places --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/symmetry/BoxRotation.h"

#include "compiler/support/Numbers.h"
#include "compiler/topology/symmetry/Cluster.h"

#include "llvm/ADT/STLExtras.h"

using namespace blink;

std::optional<Symmetry>
blink::rotationOfBoxes(const RankTopology &rankTopology) {
  const Cluster cluster = Cluster::findBoxes(rankTopology.topology());
  std::vector<bool> isRank(rankTopology.topology().nodes.size(), false);
  for (int rank = 0; rank < rankTopology.numRanks(); ++rank)
    isRank[size_t(rankTopology.nodeOf(rank))] = true;
  std::vector<const Cluster::Box *> boxes;
  for (const Cluster::Box &box : cluster.boxes)
    if (llvm::any_of(box.nodes, [&](int node) { return isRank[size_t(node)]; }))
      boxes.push_back(&box);
  if (boxes.size() < 2)
    return std::nullopt;
  std::vector<int> nodes = firstNumbers(int(isRank.size()));
  for (size_t box = 0; box < boxes.size(); ++box) {
    const Cluster::Box &next = *boxes[(box + 1) % boxes.size()];
    if (next.kind != boxes[box]->kind)
      return std::nullopt;
    for (size_t place = 0; place < next.nodes.size(); ++place)
      nodes[size_t(boxes[box]->nodes[place])] = next.nodes[place];
  }
  return llvm::expectedToOptional(
      Symmetry::create(rankTopology, {{std::move(nodes), int(boxes.size())}}));
}
