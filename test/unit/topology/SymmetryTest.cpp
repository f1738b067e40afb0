//===- SymmetryTest.cpp -----------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The groups found must be groups of automorphisms that act freely, and as
// large as they should be.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/symmetry/Symmetry.h"

#include "compiler/generate/Generate.h"
#include "compiler/topology/symmetry/MachineColoring.h"
#include "test/unit/topology/TestTopology.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace blink;
using namespace blink::test;

namespace {

/// Finds the group, checks all its promises, and returns its order.
int orderOf(const RankTopology &rankTopology) {
  Symmetry symmetry = Symmetry::find(rankTopology);
  const Topology &topology = rankTopology.topology();
  int n = rankTopology.numRanks(), order = symmetry.order();
  int numLinks = static_cast<int>(topology.links.size());
  std::map<int, int> rankOf;
  for (int rank = 0; rank < n; ++rank)
    rankOf[rankTopology.nodeOf(rank)] = rank;

  std::set<std::vector<int>> elements;
  for (int g = 0; g < order; ++g) {
    std::vector<int> map;
    for (int rank = 0; rank < n; ++rank) {
      int image = symmetry.mapRank(g, rank);
      map.push_back(image);
      CHECK((image == rank) == (g == 0)); // acts freely
      CHECK(symmetry.mapRank(symmetry.inverse(g), image) == rank);
    }
    elements.insert(map);
    std::set<int> images;
    for (int link = 0; link < numLinks; ++link) {
      int image = symmetry.mapLink(g, link);
      images.insert(image);
      const Link &a = topology.links[link], &b = topology.links[image];
      CHECK(a.kind == b.kind);
      CHECK(a.bandwidth == b.bandwidth);
      CHECK(a.latency == b.latency);
      CHECK(topology.nodes[a.from].kind == topology.nodes[b.from].kind);
      if (auto from = rankOf.find(a.from); from != rankOf.end())
        CHECK(rankOf.at(b.from) == symmetry.mapRank(g, from->second));
      if (auto to = rankOf.find(a.to); to != rankOf.end())
        CHECK(rankOf.at(b.to) == symmetry.mapRank(g, to->second));
      CHECK(symmetry.linkClass(link) == symmetry.linkClass(image));
    }
    CHECK(static_cast<int>(images.size()) == numLinks);
  }
  CHECK(static_cast<int>(elements.size()) == order);
  // Closed and abelian; for large groups, only a part is checked.
  for (int g = 0; g < std::min(order, 12); ++g)
    for (int h = 0; h < std::min(order, 12); ++h) {
      std::vector<int> gh, hg;
      for (int rank = 0; rank < n; ++rank) {
        gh.push_back(symmetry.mapRank(g, symmetry.mapRank(h, rank)));
        hg.push_back(symmetry.mapRank(h, symmetry.mapRank(g, rank)));
      }
      CHECK(gh == hg);
      CHECK(elements.count(gh) == 1);
    }
  for (int rank = 0; rank < n; ++rank) {
    CHECK(symmetry.representative(rank) <= rank);
    CHECK(symmetry.mapRank(symmetry.elementTo(rank),
                           symmetry.representative(rank)) == rank);
  }
  CHECK(static_cast<int>(symmetry.representatives().size()) * order == n);
  return order;
}

int orderOf(llvm::Expected<Topology> topology) {
  return orderOf(rankTopologyOf(valueOf(std::move(topology))));
}

Topology shuffle(const Topology &machine, unsigned seed) {
  std::mt19937 random(seed);
  Topology shuffled = machine;
  std::vector<int> place(machine.nodes.size());
  for (size_t i = 0; i < place.size(); ++i)
    place[i] = static_cast<int>(i);
  std::shuffle(place.begin(), place.end(), random);
  for (size_t i = 0; i < place.size(); ++i)
    shuffled.nodes[place[i]] = machine.nodes[i];
  for (Link &link : shuffled.links) {
    link.from = place[link.from];
    link.to = place[link.to];
  }
  std::shuffle(shuffled.links.begin(), shuffled.links.end(), random);
  return shuffled;
}

} // namespace

