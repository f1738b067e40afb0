//===- SingleFailuresTest.cpp - what may break, one thing at a time -------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/SingleFailures.h"

#include "compiler/generate/Generate.h"
#include "compiler/topology/DegradeLinks.h"
#include "test/unit/topology/TestTopology.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>

using namespace blink;
using namespace blink::test;

namespace {

using Ends = std::pair<int, int>;
using Classes = std::set<std::set<Ends>>;

std::vector<FailedLinkClass> failuresOf(const Fabric &fabric) {
  return failedLinkClasses(fabric, Symmetry::find(fabric));
}

Classes setsOf(const std::vector<FailedLinkClass> &classes) {
  Classes sets;
  for (const FailedLinkClass &members : classes) {
    std::set<Ends> pairs;
    for (const FailedLink &link : members)
      pairs.emplace(link.nodeA, link.nodeB);
    sets.insert(pairs);
  }
  return sets;
}

/// Bandwidth of each kind between each two nodes, as text.
std::map<Ends, std::string> wiresOf(const Topology &topology,
                                    LinkKindSet kinds) {
  std::map<Ends, std::string> wires;
  for (const Link &link : topology.links)
    if (kinds.contains(link.kind))
      wires[{link.from, link.to}] += toString(link.kind).str() + " " +
                                     std::to_string(link.bandwidth) + ";";
  return wires;
}

/// The orbits of adjacent nodes under all renamings of GPUs that keep the
/// wires of `kinds`, tried one by one. A PCIe switch or cpu goes where the GPUs
/// below it go, so that GPUs alone need be permuted.
Classes orbitsByTrying(const Topology &topology, LinkKindSet kinds) {
  auto wires = wiresOf(topology, kinds);
  std::vector<int> gpus = topology.gpus(), image = gpus;
  Classes orbits;
  std::map<Ends, std::set<Ends>> reached;
  int numNodes = static_cast<int>(topology.nodes.size());
  do {
    std::vector<int> map(numNodes, -1);
    for (size_t gpu = 0; gpu < gpus.size(); ++gpu)
      map[gpus[gpu]] = image[gpu];
    // Twice: switches above GPUs, then cpus above switches.
    bool keeps = true;
    for (int round = 0; round < 2; ++round)
      for (const auto &[ends, wire] : wires) {
        auto [low, high] = ends;
        if (topology.nodes[high].kind == NodeKind::gpu || map[low] < 0 ||
            topology.nodes[low].kind == topology.nodes[high].kind)
          continue;
        if (topology.nodes[low].kind == NodeKind::cpu)
          continue; // downwards
        for (const auto &[others, unused] : wires)
          if (others.first == map[low] &&
              topology.nodes[others.second].kind == topology.nodes[high].kind) {
            keeps &= map[high] < 0 || map[high] == others.second;
            map[high] = others.second;
          }
      }
    for (const auto &[ends, wire] : wires) {
      auto other = wires.find({map[ends.first], map[ends.second]});
      keeps = keeps && other != wires.end() && other->second == wire;
      if (!keeps)
        break;
    }
    if (!keeps)
      continue;
    for (const auto &[ends, wire] : wires)
      if (ends.first < ends.second)
        reached[ends].insert(std::minmax(map[ends.first], map[ends.second]));
  } while (std::next_permutation(image.begin(), image.end()));
  for (const auto &[ends, orbit] : reached)
    orbits.insert(orbit);
  return orbits;
}

} // namespace

TEST_CASE("failures of a DGX-1V are those that trying all renamings finds") {
  Topology dgx1 = shippedTopology("dgx1");
  LinkKindSet nvlink = valueOf(parseLinkKinds("nvlink"));
  Classes classes = setsOf(failuresOf(fabricOf(dgx1, {}, nvlink)));
  CHECK(classes == orbitsByTrying(dgx1, nvlink));
  CHECK(classes.size() == 6);
  Classes all = setsOf(failuresOf(fabricOf(dgx1)));
  CHECK(all == orbitsByTrying(dgx1, LinkKindSet::all()));
  CHECK(all.size() == 11);
}

TEST_CASE("members ascend, and their elements take the first to them") {
  for (const Topology &topology :
       {shippedTopology("dgx1"), shippedTopology("dgx-h100"),
        valueOf(generateTorus({3, 4}, Wire())),
        valueOf(generatePod(shippedTopology("dgx-a100"), 2, 1,
                            {25, 2, LinkKind::network}))}) {
    CAPTURE(topology.name);
    Fabric fabric = fabricOf(topology);
    Symmetry symmetry = Symmetry::find(fabric);
    std::vector<FailedLinkClass> classes = failedLinkClasses(fabric, symmetry);
    std::set<Ends> seen;
    Ends last{-1, -1};
    for (const FailedLinkClass &members : classes) {
      const FailedLink &first = members.front();
      CHECK(first.element == 0);
      CHECK(last < Ends{first.nodeA, first.nodeB});
      last = {first.nodeA, first.nodeB};
      Topology broken = topology;
      removeLinks(broken, first.nodeA, first.nodeB);
      Ends before{-1, -1};
      for (const FailedLink &member : members) {
        CHECK(member.nodeA < member.nodeB);
        CHECK(before < Ends{member.nodeA, member.nodeB});
        before = {member.nodeA, member.nodeB};
        CHECK(seen.insert(before).second);
        for (size_t link = 0; link < topology.links.size(); ++link) {
          auto isOf = [&](const FailedLink &failure, size_t index) {
            const Link &it = topology.links[index];
            return Ends(std::minmax(it.from, it.to)) ==
                   Ends{failure.nodeA, failure.nodeB};
          };
          CHECK(isOf(first, link) ==
                isOf(member,
                     symmetry.mapLink(member.element, static_cast<int>(link))));
        }
      }
    }
    std::set<Ends> every;
    for (const Link &link : topology.links)
      every.insert(std::minmax(link.from, link.to));
    CHECK(seen == every); // whole machines use all they have
  }
}

TEST_CASE("parts of machines lose only what they could use") {
  Topology dgx1 = shippedTopology("dgx1");
  auto node = [&](const char *id) { return nodeNamed(dgx1, id); };
  auto ends = [&](const char *a, const char *b) {
    return Ends(node(a), node(b));
  };
  // The two halves of the pair are alike.
  CHECK(setsOf(failuresOf(fabricOf(dgx1, {0, 1}))) ==
        Classes{{ends("gpu0", "gpu1")},
                {ends("gpu0", "plx0"), ends("gpu1", "plx0")},
                {ends("plx0", "cpu0")}});
  CHECK(failuresOf(fabricOf(dgx1, {5})).empty());
  // With a root no two links are alike.
  Fabric fabric = fabricOf(dgx1, {}, valueOf(parseLinkKinds("nvlink")));
  CHECK(failedLinkClasses(fabric, Symmetry::trivial(fabric)).size() == 16);
}

TEST_CASE("each GPU may be lost") {
  std::vector<LostGpu> losses =
      lostGpus(fabricOf(shippedTopology("dgx1"), {4, 1, 6}));
  REQUIRE(losses.size() == 3);
  CHECK(losses[0].rank == 0);
  CHECK(losses[0].gpus == std::vector<int>{1, 6});
  CHECK(losses[1].rank == 1);
  CHECK(losses[1].gpus == std::vector<int>{4, 6});
  CHECK(losses[2].rank == 2);
  CHECK(losses[2].gpus == std::vector<int>{4, 1});
  CHECK(lostGpus(fabricOf(shippedTopology("dgx1"), {4})).empty());
  CHECK(lostGpus(fabricOf(shippedTopology("dgx1"))).size() == 8);
}
