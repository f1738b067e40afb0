//===- AllocationClassesTest.cpp --------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Allocations are in the same class if and only if a map turns one into the
// other, and the given maps do so. PartOracle decides both independently.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/symmetry/AllocationClasses.h"

#include "compiler/generate/Generate.h"
#include "compiler/topology/AllocationList.h"
#include "compiler/topology/DegradeLinks.h"
#include "compiler/topology/SingleFailures.h"
#include "compiler/topology/fabric/DrivableLinks.h"
#include "test/unit/topology/PartOracle.h"
#include "test/unit/topology/TestTopology.h"

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <tuple>
#include <utility>

using namespace blink;
using namespace blink::test;

namespace {

using Allocations = std::vector<std::vector<int>>;

LinkKindSet kindsOf(const char *words) {
  return valueOf(parseLinkKinds(words));
}

Allocations allocationsOf(const Topology &topology, const char *text = "all") {
  return valueOf(
      parseAllocations(text, static_cast<int>(topology.gpus().size())));
}

struct Classification {
  std::vector<AllocationClass> classes;
  std::vector<ClassifiedAllocation> allocations;
};

llvm::Expected<Classification> classifyAllocations(const Topology &topology,
                                                   LinkKindSet kinds,
                                                   Allocations allocations) {
  AllocationClassifier classifier(kinds);
  auto found = classifier.classify(topology, std::move(allocations));
  if (!found)
    return found.takeError();
  return Classification{classifier.classes(), std::move(*found)};
}

Classification classify(const Topology &topology, const char *kinds = "all",
                        const char *allocations = "all") {
  return valueOf(classifyAllocations(topology, kindsOf(kinds),
                                     allocationsOf(topology, allocations)));
}

/// Returns the class of an allocation.
int classOf(const Classification &all, const std::vector<int> &gpus) {
  for (const ClassifiedAllocation &allocation : all.allocations)
    if (allocation.gpus == gpus)
      return allocation.classIndex;
  FAIL("not classified");
  return -1;
}

bool isBefore(const std::vector<int> &a, const std::vector<int> &b) {
  return std::make_pair(a.size(), a) < std::make_pair(b.size(), b);
}

/// Oracles of one machine, made on first use.
class Oracles {
public:
  Oracles(const Topology &topology, LinkKindSet kinds)
      : topology_(topology), kinds_(kinds) {}
  const PartOracle &of(const std::vector<int> &gpus) {
    std::unique_ptr<PartOracle> &oracle = oracles_[gpus];
    if (!oracle)
      oracle = std::make_unique<PartOracle>(topology_, kinds_, gpus);
    return *oracle;
  }

private:
  const Topology &topology_;
  LinkKindSet kinds_;
  std::map<std::vector<int>, std::unique_ptr<PartOracle>> oracles_;
};

/// Checks the order, the representatives, and the map of every `stride`-th
/// allocation and of every representative.
void checkMaps(const Classification &all, Oracles &oracles, size_t stride = 1) {
  int known = 0;
  for (size_t i = 0; i < all.allocations.size(); ++i) {
    const ClassifiedAllocation &allocation = all.allocations[i];
    CAPTURE(allocation.gpus);
    CHECK(std::is_sorted(allocation.gpus.begin(), allocation.gpus.end()));
    if (i > 0)
      CHECK(isBefore(all.allocations[i - 1].gpus, allocation.gpus));
    // Classes are numbered in the order of their first allocations.
    REQUIRE(allocation.classIndex <= known);
    const AllocationClass &of = all.classes[allocation.classIndex];
    bool isFirst = allocation.classIndex == known;
    CHECK(isFirst == (of.gpus == allocation.gpus));
    known += isFirst;
    if (isFirst || i % stride == 0)
      CHECK(oracles.of(of.gpus).isEmbedding(allocation.map,
                                            oracles.of(allocation.gpus)));
    if (isFirst)
      for (size_t node = 0; node < allocation.map.size(); ++node)
        CHECK((allocation.map[node] == -1 ||
               allocation.map[node] == static_cast<int>(node)));
  }
  CHECK(known == static_cast<int>(all.classes.size()));
}

void checkSymmetries(const Classification &all, const Topology &topology,
                     Oracles &oracles) {
  std::vector<int> nodes = topology.gpus();
  for (const AllocationClass &of : all.classes) {
    CAPTURE(of.gpus);
    int n = static_cast<int>(of.gpus.size());
    REQUIRE(of.leastRank.size() == of.gpus.size());
    REQUIRE(of.symmetryTo.size() == of.gpus.size());
    const PartOracle &oracle = oracles.of(of.gpus);
    for (int rank = 0; rank < n; ++rank) {
      int least = of.leastRank[rank];
      CAPTURE(rank);
      REQUIRE(least <= rank);
      CHECK(of.leastRank[least] == least);
      const NodeMap &map = of.symmetryTo[rank];
      CHECK(oracle.isEmbedding(map, oracle));
      CHECK(map[nodes[of.gpus[least]]] == nodes[of.gpus[rank]]);
      if (least == rank)
        for (size_t node = 0; node < map.size(); ++node)
          CHECK((map[node] == -1 || map[node] == static_cast<int>(node)));
      // No smaller rank is equivalent.
      for (int other = 0; other < least; ++other)
        CHECK(!oracle.isAlike(oracle, other, rank));
    }
  }
}

/// Checks that no two classes are alike. Together with checkMaps: a class holds
/// exactly the allocations that are alike.
void checkDistinct(const Classification &all, Oracles &oracles) {
  for (size_t a = 0; a < all.classes.size(); ++a)
    for (size_t b = 0; b < a; ++b) {
      const std::vector<int> &x = all.classes[a].gpus, &y = all.classes[b].gpus;
      CAPTURE(x);
      CAPTURE(y);
      CHECK(!oracles.of(x).isAlike(oracles.of(y)));
    }
}

/// Makes all checks; for small machines.
Classification checkAll(const Topology &topology, const char *kinds = "all",
                        const char *allocations = "all") {
  CAPTURE(topology.name);
  CAPTURE(kinds);
  Classification all = classify(topology, kinds, allocations);
  Oracles oracles(topology, kindsOf(kinds));
  checkMaps(all, oracles);
  checkSymmetries(all, topology, oracles);
  checkDistinct(all, oracles);
  return all;
}

/// Returns a machine of up to six GPUs and three relays of any kinds, so
/// regular that allocations are often alike.
Topology randomMachine(unsigned seed, bool directed) {
  std::mt19937 random(seed);
  auto below = [&](unsigned end) { return static_cast<int>(random() % end); };
  Topology machine;
  machine.name = "random";
  int numGpus = 3 + below(4), numRelays = below(4);
  for (int gpu = 0; gpu < numGpus; ++gpu)
    machine.nodes.push_back({"gpu" + std::to_string(gpu), NodeKind::gpu});
  for (int relay = 0; relay < numRelays; ++relay) {
    NodeKind kinds[] = {NodeKind::switch_, NodeKind::switch_, NodeKind::cpu,
                        NodeKind::nic};
    Node node{"relay" + std::to_string(relay), kinds[below(4)]};
    node.multicast = node.kind == NodeKind::switch_ && below(3) == 0;
    machine.nodes.push_back(node);
  }
  std::shuffle(machine.nodes.begin(), machine.nodes.end(), random);
  int n = numGpus + numRelays;
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < a; ++b)
      for (LinkKind kind : {LinkKind::nvlink, LinkKind::pcie}) {
        if (below(3) != 0)
          continue;
        double bandwidth = below(4) == 0 ? 20 : 10;
        bool there = !directed || below(3) != 0, back = !there || below(3) != 0;
        if (there)
          machine.links.push_back({a, b, bandwidth, 1, kind});
        if (!directed || back)
          machine.links.push_back({b, a, bandwidth, 1, kind});
      }
  return machine;
}

} // namespace