TEST_CASE("regular machines have one orbit of ranks") {
  Wire wire;
  CHECK(orderOf(generateRing(7, wire)) == 7);
  CHECK(orderOf(generateRing(8, wire)) == 8);
  CHECK(orderOf(generateRing(67, wire)) == 67); // powers have two digits
  CHECK(orderOf(generateTorus({66, 2}, wire)) == 132);
  CHECK(orderOf(generateTorus({3, 5}, wire)) == 15);
  CHECK(orderOf(generateTorus({4, 4}, wire)) == 16);
  CHECK(orderOf(generateTorus({2, 3, 4}, wire)) == 24);
  CHECK(orderOf(generateHypercube(4, wire)) == 16);
  CHECK(orderOf(generateFullyConnected(6, wire)) == 6);
  CHECK(orderOf(generateBCube(3, 1, wire)) == 9);
  CHECK(orderOf(generateFatTree(4, 2, wire)) == 16);
  // Shifts of the groups and, around the circle, of a router's GPUs. They
  // commute with no reflection, which the search finds first.
  CHECK(orderOf(generateDragonfly(17, 8, 4, 25, wire)) == 68);
  CHECK(orderOf(rankTopologyOf(shippedTopology("dgx2"))) == 16);
  CHECK(orderOf(rankTopologyOf(shippedTopology("dgx1p"))) == 8);
  Wire nic{50, 2, LinkKind::network};
  CHECK(orderOf(generatePod(shippedTopology("dgx-h100"), 5, 1, nic)) == 40);
  CHECK(orderOf(generatePod(shippedTopology("dgx-a100"), 2, 2, nic)) == 16);
}

TEST_CASE("relays that could be swapped do not spoil the group") {
  // Three switches that cannot be told apart, each joined to all six GPUs.
  Topology ring = valueOf(generateRing(6, Wire()));
  for (int at = 0; at < 3; ++at) {
    ring.nodes.push_back({"s" + std::to_string(at), NodeKind::switch_});
    for (int gpu = 0; gpu < 6; ++gpu) {
      ring.links.push_back({gpu, 6 + at, 10, 1, LinkKind::pcie});
      ring.links.push_back({6 + at, gpu, 10, 1, LinkKind::pcie});
    }
  }
  CHECK(orderOf(rankTopologyOf(ring)) == 6);
  for (unsigned seed = 0; seed < 10; ++seed)
    CHECK(orderOf(rankTopologyOf(shuffle(ring, seed))) >= 2);
}

TEST_CASE("less regular ones have several, and single ranks have one each") {
  CHECK(orderOf(rankTopologyOf(shippedTopology("dgx1"))) == 4);
  CHECK(orderOf(generateMesh({5}, Wire())) == 1);
  // The reflection of an even path moves every GPU; that of an odd path does
  // not.
  CHECK(orderOf(generateMesh({6}, Wire())) == 2);
  CHECK(orderOf(generateMesh({1}, Wire())) == 1);
}

TEST_CASE("a difference anywhere breaks the symmetry") {
  Topology ring = valueOf(generateRing(8, Wire()));
  ring.links[3].bandwidth *= 2;
  CHECK(orderOf(rankTopologyOf(ring)) == 1);
  ring = valueOf(generateRing(8, Wire()));
  ring.links[0].latency = 5;
  CHECK(orderOf(rankTopologyOf(ring)) == 1);
  // An allocation is at most as symmetric as its place in the machine,
  Topology whole = valueOf(generateRing(8, Wire()));
  CHECK(orderOf(rankTopologyOf(whole, {0, 1, 2})) == 1);
  CHECK(orderOf(rankTopologyOf(whole, {0, 2, 4, 6})) == 4);
  // ... and as the set of possible relays.
  CHECK(orderOf(valueOf(RankTopology::create(
            whole, {0, 2, 4, 6}, LinkKindSet::all(), {1, 3, 5, 7}))) == 4);
  CHECK(orderOf(valueOf(RankTopology::create(whole, {0, 2, 4, 6},
                                             LinkKindSet::all(), {1, 3, 5}))) ==
        2); // the reflection about 3 and 7
  CHECK(orderOf(valueOf(RankTopology::create(whole, {0, 2, 4, 6},
                                             LinkKindSet::all(), {1, 3}))) ==
        1); // GPU 2 would not move
}

TEST_CASE("groups are found under any names and numbers") {
  Topology torus = valueOf(generateTorus({3, 3}, Wire()));
  Topology pod = valueOf(generatePod(shippedTopology("dgx-h100"), 3, 1,
                                     {50, 2, LinkKind::network}));
  for (unsigned seed = 0; seed < 10; ++seed) {
    CAPTURE(seed);
    CHECK(orderOf(rankTopologyOf(shuffle(torus, seed))) >= 3);
    CHECK(orderOf(rankTopologyOf(shuffle(pod, seed))) >= 8);
  }
  for (uint64_t seed = 0; seed < 20; ++seed)
    CHECK(orderOf(generateRandom(7, 2, 14, seed, seed % 2, Wire())) >= 1);
}

