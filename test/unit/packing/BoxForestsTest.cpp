//===- BoxForestsTest.cpp ---------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Trees of one box of a pod, and what becomes of them over all boxes.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/BoxForests.h"

#include "compiler/packing/Boxes.h"
#include "compiler/packing/grow/PackOverBoxes.h"
#include "compiler/topology/symmetry/BoxRotation.h"
#include "test/unit/packing/Pods.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

using namespace blink;
using namespace blink::test;

namespace {

/// Returns the number of edges of `edges` between boxes of `size` ranks.
int crossingsOf(const std::vector<TreeEdge> &edges, int size) {
  int crossings = 0;
  for (const TreeEdge &edge : edges)
    crossings += edge.from / size != edge.to / size;
  return crossings;
}

} // namespace

TEST_CASE("a box alone has its own nodes and links, and no nic") {
  const RankTopology machine = rankTopologyOf(railPod("mi250x", 3));
  const std::vector<int> ranks{8, 9, 10, 11, 12, 13, 14, 15};
  const LoneBox box = valueOf(boxAlone(machine, ranks));
  const Topology &alone = box.machine.topology();
  const Topology original = shippedTopology("mi250x");
  CHECK(alone.nodes.size() == original.nodes.size());
  REQUIRE(alone.links.size() == original.links.size());
  REQUIRE(box.links.size() == alone.links.size());
  for (size_t link = 0; link < alone.links.size(); ++link) {
    const Link &whole = machine.topology().links[size_t(box.links[link])];
    CHECK(machine.topology().nodes[size_t(whole.from)].id ==
          alone.nodes[size_t(alone.links[link].from)].id);
    CHECK(machine.topology().nodes[size_t(whole.to)].id ==
          alone.nodes[size_t(alone.links[link].to)].id);
    CHECK(whole.bandwidth == alone.links[link].bandwidth);
  }
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    CHECK(alone.nodes[size_t(box.machine.nodeOf(int(rank)))].id ==
          machine.topology().nodes[size_t(machine.nodeOf(ranks[rank]))].id);
}

TEST_CASE("a box alone keeps GPUs that are no ranks, and the order of ranks") {
  const RankTopology machine = valueOf(RankTopology::create(
      railPod("dgx1", 2), {5, 0, 13, 8}, LinkKindSet::all()));
  const LoneBox box = valueOf(boxAlone(machine, {2, 3}));
  CHECK(box.machine.topology().gpus().size() == 8);
  CHECK(box.machine.gpus() == std::vector<int>{5, 0});
}

TEST_CASE("forests of a box are allgathers of it, with the rates asked for") {
  const RankTopology machine = rankTopologyOf(railPod("mi250", 4));
  const RankTopology box = rankTopologyOf(shippedTopology("mi250"));
  const double optimum =
      valueOf(packTrees({&box, Collective::allgather})).packing.algbw;
  const std::vector<Packing> forests =
      boxForests(machine, {optimum * 1.01, optimum * 0.98, optimum / 2}, {});
  REQUIRE(forests.size() == 2);
  CHECK(forests[0].algbw >= optimum * 0.98);
  CHECK(forests[1].algbw >= optimum / 2);
  CHECK(forests[1].numTrees() < forests[0].numTrees());
  for (const Packing &forest : forests) {
    std::map<int, double> weights;
    for (const Tree &tree : forest.trees) {
      weights[tree.root] += tree.weight;
      CHECK(tree.up.empty());
      CHECK(tree.down.size() == 15);
      CHECK(crossingsOf(tree.down, 16) == 0);
      for (const TreeEdge &edge : tree.down)
        CHECK(machine.classify(edge.from, edge.to, edge.path));
    }
    REQUIRE(weights.size() == 16);
    for (const auto &[root, weight] : weights) {
      CHECK(root < 16);
      CHECK(weight == doctest::Approx(forest.algbw / 16));
    }
  }
}

TEST_CASE(
    "forests of a box that is not the machine's first one use its links") {
  std::vector<int> gpus; // of the second and third box
  for (int gpu = 8; gpu < 24; ++gpu)
    gpus.push_back(gpu);
  const RankTopology machine = valueOf(
      RankTopology::create(railPod("mi250x", 3), gpus, LinkKindSet::all()));
  const std::vector<Packing> forests = boxForests(machine, {1}, {});
  REQUIRE(forests.size() == 1);
  for (const Tree &tree : forests.front().trees)
    for (const TreeEdge &edge : tree.down)
      CHECK(valueOf(machine.classify(edge.from, edge.to, edge.path)) ==
            ChannelKind::peer);
}