TEST_CASE("the 247 allocations of a DGX-1V are 56 classes by NVLink") {
  Classification all = checkAll(shippedTopology("dgx1"), "nvlink");
  CHECK(all.allocations.size() == 247);
  CHECK(all.classes.size() == 56);
  // The number of connected classes of three and more GPUs, as published: 46.
  std::vector<int> connected(9, 0);
  for (const AllocationClass &of : all.classes) {
    RankTopology rankTopology =
        rankTopologyOf(shippedTopology("dgx1"), of.gpus, kindsOf("nvlink"));
    connected[of.gpus.size()] +=
        rankTopology.stronglyConnectedRanks().size() == 1;
  }
  CHECK(connected == std::vector<int>{0, 0, 2, 5, 14, 14, 10, 2, 1});
}

TEST_CASE("those of a DGX-1P are 19, of which 14 as published") {
  Classification all = checkAll(shippedTopology("dgx1p"), "nvlink");
  CHECK(all.classes.size() == 19);
  std::vector<int> connected(9, 0);
  for (const AllocationClass &of : all.classes) {
    RankTopology rankTopology =
        rankTopologyOf(shippedTopology("dgx1p"), of.gpus, kindsOf("nvlink"));
    connected[of.gpus.size()] +=
        rankTopology.stronglyConnectedRanks().size() == 1;
  }
  CHECK(connected == std::vector<int>{0, 0, 1, 2, 4, 3, 3, 1, 1});
}

