//===- GrowPodsTest.cpp -----------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Trees grown over many boxes without a linear program, compared with the
// maximum flows of a different implementation and with the linear program.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/grow/GrowByEntries.h"
#include "compiler/packing/grow/GrowByIslands.h"
#include "compiler/packing/grow/GrowForests.h"
#include "compiler/packing/grow/GrowTrees.h"
#include "compiler/packing/grow/GrowthPaths.h"
#include "compiler/packing/grow/Islands.h"
#include "compiler/packing/grow/PackGrown.h"
#include "compiler/packing/grow/RootedCut.h"
#include "compiler/packing/grow/SplitSwitches.h"
#include "compiler/packing/lp/ColumnGeneration.h"
#include "compiler/topology/symmetry/MachineColoring.h"
#include "test/unit/packing/MaxFlow.h"
#include "test/unit/packing/Oracles.h"
#include "test/unit/packing/Pods.h"
#include "test/unit/packing/TreeShapes.h"

#include <algorithm>
#include <limits>
#include <random>
#include <set>

using namespace blink;
using namespace blink::test;

namespace {

constexpr auto peers = Islands::JoinedBy::peerLinks;

/// Returns the smallest of the maximum flows from the root to every other rank.
double leastFlow(const PackingProblem &problem) {
  const RankTopology &machine = *problem.rankTopology;
  const bool up = problem.collective == Collective::reduce;
  FlowNetwork network(static_cast<int>(machine.topology().nodes.size()));
  for (const Link &link : machine.topology().links)
    network.addEdge(up ? link.to : link.from, up ? link.from : link.to,
                    link.bandwidth);
  double least = std::numeric_limits<double>::infinity();
  for (int rank = 0; rank < machine.numRanks(); ++rank)
    if (rank != problem.root)
      least = std::min(least, network.maxFlow(machine.nodeOf(problem.root),
                                              machine.nodeOf(rank)));
  return least;
}

/// Returns a random machine of several boxes, each with the same links inside.
RankTopology randomPod(std::minstd_rand &random) {
  const int gpus = 3 + int(random() % 4), boxes = 17 / gpus + 2;
  const int rails[] = {1, gpus};
  return valueOf(RankTopology::create(
      valueOf(
          generatePod(machineOf(randomCapacities(random, gpus, false)), boxes,
                      rails[random() % 2],
                      {5. * double(1 + random() % 3), 2, LinkKind::network})),
      {}, LinkKindSet::all()));
}

} // namespace

TEST_CASE("the least cut is the least of all maximum flows") {
  std::minstd_rand random(5);
  for (int trial = 0; trial < 40; ++trial)
    for (Collective collective : {Collective::broadcast, Collective::reduce}) {
      CAPTURE(trial);
      RankTopology machine = randomPod(random);
      PackingProblem problem{&machine, collective,
                             int(random() % machine.numRanks())};
      const PackingCertificate cut = leastCut(problem);
      CHECK(cut.bound == doctest::Approx(leastFlow(problem)).epsilon(1e-9));
      // Its prices prove the cut: no tree avoids it.
      const SymmetricProblem plain = SymmetricProblem::plain(problem);
      TreePricer pricer(plain);
      pricer.setPrices(cut.prices);
      CHECK(pricer.bound({pricer.cheapest(problem.root)}) <=
            cut.bound * (1 + 1e-9));
    }
}

TEST_CASE("grown trees are an optimum of the linear program") {
  std::minstd_rand random(9);
  int grown = 0;
  for (int trial = 0; trial < 24; ++trial)
    for (Collective collective : {Collective::broadcast, Collective::reduce}) {
      CAPTURE(trial);
      RankTopology machine = randomPod(random);
      PackingProblem problem{&machine, collective,
                             int(random() % machine.numRanks())};
      std::optional<PackedTrees> packed = packGrown(problem);
      const SolveWatcher none;
      const PackedTrees plain = valueOf(
          ColumnGeneration(SymmetricProblem::plain(problem), none).run());
      CHECK(valueOf(packTrees(problem)).packing.algbw ==
            doctest::Approx(plain.packing.algbw).epsilon(1e-6));
      if (!packed)
        continue; // no few trees of equal weight
      ++grown;
      CHECK(!problem.verify(packed->packing));
      CHECK(isGrown(problem, packed->packing, 0));
      CHECK(!isGrown(problem, packed->packing,
                     int(packed->packing.trees.size()) - 1));
      CHECK(packed->packing.algbw ==
            doctest::Approx(plain.packing.algbw).epsilon(1e-6));
      CHECK(packed->certificate.bound ==
            doctest::Approx(plain.certificate.bound).epsilon(1e-6));
    }
  CHECK(grown > 20);
}