TEST_CASE("boxes of one rank have no forests, and jobs in one box neither") {
  const RankTopology machine = valueOf(
      RankTopology::create(railPod("dgx1", 2), {0, 8}, LinkKindSet::all()));
  CHECK(boxForests(machine, {1}, {}).empty());
  const RankTopology box = rankTopologyOf(shippedTopology("dgx1"));
  CHECK(boxForests(box, {1}, {}).empty());
}

TEST_CASE(
    "boxes whose ranks need the network among themselves have no forests") {
  // From the second GPU of a box to the first there is no way but over NICs.
  Topology box = valueOf(generateRing(2, Wire{}));
  llvm::erase_if(box.links, [](const Link &link) { return link.from == 1; });
  const RankTopology machine = rankTopologyOf(
      valueOf(generatePod(box, 3, 1, {50, 2, LinkKind::network})));
  CHECK(equalBoxes(machine).size() == 3);
  CHECK(boxForests(machine, {1}, {}).empty());
}

TEST_CASE("trees of a box lead over boxes where its GPUs are not all joined") {
  for (std::string name : {"mi250", "mi250x", "dgx1"})
    for (Collective collective : {Collective::allreduce, Collective::allgather,
                                  Collective::reducescatter})
      for (int boxes : {3, 4, 10}) {
        CAPTURE(name);
        CAPTURE(boxes);
        const RankTopology machine =
            rankTopologyOf(railPod(name.c_str(), boxes));
        const int size = machine.numRanks() / boxes;
        const PackingProblem problem{&machine, collective};
        const Symmetry rotation = rotationOfBoxes(machine).value();
        const Packing ofBox = boxForests(machine, {size * 4.}, {}).front();
        std::vector<Packing> packings =
            packOverBoxes(problem, rotation, 0, &ofBox);
        // Numbers of children divide that of boxes; bases are 2, 4 and 8.
        CHECK(packings.size() == (collective != Collective::allreduce ? 3
                                  : boxes == 3                        ? 1
                                                                      : 2));
        for (const Packing &packing : packings) {
          CHECK(!problem.verify(packing));
          CHECK(packing.numTrees() % ofBox.numTrees() == 0);
          // NICs of 50 GB/s carry what passes up and down.
          const double most = size * 50. * boxes / (boxes - 1);
          CHECK(packing.algbw <= most * (1 + 1e-9));
          const Packing full = packing.inFull();
          CHECK(!problem.verify(full));
          for (const Tree &tree : full.trees)
            for (const std::vector<TreeEdge> *edges : {&tree.up, &tree.down})
              if (!edges->empty())
                CHECK(crossingsOf(*edges, size) == boxes - 1);
        }
      }
}

TEST_CASE("links of one direction have no trees back") {
  // A box is a ring of three GPUs in one direction.
  Topology box = valueOf(generateRing(3, Wire{}));
  std::vector<Link> oneWay;
  for (const Link &link : box.links)
    if (link.to == (link.from + 1) % 3)
      oneWay.push_back(link);
  box.links = oneWay;
  const RankTopology machine = rankTopologyOf(
      valueOf(generatePod(box, 4, 3, {50, 2, LinkKind::network})));
  const Symmetry rotation = rotationOfBoxes(machine).value();
  const Packing ofBox = boxForests(machine, {1}, {}).front();
  auto numberOf = [&](Collective collective) {
    return packOverBoxes({&machine, collective}, rotation, 0, &ofBox).size();
  };
  CHECK(numberOf(Collective::allgather) == 3);
  CHECK(numberOf(Collective::reducescatter) == 0);
  CHECK(numberOf(Collective::allreduce) == 0);
}

TEST_CASE("boxes rotate if they are of one kind and alike in ranks") {
  const RankTopology machine = rankTopologyOf(railPod("mi250", 5));
  const Symmetry rotation = rotationOfBoxes(machine).value();
  CHECK(rotation.order() == 5);
  std::set<int> images;
  for (int element = 0; element < 5; ++element) {
    const int image = rotation.mapRank(element, 3);
    CHECK(image % 16 == 3);
    images.insert(image);
  }
  CHECK(images.size() == 5);

  auto fails = [](const RankTopology &ranks) {
    return !rotationOfBoxes(ranks);
  };
  CHECK(fails(rankTopologyOf(shippedTopology("mi250"))));
  auto job = [&](std::vector<int> gpus) {
    return valueOf(RankTopology::create(machine.topology(), std::move(gpus),
                                        LinkKindSet::all()));
  };
  CHECK(!fails(job({0, 1, 32, 33, 48, 49})));
  CHECK(fails(job({0, 1, 32, 34}))); // other GPUs
  CHECK(fails(job({0, 1})));
  Topology slow = machine.topology();
  slow.links.back().bandwidth /= 2;
  CHECK(fails(rankTopologyOf(slow)));
}