TEST_CASE("the PCIe tree of a DGX-1 counts where it is used, and only there") {
  Classification all = checkAll(shippedTopology("dgx1"));
  CHECK(all.classes.size() == 68);
  // Pairs on one PCIe switch, with one NVLink and with two.
  CHECK(classOf(all, {0, 1}) == classOf(all, {4, 5}));
  CHECK(classOf(all, {2, 3}) == classOf(all, {6, 7}));
  CHECK(classOf(all, {0, 1}) != classOf(all, {6, 7}));
  // The other half of the machine does not belong to a pair's part.
  const ClassifiedAllocation &pair = all.allocations.front();
  REQUIRE(pair.gpus == std::vector<int>{0, 1});
  Topology topology = shippedTopology("dgx1");
  std::set<int> part;
  for (int node : pair.map)
    part.insert(node);
  CHECK(part == std::set<int>{-1, nodeNamed(topology, "gpu0"),
                              nodeNamed(topology, "gpu1"),
                              nodeNamed(topology, "plx0"),
                              nodeNamed(topology, "cpu0")});
  // If every pair has a single link, {0,1} and {6,7} are alike.
  Classification pascal = checkAll(shippedTopology("dgx1p"));
  CHECK(pascal.classes.size() == 31);
  CHECK(classOf(pascal, {0, 1}) == classOf(pascal, {6, 7}));
}

TEST_CASE("eight GPUs on PCIe alone, peers and staged") {
  Classification all = checkAll(shippedTopology("pcie-8gpu"));
  CHECK(all.classes.size() == 19);
  CHECK(classOf(all, {0, 2}) == classOf(all, {1, 3}));
  CHECK(classOf(all, {0, 2}) != classOf(all, {0, 4})); // across the sockets
  checkAll(shippedTopology("pcie-8gpu"), "pcie");
}

TEST_CASE("GPUs on one switch have one class a size and one orbit") {
  for (const char *name : {"dgx-h100", "dgx-a100"}) {
    Classification all = checkAll(shippedTopology(name));
    CHECK(all.classes.size() == 7);
    for (const AllocationClass &of : all.classes)
      CHECK(of.leastRank == std::vector<int>(of.gpus.size(), 0));
  }
  CHECK(checkAll(shippedTopology("a100-nv4")).classes.size() == 3);
  Topology dgx2 = shippedTopology("dgx2");
  Classification all = classify(dgx2);
  CHECK(all.allocations.size() == 65519);
  CHECK(all.classes.size() == 15);
  Oracles oracles(dgx2, LinkKindSet::all());
  checkMaps(all, oracles, 2999);
  for (const AllocationClass &of : all.classes)
    CHECK(of.leastRank == std::vector<int>(of.gpus.size(), 0));
}

TEST_CASE("sixteen dies of an MI250") {
  Topology mi250 = shippedTopology("mi250");
  checkAll(mi250, "all", "2-3");
  checkAll(mi250, "all", "15-16");
  Oracles oracles(mi250, LinkKindSet::all());
  Classification some = classify(mi250, "all", "4-5");
  checkMaps(some, oracles, 17);
  checkSymmetries(some, mi250, oracles);
}