TEST_CASE("cuts leave room for as many trees as can be completed") {
  std::minstd_rand random(13);
  int carried = 0, refused = 0;
  for (int trial = 0; trial < 40; ++trial) {
    CAPTURE(trial);
    RankTopology machine = randomPod(random);
    PackingProblem problem{
        &machine, trial % 2 ? Collective::broadcast : Collective::reduce,
        int(random() % machine.numRanks())};
    const double rate = leastFlow(problem);
    const std::vector<int> ranks = classesAround(machine, problem.root);
    for (int trees = 1; trees <= 12; ++trees)
      for (double part : {1.01, 1., 0.97, 0.9}) {
        const double unit = rate * part / trees;
        const bool can =
            Completion(problem, roomOf(problem, unit), trees).begin();
        CHECK(cutsCarry(problem, ranks, trees, unit) == can);
        can ? ++carried : ++refused;
      }
  }
  CHECK(carried > 100);
  CHECK(refused > 100);
}

TEST_CASE("more trees come near what few do not reach") {
  struct Case {
    const char *machine;
    int boxes;
    double bound;
    int most; ///< maximum number of trees
  };
  for (const Case &each :
       {Case{"pcie-8gpu-2switch", 3, 81.5, 16},
        Case{"azure-ndv2", 3, 215.75, 48},
        // A PCIe switch brings two GPUs together only what one of them could
        // get.
        Case{"dgx1", 3, 207.875, 48}, Case{"dgx1p", 3, 137.875, 48}})
    for (Collective collective : {Collective::broadcast, Collective::reduce}) {
      CAPTURE(each.machine);
      const RankTopology machine = rankTopologyOf(
          valueOf(generatePod(shippedTopology(each.machine), each.boxes, 1,
                              {50, 2, LinkKind::network})));
      PackingProblem problem{&machine, collective, 5};
      CHECK(!packGrown(problem));
      CHECK(!packGrown(problem, 1e-4));
      std::optional<PackedTrees> packed = packGrown(problem, kMostSlack);
      REQUIRE(packed);
      CHECK(!problem.verify(packed->packing));
      CHECK(packed->certificate.bound == doctest::Approx(each.bound));
      CHECK(packed->packing.algbw >= each.bound * (1 - kMostSlack));
      CHECK(int(packed->packing.trees.size()) <= each.most);
      CHECK(isGrown(problem, packed->packing, 0));
      // The forests from which the trees are chosen are as fast.
      const std::vector<Packing> forests =
          growForests(problem, packed->packing.algbw, kMostGrown, 0);
      REQUIRE(!forests.empty());
      for (const Packing &forest : forests)
        CHECK(!problem.verify(forest));
      CHECK(growForests(problem, packed->packing.algbw, kMostGrown, 4).empty());
    }
}

TEST_CASE("where trees cannot enter islands once they need not be patient") {
  const RankTopology machine = rankTopologyOf(valueOf(generatePod(
      shippedTopology("gb200-nvl72"), 2, 1, {50, 2, LinkKind::network})));
  PackingProblem problem{&machine, Collective::broadcast, 0};
  std::optional<PackedTrees> packed = packGrown(problem, kMostSlack);
  REQUIRE(packed);
  CHECK(packed->packing.trees.size() == 19); // 19 x 50 GB/s
  CHECK(packed->packing.algbw == doctest::Approx(950));
  const PathTable table = pathsToGrow(machine);
  CHECK(!mayEnterOnce(problem, islandsOf(machine).front(), roomOf(problem, 50),
                      19));
  const std::vector<Tree> trees = growTrees(
      problem, table, islandsOf(machine), {19, 50, 2, /*isPatient=*/false}, 1);
  CHECK(trees.size() == 19);
  CHECK(!problem.verify({trees, 950}));
}

