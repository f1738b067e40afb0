//===- PackOverBoxesTest.cpp ------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Trees that cross to each box once, of collectives whose roots are all ranks:
// their properties, and machines without any.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/grow/PackOverBoxes.h"
#include "test/unit/packing/Pods.h"
#include "test/unit/packing/TreeShapes.h"

#include <set>

using namespace blink;
using namespace blink::test;

namespace {

std::vector<Packing> packingsOf(const RankTopology &machine,
                                Collective collective, int maxTrees = 0) {
  return packOverBoxes({&machine, collective}, Symmetry::find(machine),
                       maxTrees);
}

/// Checks that the trees reach each box but the root's over one edge, between
/// ranks at one place.
void checkCrossings(const Tree &tree, int boxes) {
  for (const std::vector<TreeEdge> *edges : {&tree.up, &tree.down}) {
    std::set<int> reached;
    for (const TreeEdge &edge : *edges)
      if (edge.from / 8 != edge.to / 8) {
        CHECK(edge.from % 8 == edge.to % 8);
        const int child = edges == &tree.up ? edge.from : edge.to;
        CHECK(reached.insert(child / 8).second);
      }
    CHECK(int(reached.size()) == (edges->empty() ? 0 : boxes - 1));
  }
}

/// Returns the most children of other boxes that a box has in a tree, and in
/// all trees.
std::pair<int, int> childrenOf(const Packing &full, int boxes) {
  int most = 0;
  std::vector<int> all(boxes, 0);
  for (const Tree &tree : full.trees) {
    std::vector<int> children(boxes, 0);
    for (const TreeEdge &edge : tree.down)
      if (edge.from / 8 != edge.to / 8)
        most = std::max(most, ++children[edge.from / 8]);
    for (int box = 0; box < boxes; ++box)
      all[box] += children[box];
  }
  return {most, *std::max_element(all.begin(), all.end())};
}

} // namespace

TEST_CASE("an allreduce over boxes has few trees and nearly the optimal rate") {
  for (int boxes : {6, 8, 24, 32}) {
    CAPTURE(boxes);
    const RankTopology machine = rankTopologyOf(railPod("dgx-h100", boxes));
    std::set<int> numbers;
    for (const Packing &packing : packingsOf(machine, Collective::allreduce)) {
      const PackingProblem problem{&machine, Collective::allreduce};
      CHECK(!problem.verify(packing));
      const int children = packing.numTrees() / 8;
      // A NIC carries what passes up and down, 8 x 50 / 2, unless in no tree a
      // box has both a parent and as many children as boxes have at most.
      const double most = boxes <= 2 * children ? boxes / (boxes - 1.) : 1;
      CHECK(packing.algbw == doctest::Approx(200 * most));
      const Packing full = packing.inFull();
      CHECK(!problem.verify(full));
      numbers.insert(children);
      for (const Tree &tree : full.trees)
        checkCrossings(tree, boxes);
      CHECK(childrenOf(full, boxes).first == std::min(children, boxes - 1));
      CHECK(childrenOf(full, boxes).second <= 8 * children);
    }
    const std::set<int> expected = boxes == 6    ? std::set<int>{2, 3, 6}
                                   : boxes == 24 ? std::set<int>{2, 3, 4, 6, 8}
                                                 : std::set<int>{2, 4, 8};
    CHECK(numbers == expected);
  }
}

TEST_CASE("an allgather over boxes has one tree for each root and few peers") {
  for (int boxes : {3, 8, 13, 32})
    for (Collective collective :
         {Collective::allgather, Collective::reducescatter}) {
      CAPTURE(boxes);
      const RankTopology machine = rankTopologyOf(railPod("dgx-a100", boxes));
      const PackingProblem problem{&machine, collective};
      const std::vector<Packing> packings = packingsOf(machine, collective);
      CHECK(packings.size() == 3);
      for (size_t index = 0; index < packings.size(); ++index) {
        const Packing &packing = packings[index];
        CHECK(!problem.verify(packing));
        CHECK(packing.numTrees() == machine.numRanks());
        // NVLink brings seven eighths: 300 x 8 / 7.
        CHECK(packing.algbw == doctest::Approx(300 * 8. / 7));
        const Packing full = packing.inFull();
        CHECK(!problem.verify(full));
        std::set<int> peers; // of rank 0
        for (const Tree &tree : full.trees) {
          checkCrossings(tree, boxes);
          for (const TreeEdge &edge : tree.down.empty() ? tree.up : tree.down)
            if (edge.from == 0 && edge.to / 8 != 0)
              peers.insert(edge.to);
        }
        const int radix = 2 << index;
        int digits = 0;
        for (int rest = boxes - 1; rest > 0; rest /= radix)
          ++digits;
        CHECK(int(peers.size()) <= digits * (radix - 1));
        CHECK(depthOf(packing.trees, machine.numRanks()) <= digits + 1);
      }
    }
}

TEST_CASE("there are no trees over boxes where machines or options forbid it") {
  const RankTopology machine = rankTopologyOf(railPod("dgx-h100", 8));
  CHECK(packingsOf(machine, Collective::broadcast).empty());
  CHECK(packingsOf(machine, Collective::alltoall).empty());
  CHECK(packingsOf(machine, Collective::allreduce, 15).empty());
  CHECK(packingsOf(machine, Collective::allreduce, 16).size() == 1);
  CHECK(packingsOf(machine, Collective::allgather, 63).empty());
  // A prime number of boxes above 8; too many ranks; one box; and no symmetry.
  CHECK(
      packingsOf(rankTopologyOf(railPod("dgx-h100", 11)), Collective::allreduce)
          .empty());
  CHECK(packingsOf(rankTopologyOf(railPod("dgx-h100", 256)),
                   Collective::allreduce)
            .size() == 3);
  CHECK(packingsOf(rankTopologyOf(railPod("dgx-h100", 260)),
                   Collective::allreduce)
            .empty());
  const RankTopology box = rankTopologyOf(shippedTopology("dgx2"));
  CHECK(packingsOf(box, Collective::allreduce).empty());
  CHECK(packOverBoxes({&machine, Collective::allreduce},
                      Symmetry::trivial(machine), 0)
            .empty());
}