TEST_CASE("boxes of a pod, rails and NICs") {
  Wire nic{25, 2, LinkKind::network};
  Topology h100 = valueOf(generatePod(shippedTopology("dgx-h100"), 2, 4, nic));
  Classification all = checkAll(h100, "all", "2-3");
  // The same box or not, the same rail or not.
  CHECK(classOf(all, {0, 4}) == classOf(all, {8, 12}));
  CHECK(classOf(all, {0, 4}) != classOf(all, {0, 1}));
  CHECK(classOf(all, {0, 8}) == classOf(all, {3, 15}));
  CHECK(classOf(all, {0, 8}) != classOf(all, {0, 9}));
  Topology quad = valueOf(generatePod(shippedTopology("a100-nv4"), 2, 2, nic));
  checkAll(quad);
}

TEST_CASE("the same graph under two names has as many classes") {
  // The 4 by 4 torus is the hypercube of dimension 4.
  Topology torus = valueOf(generateTorus({4, 4}, Wire()));
  Topology cube = valueOf(generateHypercube(4, Wire()));
  Oracles oracles(cube, LinkKindSet::all());
  // Some sets of twelve GPUs of the cube mislead the search at first.
  for (const char *sizes : {"8-8", "12-12"}) {
    Classification inCube = classify(cube, "all", sizes);
    CHECK(inCube.classes.size() ==
          classify(torus, "all", sizes).classes.size());
    checkMaps(inCube, oracles, 97);
    checkDistinct(inCube, oracles);
  }
  checkAll(valueOf(generateHypercube(3, Wire())));
  checkAll(valueOf(generateRing(7, Wire())));
  checkAll(valueOf(generateMesh({2, 3}, Wire())));
  checkAll(valueOf(generateFullyConnected(6, Wire())));
  checkAll(valueOf(generateBCube(2, 1, Wire())));
  checkAll(valueOf(generateFatTree(2, 1, Wire())));
}

TEST_CASE("random machines against trying every map") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    Topology machine = randomMachine(seed, false);
    checkAll(machine, "all", "all");
    checkAll(machine, seed % 2 ? "nvlink" : "pcie", "all");
  }
}

TEST_CASE("random machines with links of one direction") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    checkAll(randomMachine(seed, true));
  }
}

TEST_CASE("the order and the names in a request do not matter") {
  Topology topology = shippedTopology("dgx1");
  Allocations allocations = allocationsOf(topology);
  Classification all =
      valueOf(classifyAllocations(topology, LinkKindSet::all(), allocations));
  std::mt19937 random(7);
  for (std::vector<int> &gpus : allocations)
    std::shuffle(gpus.begin(), gpus.end(), random);
  std::shuffle(allocations.begin(), allocations.end(), random);
  Classification again =
      valueOf(classifyAllocations(topology, LinkKindSet::all(), allocations));
  REQUIRE(again.classes.size() == all.classes.size());
  for (size_t i = 0; i < all.classes.size(); ++i) {
    CHECK(all.classes[i].gpus == again.classes[i].gpus);
    CHECK(all.classes[i].leastRank == again.classes[i].leastRank);
    CHECK(all.classes[i].symmetryTo == again.classes[i].symmetryTo);
  }
  REQUIRE(again.allocations.size() == all.allocations.size());
  for (size_t i = 0; i < all.allocations.size(); ++i) {
    CHECK(all.allocations[i].gpus == again.allocations[i].gpus);
    CHECK(all.allocations[i].classIndex == again.allocations[i].classIndex);
    CHECK(all.allocations[i].map == again.allocations[i].map);
  }
}

TEST_CASE("the representative is the least of what was asked for") {
  Classification all =
      classify(shippedTopology("dgx1"), "nvlink", "5,6/4,5/6,7/0,3/2,3");
  REQUIRE(all.classes.size() == 2);
  CHECK(all.classes[0].gpus == std::vector<int>{0, 3});
  CHECK(all.classes[1].gpus == std::vector<int>{4, 5});
  CHECK(classOf(all, {6, 7}) == 0);
}

TEST_CASE("single GPUs are alike wherever they are") {
  Topology topology = shippedTopology("dgx1");
  Classification all = checkAll(topology, "all", "1-1");
  CHECK(all.allocations.size() == 8);
  REQUIRE(all.classes.size() == 1);
  CHECK(all.classes[0].leastRank == std::vector<int>{0});
  // Only the GPU itself belongs to the part.
  const NodeMap &map = all.allocations[5].map;
  CHECK(map[nodeNamed(topology, "gpu0")] == nodeNamed(topology, "gpu5"));
  CHECK(std::count(map.begin(), map.end(), -1) ==
        static_cast<long>(map.size()) - 1);
}