TEST_CASE("switches are split where GPUs do not send through them") {
  const RankTopology machine = rankTopologyOf(valueOf(
      generatePod(shippedTopology("dgx1"), 2, 1, {50, 2, LinkKind::network})));
  const Topology &whole = machine.topology();
  for (Collective collective : {Collective::broadcast, Collective::reduce}) {
    PackingProblem problem{&machine, collective, 3};
    const std::optional<SplitMachine> split = splitSwitches(problem);
    REQUIRE(split);
    const Topology &parts = split->machine.topology();
    CHECK(parts.nodes.size() == whole.nodes.size() + 8);
    REQUIRE(parts.links.size() == whole.links.size());
    // On one switch, GPU 2 has the capacity that the root does not need.
    CHECK(split->shared.size() == 7);
    for (const SplitMachine::Shared &share : split->shared)
      for (int link : share.links)
        CHECK(parts.links[link].bandwidth == 15.75 / 2);
    const PathTable table =
        split->machine.cheapestPaths(std::vector<double>(whole.links.size()));
    for (int from = 0; from < machine.numRanks(); ++from)
      for (int to = 0; to < machine.numRanks(); ++to)
        if (from != to)
          CHECK(machine.classify(from, to, table.path(from, to)));
    const PackingCertificate cut = sharedCut(problem, *split);
    CHECK(cut.bound == doctest::Approx(207.875).epsilon(1e-9));
    CHECK(leastCut(problem).bound == doctest::Approx(215.75).epsilon(1e-9));
  }
  // GPUs without NVLink send through the switch.
  const RankTopology others = rankTopologyOf(shippedTopology("pcie-8gpu"));
  CHECK(!splitSwitches({&others, Collective::broadcast, 0}));
}

TEST_CASE("few ranks, routed collectives and orders are not grown") {
  const RankTopology large = podOf(5, 4, 1), small = podOf(4, 4, 1);
  CHECK(mayGrow({&large, Collective::broadcast, 0}));
  CHECK(mayGrow({&large, Collective::reduce, 0}));
  for (Collective collective : {Collective::scatter, Collective::gather,
                                Collective::allreduce, Collective::allgather})
    CHECK(!mayGrow({&large, collective, 0}));
  CHECK(!mayGrow({&small, Collective::broadcast, 0}));
}

TEST_CASE("depth grows with the logarithm of the number of boxes") {
  struct Case {
    const char *machine;
    int boxes, rails;
    double nic;
    int binary, lowest; ///< depth with two children, lowest depth
  };
  const Case cases[] = {{"dgx-h100", 8, 8, 50, 11, 7},
                        {"dgx-h100", 32, 8, 50, 17, 8},
                        {"dgx-a100", 16, 1, 25, 14, 7},
                        {"pcie-8gpu", 8, 1, 1.5625, 10, 6},
                        {"pcie-8gpu-bridges", 12, 1, 1.5625, 12, 7}};
  for (const Case &each : cases)
    for (Collective collective : {Collective::broadcast, Collective::reduce})
      for (int root : {0, 13}) {
        // A reduce's trees are grown as a broadcast's, over paths that lead the
        // other way: one machine shows that neither depends on the root.
        if (&each != cases &&
            (collective == Collective::reduce) != (root == 13))
          continue;
        CAPTURE(each.machine);
        CAPTURE(each.boxes);
        const RankTopology machine = rankTopologyOf(
            valueOf(generatePod(shippedTopology(each.machine), each.boxes,
                                each.rails, {each.nic, 2, LinkKind::network})));
        const int ranks = machine.numRanks();
        PackingProblem problem{&machine, collective, root};
        const std::vector<Packing> forests =
            growForests(problem, each.nic * 8, kMostGrown, 0);
        REQUIRE(forests.size() >= 2);
        for (const Packing &forest : forests) {
          CHECK(!problem.verify(forest));
          CHECK(forest.trees.size() <= kMostGrown);
        }
        CHECK(mostChildren(forests.front().trees, ranks) == 2);
        CHECK(depthOf(forests.front().trees, ranks) <= each.binary);
        CHECK(depthOf(forests.back().trees, ranks) <= each.lowest);
      }
}

