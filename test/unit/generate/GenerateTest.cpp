//===- GenerateTest.cpp -----------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Generated topologies have the sizes, degrees and distances of their families,
// and do not change when they are written and read.
//
//===----------------------------------------------------------------------===//

#include "compiler/generate/Generate.h"

#include "compiler/topology/TopologyWriter.h"
#include "test/unit/topology/TestTopology.h"

#include <algorithm>
#include <map>
#include <set>

using namespace blink;
using namespace blink::test;

namespace {

const Wire kNetwork{12.5, 2, LinkKind::network};

int countOf(const Topology &topology, NodeKind kind) {
  return static_cast<int>(
      std::count_if(topology.nodes.begin(), topology.nodes.end(),
                    [&](const Node &node) { return node.kind == kind; }));
}

/// Returns the number of links that leave each GPU.
std::multiset<int> degreesOf(const Topology &topology) {
  std::map<int, int> degrees;
  for (int gpu : topology.gpus())
    degrees[gpu] = 0;
  for (const Link &link : topology.links)
    if (degrees.count(link.from))
      ++degrees[link.from];
  std::multiset<int> result;
  for (auto [gpu, degree] : degrees)
    result.insert(degree);
  return result;
}

/// Returns the largest distance in links between two nodes; any node may
/// forward.
int diameterOf(const Topology &topology) {
  int nodes = static_cast<int>(topology.nodes.size()), diameter = 0;
  for (int source : topology.gpus()) {
    std::vector<int> hops(nodes, -1), queue{source};
    hops[source] = 0;
    for (size_t at = 0; at < queue.size(); ++at)
      for (const Link &link : topology.links)
        if (link.from == queue[at] && hops[link.to] < 0) {
          hops[link.to] = hops[queue[at]] + 1;
          queue.push_back(link.to);
        }
    for (int gpu : topology.gpus()) {
      CHECK(hops[gpu] >= 0);
      diameter = std::max(diameter, hops[gpu]);
    }
  }
  return diameter;
}

std::multiset<int> all(int count, int degree) {
  std::multiset<int> result;
  for (int i = 0; i < count; ++i)
    result.insert(degree);
  return result;
}

} // namespace

TEST_CASE("direct networks") {
  Topology torus = valueOf(generateTorus({4, 6}, Wire()));
  CHECK(torus.gpus().size() == 24);
  CHECK(degreesOf(torus) == all(24, 4));
  CHECK(diameterOf(torus) == 2 + 3);
  // In a dimension of two GPUs, each GPU has one neighbour.
  CHECK(degreesOf(valueOf(generateTorus({2, 5}, Wire()))) == all(10, 3));
  CHECK(degreesOf(valueOf(generateTorus({1, 5}, Wire()))) == all(5, 2));

  Topology mesh = valueOf(generateMesh({3, 3}, Wire()));
  CHECK(degreesOf(mesh) == std::multiset<int>{2, 2, 2, 2, 3, 3, 3, 3, 4});
  CHECK(diameterOf(mesh) == 4);

  Topology cube = valueOf(generateHypercube(5, Wire()));
  CHECK(degreesOf(cube) == all(32, 5));
  CHECK(diameterOf(cube) == 5);
  CHECK(valueOf(generateHypercube(0, Wire())).links.empty());

  CHECK(diameterOf(valueOf(generateRing(9, Wire()))) == 4);
  CHECK(degreesOf(valueOf(generateRing(2, Wire()))) == all(2, 1));
  CHECK(degreesOf(valueOf(generateFullyConnected(7, Wire()))) == all(7, 6));
}

TEST_CASE("switched networks") {
  Topology tree = valueOf(generateFatTree(4, 2, kNetwork));
  CHECK(tree.gpus().size() == 16);
  CHECK(countOf(tree, NodeKind::nic) == 4 + 8 + 8);
  CHECK(degreesOf(tree) == all(16, 1));
  CHECK(diameterOf(tree) == 6);
  double core = 0;
  for (const Link &link : tree.links)
    core += tree.nodes[link.to].id.rfind("core", 0) == 0 ? link.bandwidth : 0;
  CHECK(core == doctest::Approx(16 * 12.5 / 2));

  Topology cube = valueOf(generateBCube(4, 1, kNetwork));
  CHECK(cube.gpus().size() == 16);
  CHECK(countOf(cube, NodeKind::nic) == 8);
  CHECK(degreesOf(cube) == all(16, 2));
  CHECK(diameterOf(cube) == 4);

  // If the wires are not a network, they meet in switches.
  Topology fly = valueOf(generateDragonfly(5, 4, 2, 50, Wire()));
  CHECK(fly.gpus().size() == 40);
  CHECK(countOf(fly, NodeKind::switch_) == 20);
  CHECK(diameterOf(fly) == 5);
  // Each two groups are joined once, and no router has two links more than
  // another.
  std::map<int, int> global;
  for (const Link &link : fly.links)
    if (link.bandwidth == 50)
      ++global[link.from];
  int links = 0;
  for (auto [router, count] : global) {
    CHECK(count == 1);
    links += count;
  }
  CHECK(links == 5 * 4);
}