TEST_CASE("GPUs with nothing between them are classified too") {
  Classification all = checkAll(shippedTopology("dgx1"), "nvlink", "2-2");
  CHECK(all.classes.size() == 3); // two links, one, none
  CHECK(classOf(all, {0, 5}) == classOf(all, {3, 6}));
  CHECK(checkAll(shippedTopology("dgx1"), "network").classes.size() == 7);
}

TEST_CASE("links that no path may use make two pairs differ") {
  // gpu0 and gpu1 are joined by NVLink, gpu2 and gpu3 are not. With PCIe only,
  // the former reach each other only over the CPU.
  const char *nodes =
      R"({"id": "gpu0", "kind": "gpu"}, {"id": "gpu1", "kind": "gpu"},
         {"id": "gpu2", "kind": "gpu"}, {"id": "gpu3", "kind": "gpu"},
         {"id": "plx0", "kind": "switch"}, {"id": "plx1", "kind": "switch"},
         {"id": "cpu0", "kind": "cpu"})";
  std::string links =
      R"({"from": "gpu0", "to": "gpu1", "bandwidth": 20},
         {"from": "gpu0", "to": "plx0", "bandwidth": 10, "kind": "pcie"},
         {"from": "gpu1", "to": "plx0", "bandwidth": 10, "kind": "pcie"},
         {"from": "gpu2", "to": "plx1", "bandwidth": 10, "kind": "pcie"},
         {"from": "gpu3", "to": "plx1", "bandwidth": 10, "kind": "pcie"})";
  std::string cpu =
      R"(,{"from": "plx0", "to": "cpu0", "bandwidth": 10, "kind": "pcie"},
          {"from": "plx1", "to": "cpu0", "bandwidth": 10, "kind": "pcie"})";
  Topology withCpu = makeTopology(nodes, links + cpu);
  Classification all = checkAll(withCpu, "pcie");
  CHECK(classOf(all, {0, 1}) != classOf(all, {2, 3}));
  CHECK(classOf(all, {0, 2}) == classOf(all, {1, 3}));
  // In a common part both pairs have the same links, but they are not
  // interchangeable.
  CHECK(all.classes.back().gpus == std::vector<int>{0, 1, 2, 3});
  CHECK(all.classes.back().leastRank == std::vector<int>{0, 0, 2, 2});
  // Without a CPU, the first pair has no path at all.
  Classification without = checkAll(makeTopology(nodes, links), "pcie");
  CHECK(classOf(without, {0, 1}) == classOf(without, {0, 2}));
  CHECK(classOf(without, {0, 1}) != classOf(without, {2, 3}));
}

TEST_CASE("what a relay can do and what a link is make a difference") {
  Topology topology;
  topology.name = "pairs";
  auto addPair = [&](Node relay, double bandwidth, double latency,
                     LinkKind kind) {
    int first = static_cast<int>(topology.nodes.size());
    std::string name = std::to_string(first);
    topology.nodes.push_back({"a" + name, NodeKind::gpu});
    topology.nodes.push_back({"b" + name, NodeKind::gpu});
    relay.id = "r" + name;
    topology.nodes.push_back(relay);
    for (int gpu : {first, first + 1}) {
      topology.links.push_back({gpu, first + 2, bandwidth, latency, kind});
      topology.links.push_back({first + 2, gpu, bandwidth, latency, kind});
    }
  };
  Node plain{"", NodeKind::switch_}, multicast = plain, reduce = plain;
  multicast.multicast = true;
  reduce.reduce = true;
  addPair(plain, 10, 1, LinkKind::pcie);
  addPair(multicast, 10, 1, LinkKind::pcie);
  addPair(reduce, 10, 1, LinkKind::pcie);
  addPair({"", NodeKind::cpu}, 10, 1, LinkKind::pcie);
  addPair({"", NodeKind::nic}, 10, 1, LinkKind::pcie);
  addPair(plain, 11, 1, LinkKind::pcie);
  addPair(plain, 10, 2, LinkKind::pcie);
  addPair(plain, 10, 1, LinkKind::nvlink);
  addPair(plain, 10, 1, LinkKind::pcie); // like the first
  Classification all =
      checkAll(topology, "all", "0,1/2,3/4,5/6,7/8,9/10,11/12,13/14,15/16,17");
  CHECK(all.classes.size() == 8);
  CHECK(classOf(all, {0, 1}) == classOf(all, {16, 17}));
}