TEST_CASE("boxes divide before what peer links join") {
  struct Case {
    const char *machine;
    int boxes;
    std::vector<int> islands;
  };
  for (const Case &each :
       {Case{"dgx1", 3, {3}}, Case{"pcie-8gpu", 3, {3}},
        Case{"pcie-8gpu-bridges", 3, {3, 12}},
        Case{"pcie-8gpu-bridges", 1, {4}}, Case{"pcie-8gpu", 1, {}}}) {
    CAPTURE(each.machine);
    const RankTopology machine = rankTopologyOf(
        valueOf(generatePod(shippedTopology(each.machine), each.boxes, 1,
                            {1.5625, 2, LinkKind::network})));
    std::vector<int> counts;
    for (const Islands &islands : islandsOf(machine))
      counts.push_back(islands.count);
    CHECK(counts == each.islands);
    // The path over the network would be shorter.
    const PathTable table = pathsToGrow(machine);
    for (int from = 0; from < machine.numRanks(); ++from)
      for (int to = 0; to < machine.numRanks(); ++to)
        for (int link : table.path(from, to))
          CHECK((machine.topology().links[link].kind == LinkKind::network) ==
                (from / 8 != to / 8));
  }
}

TEST_CASE("GPUs of a switch are an island where nothing else divides") {
  auto islands = [](const Topology &topology) {
    std::vector<int> counts;
    for (const Islands &each : islandsOf(rankTopologyOf(topology)))
      counts.push_back(each.count);
    return counts;
  };
  CHECK(islands(valueOf(generateTorus({12, 12}, Wire{}))).empty());
  CHECK(islands(valueOf(generateFatTree(8, 1, Wire{}))).empty()); // 128 GPUs
  CHECK(islands(valueOf(generateFatTree(10, 1, Wire{}))) == std::vector{50});
  // Each GPU's link brings the GPU its trees and passes them on, so an island's
  // own ranks leave as many edges to others as there are trees.
  const Topology dragonfly = valueOf(generateDragonfly(12, 3, 4, 25, Wire{}));
  const Topology fatTree = valueOf(generateFatTree(10, 1, Wire{}));
  CHECK(islands(dragonfly) == std::vector{36});
  for (const Topology *topology : {&dragonfly, &fatTree}) {
    const RankTopology machine = rankTopologyOf(*topology);
    for (Collective collective : {Collective::broadcast, Collective::reduce}) {
      const PackingProblem problem{&machine, collective, 5};
      // Not patient: trees are grown by islands or not at all.
      const std::vector<Tree> trees =
          growTrees(problem, pathsToGrow(machine), islandsOf(machine),
                    {16, 25. / 16, machine.numRanks(), /*isPatient=*/false}, 1);
      REQUIRE(trees.size() == 16);
      CHECK(depthOf(trees, machine.numRanks()) <= 6);
      CHECK(!problem.verify({trees, 25}));
      // A single tree would be a chain.
      for (const Tree &tree :
           growTrees(problem, pathsToGrow(machine), islandsOf(machine),
                     {1, 25, machine.numRanks(), /*isPatient=*/false}, 1))
        CHECK(tree.depth(machine.numRanks()) < machine.numRanks() / 2);
    }
  }
}

TEST_CASE("others feed the box of a root that cannot feed it alone") {
  const RankTopology machine = rankTopologyOf(railPod("mi300x", 72));
  REQUIRE(machine.numRanks() > 512); // then only trees over islands are grown
  PackingProblem problem{&machine, Collective::reduce, 13};
  const std::vector<Packing> forests = growForests(problem, 400, kMostGrown, 0);
  REQUIRE(!forests.empty());
  CHECK(!problem.verify(forests.back()));
  CHECK(depthOf(forests.back().trees, machine.numRanks()) <= 14);
}