TEST_CASE("around a rank, ranks of one orbit are of one class") {
  // On a ring of eight, only the two directions are alike.
  RankTopology ring = rankTopologyOf(valueOf(generateTorus({8}, {})));
  CHECK(classesAround(ring, 2) == std::vector<int>{0, 1, 5, 6});
  // In a pod: the other GPUs of the box; and in the other boxes, the GPU on the
  // root's rail and all the others.
  RankTopology pod =
      rankTopologyOf(valueOf(generatePod(valueOf(generateFullyConnected(4, {})),
                                         5, 4, {5, 2, LinkKind::network})));
  CHECK(classesAround(pod, 5) == std::vector<int>{0, 1, 4});
  // If all differ, each is a class.
  RankTopology chain = rankTopologyOf(valueOf(generateMesh({4}, {})));
  CHECK(classesAround(chain, 1) == std::vector<int>{0, 2, 3});
}

TEST_CASE("generators make the group again, and nothing else does") {
  const RankTopology torus = rankTopologyOf(valueOf(generateTorus({5, 4}, {})));
  const Symmetry found = Symmetry::find(torus);
  std::vector<Symmetry::Generator> generators = found.generators();
  const Symmetry made = valueOf(Symmetry::create(torus, generators));
  REQUIRE(made.order() == found.order());
  for (int element = 0; element < made.order(); ++element)
    for (int rank = 0; rank < torus.numRanks(); ++rank)
      CHECK(made.mapRank(element, rank) == found.mapRank(element, rank));

  const auto refused = [&](std::vector<Symmetry::Generator> wrong) {
    auto symmetry = Symmetry::create(torus, std::move(wrong));
    return symmetry ? "" : llvm::toString(symmetry.takeError());
  };
  const auto with = [&](auto change) {
    std::vector<Symmetry::Generator> wrong = generators;
    change(wrong);
    return refused(std::move(wrong));
  };
  using Generators = std::vector<Symmetry::Generator>;
  CHECK(with([](Generators &g) { g[0].nodes.pop_back(); }).find("19 nodes") !=
        std::string::npos);
  CHECK(with([](Generators &g) {
          g[0].nodes[0] = g[0].nodes[1];
        }).find("each once") != std::string::npos);
  CHECK(with([](Generators &g) { g[0].steps = 0; }).find("in 0 steps") !=
        std::string::npos);
  CHECK(with([](Generators &g) { g[0].steps = 1000; }).find("1000 steps") !=
        std::string::npos);
  CHECK(with([](Generators &g) { std::swap(g[0].nodes[0], g[0].nodes[1]); }) ==
        "a renaming changes the machine or its ranks");
  CHECK(with([](Generators &g) { g[0].steps = 2; }) ==
        "a renaming's powers do not come back");
  CHECK(with([](Generators &g) { g.push_back(g[0]); }) != "");
  // GPU y * 4 + x becomes GPU y * 4 + (3 - x). This moves every GPU but
  // commutes with no shift in x.
  Generators mirrored = {generators[0], {{}, 2}};
  for (int gpu = 0; gpu < 20; ++gpu)
    mirrored[1].nodes.push_back(gpu / 4 * 4 + 3 - gpu % 4);
  Generators alone = {mirrored[1]};
  CHECK(refused(alone) == "");
  CHECK(refused({{{0,  3, 2,  1,  4,  7,  6,  5,  8,  11,
                   10, 9, 12, 15, 14, 13, 16, 19, 18, 17},
                  2}}) == "a renaming leaves a rank where it is");
}

TEST_CASE("what images make of loads is on every link of a class") {
  const RankTopology torus = rankTopologyOf(valueOf(generateTorus({5, 4}, {})));
  const Symmetry symmetry = Symmetry::find(torus);
  const auto numLinks = torus.topology().links.size();
  std::vector<double> loads(numLinks, 0), sums(numLinks, 0), most(numLinks, 0);
  loads[3] = 1;
  loads[7] = 5;
  for (int element = 0; element < symmetry.order(); ++element)
    for (size_t link = 0; link < numLinks; ++link) {
      const int image = symmetry.mapLink(element, int(link));
      sums[image] += loads[link];
      most[image] = std::max(most[image], loads[link]);
    }
  CHECK(symmetry.sumOfImages(loads) == sums);
  CHECK(symmetry.mostOfImages(loads) == most);
}