TEST_CASE("many equal pieces do not make the search long") {
  // 24 squares of GPUs without links between them, and 16 hexagons: at first,
  // refinement cannot tell any of them apart.
  Topology pieces;
  pieces.name = "pieces";
  auto addCycle = [&](int length) {
    int first = static_cast<int>(pieces.nodes.size());
    for (int i = 0; i < length; ++i) {
      pieces.nodes.push_back(
          {"gpu" + std::to_string(first + i), NodeKind::gpu});
      for (int side : {1, length - 1})
        pieces.links.push_back(
            {first + i, first + (i + side) % length, 25, 1, LinkKind::nvlink});
    }
  };
  for (int i = 0; i < 24; ++i)
    addCycle(4);
  for (int i = 0; i < 32; ++i)
    addCycle(6);
  auto range = [](int begin, int end) {
    std::vector<int> gpus;
    for (int gpu = begin; gpu < end; ++gpu)
      gpus.push_back(gpu);
    return gpus;
  };
  Classification all = valueOf(
      classifyAllocations(pieces, LinkKindSet::all(),
                          {range(0, 96), range(96, 192), range(192, 288)}));
  REQUIRE(all.classes.size() == 2);
  CHECK(all.allocations[1].classIndex == all.allocations[2].classIndex);
  for (const AllocationClass &of : all.classes)
    CHECK(of.leastRank == std::vector<int>(96, 0));

  // Mixtures that differ late in the search. The search may give up and make
  // too many classes, but it must end, and a class must contain equal mixtures
  // only.
  Allocations mixtures;
  for (int squares = 0; squares <= 24; squares += 3) {
    std::vector<int> gpus = range(0, 4 * squares);
    for (int gpu : range(96, 96 + 96 - 4 * squares))
      gpus.push_back(gpu);
    mixtures.push_back(gpus);
  }
  CHECK(valueOf(classifyAllocations(pieces, LinkKindSet::all(), mixtures))
            .classes.size() == mixtures.size());
}

TEST_CASE("links between two GPUs are those on paths between them") {
  for (const char *name : {"dgx1", "pcie-8gpu", "a100-nv4", "dgx-h100"})
    for (const char *kinds : {"all", "nvlink", "pcie", "pcie,host"}) {
      CAPTURE(name);
      CAPTURE(kinds);
      RankTopology machine =
          rankTopologyOf(shippedTopology(name), {}, kindsOf(kinds));
      PartOracle oracle(machine.topology(), kindsOf(kinds), machine.gpus());
      DrivableLinks links(machine);
      for (int from = 0; from < machine.numRanks(); ++from)
        for (int to = 0; to < machine.numRanks(); ++to) {
          if (from == to)
            continue;
          const std::vector<int> &found = links.between(from, to);
          CHECK(std::set<int>(found.begin(), found.end()) ==
                oracle.linksBetween(from, to));
        }
    }
}