TEST_CASE("fast NICs are used in full over many boxes") {
  struct Case {
    const char *machine;
    int boxes, rails;
    double nic, bound;
    double part; ///< of the bound that trees reach at least
    int depth;   ///< of trees at most
    std::vector<Collective> collectives = {Collective::broadcast,
                                           Collective::reduce};
  };
  // What takes longest is grown in one direction, each in another.
  // GPUs of an MI250 have room for one tree on their NICs; with rails, trees
  // have to get from one rail to the others within boxes.
  for (const Case &each :
       {Case{"pcie-8gpu", 66, 1, 25, 40.75, 0.99, 12, {Collective::broadcast}},
        Case{"pcie-8gpu", 20, 1, 25, 40.75, 0.99, 12},
        Case{"pcie-8gpu", 72, 8, 25, 40.75, 0.9, 20, {Collective::broadcast}},
        Case{"dgx1", 66, 1, 50, 207.875, 0.99, 12, {Collective::reduce}},
        Case{"mi250", 40, 1, 25, 350, 0.99, 30, {Collective::reduce}},
        Case{"dgx-a100", 72, 1, 100, 400, 0.99, 16, {Collective::reduce}}})
    for (Collective collective : each.collectives) {
      CAPTURE(each.machine);
      CAPTURE(each.boxes);
      const RankTopology machine = rankTopologyOf(
          valueOf(generatePod(shippedTopology(each.machine), each.boxes,
                              each.rails, {each.nic, 2, LinkKind::network})));
      PackingProblem problem{&machine, collective, 13};
      std::optional<PackedTrees> packed = packGrown(problem, kMostSlack);
      REQUIRE(packed);
      CHECK(!problem.verify(packed->packing));
      CHECK(packed->certificate.bound == doctest::Approx(each.bound));
      CHECK(packed->packing.algbw >= each.bound * each.part);
      CHECK(isGrown(problem, packed->packing, 0));
      CHECK(depthOf(packed->packing.trees, machine.numRanks()) <= each.depth);
      CHECK(!entersOnce(problem, islandsOf(machine).front(),
                        packed->packing.trees));
    }
}

TEST_CASE("trees that enter islands repeatedly reach the least cut") {
  std::minstd_rand random(21);
  int grown = 0, repeatedly = 0;
  for (int trial = 0; trial < 60; ++trial)
    for (Collective collective : {Collective::broadcast, Collective::reduce}) {
      CAPTURE(trial);
      const RankTopology machine = randomPod(random);
      PackingProblem problem{&machine, collective,
                             int(random() % machine.numRanks())};
      const double rate = leastFlow(problem);
      const int copies = int(rate / 5 + 0.5), most = 1 + int(random() % 4);
      const Islands islands(machine, peers);
      const std::vector<Tree> trees =
          growByEntries(problem, islands, pathsToGrow(machine),
                        roomOf(problem, 5), {copies, 5, most});
      if (trees.empty())
        continue; // the network may be narrower than its exits
      ++grown;
      REQUIRE(int(trees.size()) == copies);
      CHECK(!problem.verify({trees, 5. * copies}));
      repeatedly += !entersOnce(problem, islands, trees);
    }
  CHECK(grown > 60);
  CHECK(repeatedly > 20);
}

TEST_CASE("what a box cannot get from its own links enters it") {
  auto mayEnter = [](const char *name, int copies, double unit) {
    const RankTopology machine = rankTopologyOf(valueOf(
        generatePod(shippedTopology(name), 3, 1, {50, 2, LinkKind::network})));
    bool may = true;
    for (Collective collective : {Collective::broadcast, Collective::reduce}) {
      const PackingProblem problem{&machine, collective, 0};
      const bool now = mayEnterOnce(problem, Islands(machine, peers),
                                    roomOf(problem, unit), copies);
      if (collective == Collective::broadcast)
        may = now;
      CHECK(now == may);
    }
    return may;
  };
  // GPUs get 450 and 300 GB/s from their boxes. If each of the eight lacked one
  // tree of seven, trees would enter a box 8/7 times.
  CHECK(mayEnter("dgx-h100", 8, 50));
  CHECK(!mayEnter("dgx-a100", 7, 50));
  CHECK(mayEnter("dgx-a100", 48, 50. / 7));
  CHECK(!mayEnter("dgx-a100", 49, 50. / 7));
  CHECK(!mayEnter("dgx1", 33, 6.25));
  CHECK(mayEnter("dgx1", 24, 6.25));
}