TEST_CASE("pods repeat a machine") {
  Topology machine = shippedTopology("dgx1");
  Topology pod = valueOf(generatePod(machine, 3, 4, kNetwork));
  CHECK(pod.nodes.size() == 3 * machine.nodes.size() + 4);
  CHECK(pod.gpus().size() == 24);
  CHECK(pod.links.size() == 3 * machine.links.size() + 2 * 24);
  RankTopology rankTopology = rankTopologyOf(pod);
  for (int gpu : {1, 2, 3, 4, 5, 6, 7}) {
    // Within a box as before, between boxes over the network.
    CHECK(rankTopology.peerJoined(0, gpu) ==
          rankTopologyOf(machine).peerJoined(0, gpu));
    CHECK(!rankTopology.peerJoined(0, 8 + gpu));
  }
  PathTable paths =
      rankTopology.cheapestPaths(std::vector<double>(pod.links.size(), 1));
  CHECK(valueOf(rankTopology.classify(0, 8, paths.path(0, 8))) ==
        ChannelKind::network);
  CHECK(paths.path(0, 8).size() == 2);
  CHECK(paths.path(0, 9).empty()); // another rail: only over a GPU
}

TEST_CASE("random graphs are connected and the same for a seed") {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    bool directed = seed % 2;
    Topology graph = valueOf(generateRandom(5, 3, 14, seed, directed, Wire()));
    CHECK(graph.links.size() == (directed ? 14 : 28));
    diameterOf(graph); // checks that every GPU is reached
    CHECK(graph.fingerprint() ==
          valueOf(generateRandom(5, 3, 14, seed, directed, Wire()))
              .fingerprint());
  }
  // A fixed example: the graph must not depend on the compiler or the library.
  Topology graph = valueOf(generateRandom(3, 0, 2, 1, false, Wire()));
  CHECK(graph.links.size() == 4);
}

TEST_CASE("what is written can be read") {
  for (const Topology &topology :
       {shippedTopology("dgx1"), shippedTopology("dgx-h100"),
        shippedTopology("mi250"), valueOf(generateTorus({3, 4}, Wire())),
        valueOf(generateRandom(6, 2, 20, 4, true, {1.0 / 3, 0.1, {}})),
        valueOf(generatePod(shippedTopology("dgx-a100"), 2, 2, kNetwork))}) {
    std::string text = writeTopology(topology, "a comment");
    Topology read = valueOf(parseTopology(text, "test.topo"));
    CHECK(read.name == topology.name);
    CHECK(read.description == topology.description);
    REQUIRE(read.nodes.size() == topology.nodes.size());
    for (size_t i = 0; i < read.nodes.size(); ++i) {
      CHECK(read.nodes[i].id == topology.nodes[i].id);
      CHECK(read.nodes[i].kind == topology.nodes[i].kind);
      CHECK(read.nodes[i].multicast == topology.nodes[i].multicast);
      CHECK(read.nodes[i].reduce == topology.nodes[i].reduce);
    }
    auto keyed = [](const Topology &t) {
      std::map<std::tuple<int, int, LinkKind>, std::pair<double, double>> map;
      for (const Link &link : t.links)
        map[{link.from, link.to, link.kind}] = {link.bandwidth, link.latency};
      return map;
    };
    CHECK(keyed(read) == keyed(topology));
    CHECK(writeTopology(read, "a comment") == text);
  }
}

TEST_CASE("names with quotes and backslashes survive") {
  Topology machine = valueOf(generateRing(2, Wire()));
  machine.name = "a \"b\" \\ c";
  machine.nodes[0].id = "x\"y\\";
  Topology read = valueOf(parseTopology(writeTopology(machine, ""), "t"));
  CHECK(read.name == machine.name);
  CHECK(read.nodes[0].id == machine.nodes[0].id);
}

TEST_CASE("sizes out of range are refused with the range") {
  auto says = [](llvm::Expected<Topology> result, const char *part) {
    std::string text = textOf(result.takeError());
    CAPTURE(text);
    CHECK(text.find(part) != std::string::npos);
  };
  says(generateTorus({0, 4}, Wire()), "expected sizes of 1 and more");
  says(generateTorus({}, Wire()), "as in 8x8");
  says(generateTorus({65536, 65536}, Wire()), "expected 1 to 16384");
  says(generateRing(0, Wire()), "0 GPUs: expected 1 to 16384");
  says(generateHypercube(13, Wire()), "expected 0 to 12");
  says(generateFullyConnected(2000, Wire()), "expected 1 to 1024");
  says(generateFatTree(5, 1, Wire()), "even");
  says(generateFatTree(4, 0.5, Wire()), "expected 1 or more");
  says(generateFatTree(1000, 1, Wire()), "expected 1 to 16384");
  says(generateBCube(1, 1, Wire()), "BCube(1, 1)");
  says(generateBCube(16, 3, Wire()), "expected 1 to 16384");
  says(generateDragonfly(0, 1, 1, 1, Wire()), "one and more");
  // Before they are built: these would take gigabytes.
  says(generateDragonfly(1, 16384, 1, 1, Wire()),
       "268451840 links; a machine has at most 2097152");
  says(generatePod(shippedTopology("dgx2"), 0, 1, kNetwork), "0 boxes");
  says(generatePod(shippedTopology("dgx2"), 2, 17, kNetwork), "1 to 16");
  says(generatePod(shippedTopology("dgx2"), 2000, 1, kNetwork),
       "expected 1 to 16384");
  says(generateRandom(4, 0, 2, 0, false, Wire()), "expected 3 to 6");
  says(generateRandom(4, 0, 13, 0, true, Wire()), "expected 4 to 12");
  says(generateRandom(16384, 0, 134209536, 0, false, Wire()),
       "268419072 links; a machine has at most 2097152");
  // The wire's properties are checked like those in a file.
  says(generateRing(3, {-1, 0, LinkKind::nvlink}), "bandwidth");
}