TEST_CASE("a ring of relays that hangs on one of them is no part of a path") {
  // gpu0 and gpu1 are on cpu0. plx0, plx1 and cpu1 form a ring with cpu0; plx2
  // and plx3 form one with cpu1.
  Topology topology = makeTopology(
      R"({"id": "gpu0", "kind": "gpu"}, {"id": "gpu1", "kind": "gpu"},
         {"id": "cpu0", "kind": "cpu"}, {"id": "cpu1", "kind": "cpu"},
         {"id": "plx0", "kind": "switch"}, {"id": "plx1", "kind": "switch"},
         {"id": "plx2", "kind": "switch"}, {"id": "plx3", "kind": "switch"})",
      R"({"from": "gpu0", "to": "cpu0", "bandwidth": 10, "kind": "pcie"},
         {"from": "gpu1", "to": "cpu0", "bandwidth": 10, "kind": "pcie"},
         {"from": "cpu0", "to": "plx0", "bandwidth": 10, "kind": "pcie"},
         {"from": "plx0", "to": "cpu1", "bandwidth": 10, "kind": "pcie"},
         {"from": "cpu1", "to": "plx1", "bandwidth": 10, "kind": "pcie"},
         {"from": "plx1", "to": "cpu0", "bandwidth": 10, "kind": "pcie"},
         {"from": "cpu1", "to": "plx2", "bandwidth": 10, "kind": "pcie"},
         {"from": "plx2", "to": "plx3", "bandwidth": 10, "kind": "pcie"},
         {"from": "plx3", "to": "cpu1", "bandwidth": 10, "kind": "pcie"})");
  RankTopology machine = rankTopologyOf(topology);
  DrivableLinks links(machine);
  CHECK(links.between(0, 1) ==
        std::vector<int>{linkBetween(topology, "gpu0", "cpu0"),
                         linkBetween(topology, "cpu0", "gpu1")});
}

TEST_CASE("more GPUs than lists of links are kept for") {
  int gpus = DrivableLinks::kMostKept + 4;
  Topology ring = valueOf(generateRing(gpus, Wire()));
  Classification all = valueOf(classifyAllocations(
      ring, LinkKindSet::all(),
      {{0, 1, 2}, {0, gpus - 1, gpus - 2}, {5, 6, 8}, {9, 11, 12}}));
  CHECK(all.classes.size() == 2);
}

TEST_CASE("requests that make no sense") {
  Topology topology = shippedTopology("dgx1");
  auto refusal = [&](Allocations allocations) {
    return textOf(classifyAllocations(topology, LinkKindSet::all(), allocations)
                      .takeError());
  };
  CHECK(refusal({{0, 1}, {}}) ==
        "an allocation without a GPU; name at least one");
  CHECK(refusal({{0, 1}, {3, 8}}) ==
        "allocation {3,8}: GPU 8 does not exist: 'dgx1' has GPUs 0 to 7");
  CHECK(refusal({{2, -1}}) ==
        "allocation {-1,2}: GPU -1 does not exist: 'dgx1' has GPUs 0 to 7");
  CHECK(refusal({{4, 2, 4}}) == "allocation {2,4,4}: GPU 4 is listed twice; "
                                "each rank needs its own GPU");
  CHECK(refusal({{0, 1}, {2, 3}, {1, 0}}) ==
        "allocation {0,1} is listed twice; list each once");
  CHECK(classify(topology).classes.size() > 0);
  CHECK(valueOf(classifyAllocations(topology, LinkKindSet::all(), {}))
            .classes.empty());
  Topology broken = topology;
  broken.links[0].bandwidth = -1;
  CHECK(!textOf(classifyAllocations(broken, LinkKindSet::all(), {{0, 1}})
                    .takeError())
             .empty());
}

namespace {

/// Returns a machine without the links between two nodes.
Topology without(Topology topology, NodePair failed) {
  removeLinks(topology, failed.first, failed.second);
  return topology;
}

bool isBijective(const NodeMap &map) {
  std::set<int> images;
  for (int image : map)
    if (image >= 0 && !images.insert(image).second)
      return false;
  return true;
}

/// Returns true if `map` maps the links of all kinds among mapped nodes of one
/// machine to those of another.
bool carries(const Topology &from, const Topology &onto, const NodeMap &map) {
  using Wire = std::tuple<int, int, LinkKind, double, double>;
  std::set<Wire> carried, there;
  std::set<int> images(map.begin(), map.end());
  for (const Link &link : from.links)
    if (map[link.from] >= 0 && map[link.to] >= 0)
      carried.emplace(map[link.from], map[link.to], link.kind, link.bandwidth,
                      link.latency);
  for (const Link &link : onto.links)
    if (images.count(link.from) && images.count(link.to))
      there.emplace(link.from, link.to, link.kind, link.bandwidth,
                    link.latency);
  return carried == there;
}

} // namespace