TEST_CASE("an island falls into its ranks") {
  const RankTopology machine = rankTopologyOf(valueOf(generatePod(
      shippedTopology("dgx-h100"), 3, 1, {50, 2, LinkKind::network})));
  const Islands islands(machine, peers);
  REQUIRE(islands.count == 3);
  const Islands apart = islands.without(machine, 1);
  CHECK(apart.count == 10);
  std::set<int> alone;
  for (int rank = 0; rank < machine.numRanks(); ++rank) {
    const int own = apart.ofNode[machine.nodeOf(rank)];
    REQUIRE(own >= 0);
    REQUIRE(own < apart.count);
    if (rank / 8 == 1)
      CHECK(alone.insert(own).second);
    else
      CHECK(own == islands.ofNode[machine.nodeOf(rank)]);
  }
  // The island's switches belong to no rank.
  for (size_t node = 0; node < apart.ofNode.size(); ++node)
    if (islands.ofNode[node] == 1 &&
        machine.topology().nodes[node].kind != NodeKind::gpu)
      CHECK(apart.ofNode[node] == -1);
}

TEST_CASE("what islands refuse cannot be completed") {
  std::minstd_rand random(3);
  int taken = 0, refused = 0;
  for (int trial = 0; trial < 20; ++trial) {
    CAPTURE(trial);
    const RankTopology machine = randomPod(random);
    const Islands islands(machine, peers);
    REQUIRE(islands.divide());
    PackingProblem problem{&machine, Collective::broadcast, 0};
    const Topology &topology = machine.topology();
    const PathTable table =
        machine.cheapestPaths(std::vector<double>(topology.links.size(), 1));
    std::vector<int> room;
    for (const Link &link : topology.links)
      room.push_back(int(link.bandwidth / 5 + 0.5));
    const int trees = int(leastFlow(problem) / 5 + 0.5);
    Completion exact(problem, room, trees);
    IslandCompletion divided(problem, islands, room, trees);
    REQUIRE(exact.begin());
    REQUIRE(divided.begin());
    std::vector<std::vector<bool>> has(
        trees, std::vector<bool>(machine.numRanks(), false));
    for (std::vector<bool> &ranks : has)
      ranks[0] = true;
    for (int step = 0; step < 3000; ++step) {
      const int tree = int(random() % trees);
      const int from = int(random() % machine.numRanks());
      const int to = int(random() % machine.numRanks());
      const Path &path = table.path(from, to);
      if (!has[tree][from] || has[tree][to] || path.empty())
        continue;
      if (!exact.take(tree, to, path)) {
        ++refused;
        continue;
      }
      ++taken;
      has[tree][to] = true;
      CHECK(divided.take(tree, to, path));
      for (int link : path)
        CHECK(divided.room(link) == exact.room(link));
    }
  }
  CHECK(taken > 300);
  CHECK(refused > 100);
}

TEST_CASE("what islands may not have is given back whole") {
  // Two boxes of three GPUs in a row, joined by one link with room for one
  // tree.
  const RankTopology machine = podOf(2, 3, 1);
  const Islands islands(machine, peers);
  CHECK(islands.count == 2);
  PackingProblem problem{&machine, Collective::broadcast, 0};
  std::vector<int> room(machine.topology().links.size(), 1);
  const PathTable table = machine.cheapestPaths(
      std::vector<double>(machine.topology().links.size(), 1));
  IslandCompletion completion(problem, islands, room, 2);
  REQUIRE(completion.begin());
  // Each of the three links into the other box may bring one tree.
  REQUIRE(completion.take(0, 3, table.path(0, 3)));
  CHECK(!completion.take(1, 4, table.path(0, 4))); // its link out is in use
  for (int link : table.path(0, 4))
    CHECK(completion.room(link) == (link == table.path(0, 3).front() ? 0 : 1));
  // The refused path has left the links to GPU 4 free.
  REQUIRE(completion.take(1, 1, table.path(0, 1)));
  CHECK(completion.take(1, 4, table.path(1, 4)));
}