TEST_CASE("failures of a DGX-1 fall into the classes that are known") {
  // With NVLink only, 16 links fail in 6 ways, as an earlier SingleFailures
  // found by trying all renamings. The 29 pairs of nodes with links of any kind
  // fail in 11 ways.
  const Topology dgx1 = shippedTopology("dgx1");
  const std::vector<int> all = {0, 1, 2, 3, 4, 5, 6, 7};
  for (auto [kinds, numFailures, numClasses] :
       {std::tuple("nvlink", 16, 6), std::tuple("all", 29, 11)}) {
    AllocationClassifier classifier(kindsOf(kinds));
    const auto whole = valueOf(classifier.classify(dgx1, {all}));
    CHECK(whole.front().classIndex == 0);
    const auto pairs =
        valueOf(pairsThatMatter(dgx1, kindsOf(kinds), {all})).front();
    CHECK(int(pairs.size()) == numFailures);
    std::vector<Topology> machines = {dgx1};
    for (NodePair pair : pairs) {
      machines.push_back(without(dgx1, pair));
      const auto found = valueOf(classifier.classify(machines.back(), {all}));
      REQUIRE(found.size() == 1);
      CHECK(found[0].gpus == all);
      CHECK(found[0].classIndex > 0);
      CHECK(isBijective(found[0].map));
      // The map leads from the representative's machine to this one.
      const AllocationClass &one = classifier.classes()[found[0].classIndex];
      CHECK(one.machine <= int(machines.size()) - 1);
      if (std::string(kinds) == "all")
        CHECK(carries(machines[one.machine], machines.back(), found[0].map));
    }
    CHECK(int(classifier.classes().size()) == 1 + numClasses);
    CHECK(classifier.classes()[0].machine == 0);
  }
}

TEST_CASE("an allocation of a failed machine can be like one of the whole") {
  const Topology dgx1 = shippedTopology("dgx1");
  const auto node = [&](const char *id) { return nodeNamed(dgx1, id); };
  AllocationClassifier classifier(kindsOf("all"));
  const auto whole =
      valueOf(classifier.classify(dgx1, {{0, 1}, {0, 4}, {0, 5}, {1, 5}}));
  const size_t before = classifier.classes().size();
  // 0,4 lose their only NVLink and keep PCIe across both sockets, as 0,5 always
  // had.
  const auto failed = valueOf(classifier.classify(
      without(dgx1, {node("gpu0"), node("gpu4")}), {{0, 4}}));
  CHECK(failed[0].classIndex == whole[2].classIndex);
  CHECK(classifier.classes().size() == before);
  CHECK(failed[0].map[node("gpu0")] >= 0);
  // A machine without allocations counts as a machine, too.
  CHECK(valueOf(classifier.classify(dgx1, {})).empty());
  const auto last = valueOf(classifier.classify(
      without(dgx1, {node("gpu0"), node("gpu1")}), {{0, 1}}));
  REQUIRE(last[0].classIndex == int(before));
  CHECK(classifier.classes().back().machine == 3);
}

TEST_CASE("kinds of wire that only one machine has are not taken for others") {
  // Without a:b, the only link of 3 GB/s, a link of 5 GB/s must not be encoded
  // as 3 GB/s was.
  const Topology whole = makeTopology(
      R"({"id": "a", "kind": "gpu"}, {"id": "b", "kind": "gpu"},
         {"id": "c", "kind": "gpu"}, {"id": "d", "kind": "gpu"})",
      R"({"from": "a", "to": "b", "bandwidth": 3, "kind": "nvlink"},
         {"from": "c", "to": "d", "bandwidth": 5, "kind": "nvlink"})");
  AllocationClassifier classifier(kindsOf("all"));
  const auto pairs = valueOf(classifier.classify(whole, {{0, 1}, {2, 3}}));
  CHECK(pairs[0].classIndex != pairs[1].classIndex);
  const auto left =
      valueOf(classifier.classify(without(whole, {0, 1}), {{0, 1}, {2, 3}}));
  CHECK(left[1].classIndex == pairs[1].classIndex);
  CHECK(left[0].classIndex == 2);
  // Rates that the first machine did not have are distinguished from those that
  // it had.
  Topology other = whole;
  for (Link &link : other.links)
    link.bandwidth += 2;
  const auto later = valueOf(classifier.classify(other, {{0, 1}, {2, 3}}));
  CHECK(later[0].classIndex == pairs[1].classIndex);
  CHECK(later[1].classIndex == 3);
}
