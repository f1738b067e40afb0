//===- PathLinksTest.cpp - links that a schedule could use ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/PathLinks.h"

#include "compiler/generate/Generate.h"
#include "test/unit/topology/TestTopology.h"

#include <random>
#include <set>
#include <tuple>

using namespace blink;
using namespace blink::test;

namespace {

/// All links of all paths, one path after the other. Fabric::classify judges;
/// a path may come twice to a node if it crossed something else before.
class AllPaths {
public:
  explicit AllPaths(const Fabric &fabric) : fabric_(fabric) {
    for (int rank = 0; rank < fabric.numRanks(); ++rank) {
      source_ = rank;
      extend(fabric.nodeOf(rank), false, false);
    }
  }
  std::set<int> links;

private:
  void extend(int node, bool foreign, bool bridged) {
    const Topology &topology = fabric_.topology();
    for (size_t at = 0; at < topology.links.size(); ++at) {
      const Link &link = topology.links[at];
      NodeKind kind = topology.nodes[link.to].kind;
      if (link.from != node || !fabric_.usable(static_cast<int>(at)))
        continue;
      path_.push_back(static_cast<int>(at));
      if (kind == NodeKind::gpu) {
        for (int rank = 0; rank < fabric_.numRanks(); ++rank)
          if (rank != source_ && fabric_.nodeOf(rank) == link.to) {
            if (auto kind = fabric_.classify(source_, rank, path_))
              links.insert(path_.begin(), path_.end());
            else
              llvm::consumeError(kind.takeError());
          }
      } else {
        bool crosses =
            bridged || kind == NodeKind::cpu || kind == NodeKind::nic;
        bool other = !crosses && (foreign || !isPeerFabric(link.kind));
        if (auto [it, isNew] = visited_.emplace(link.to, other, crosses);
            isNew) {
          extend(link.to, other, crosses);
          visited_.erase({link.to, other, crosses});
        }
      }
      path_.pop_back();
    }
  }

  const Fabric &fabric_;
  int source_ = 0;
  Path path_;
  std::set<std::tuple<int, bool, bool>> visited_;
};

std::set<int> found(const Fabric &fabric) {
  PathLinks onPaths(fabric);
  std::set<int> links;
  for (size_t link = 0; link < fabric.topology().links.size(); ++link)
    if (onPaths.contains(static_cast<int>(link)))
      links.insert(static_cast<int>(link));
  return links;
}

std::set<std::string> namesOf(const Fabric &fabric) {
  std::set<std::string> names;
  const Topology &topology = fabric.topology();
  for (int link : found(fabric))
    names.insert(topology.nodes[topology.links[link].from].id + "." +
                 topology.nodes[topology.links[link].to].id);
  return names;
}

} // namespace

TEST_CASE("relays that lead nowhere but back are on no path") {
  Topology dgx1 = shippedTopology("dgx1");
  CHECK(namesOf(fabricOf(dgx1, {0, 1})) ==
        std::set<std::string>{"gpu0.gpu1", "gpu1.gpu0", "gpu0.plx0",
                              "plx0.gpu0", "gpu1.plx0", "plx0.gpu1",
                              "plx0.cpu0", "cpu0.plx0"});
  CHECK(namesOf(fabricOf(dgx1, {0, 1}, valueOf(parseLinkKinds("nvlink")))) ==
        std::set<std::string>{"gpu0.gpu1", "gpu1.gpu0"});
  CHECK(found(fabricOf(dgx1)).size() == dgx1.links.size());
  CHECK(found(fabricOf(dgx1, {3})).empty());
  // Joined by NVLink, two GPUs have no use for a switch without a cpu; a third
  // that is not joined has.
  Topology box = makeTopology(
      R"({"id": "a", "kind": "gpu"}, {"id": "b", "kind": "gpu"},
         {"id": "c", "kind": "gpu"}, {"id": "s", "kind": "switch"})",
      R"({"from": "a", "to": "b", "bandwidth": 25},
         {"from": "a", "to": "s", "bandwidth": 10, "kind": "pcie"},
         {"from": "b", "to": "s", "bandwidth": 10, "kind": "pcie"},
         {"from": "c", "to": "s", "bandwidth": 10, "kind": "pcie"})");
  CHECK(namesOf(fabricOf(box, {0, 1})) == std::set<std::string>{"a.b", "b.a"});
  CHECK(found(fabricOf(box)).size() == 8);
}

TEST_CASE("rings of switches that hang on one are on no path") {
  Topology hanging = makeTopology(
      R"({"id": "a", "kind": "gpu"}, {"id": "b", "kind": "gpu"},
         {"id": "s", "kind": "switch"}, {"id": "t", "kind": "switch"},
         {"id": "u", "kind": "switch"})",
      R"({"from": "a", "to": "s", "bandwidth": 25},
         {"from": "b", "to": "s", "bandwidth": 25},
         {"from": "s", "to": "t", "bandwidth": 25},
         {"from": "t", "to": "u", "bandwidth": 25},
         {"from": "u", "to": "s", "bandwidth": 25})");
  CHECK(namesOf(fabricOf(hanging)) ==
        std::set<std::string>{"a.s", "s.a", "b.s", "s.b"});
}

TEST_CASE("paths over relay GPUs count") {
  Topology ring = valueOf(generateRing(4, Wire()));
  CHECK(found(fabricOf(ring, {0, 2})).empty());
  CHECK(found(valueOf(Fabric::create(ring, {0, 2}, LinkKindSet::all(), {1})))
            .size() == 4);
}

TEST_CASE("the set is that of all paths, listed one by one") {
  for (const char *name : {"dgx1", "dgx1p", "pcie-8gpu", "a100-nv4"})
    for (const std::vector<int> &gpus :
         {std::vector<int>{0, 1}, {0, 2}, {0, 1, 3}, {1, 2}})
      for (const char *words : {"all", "pcie", "nvlink", "nvlink,pcie"}) {
        CAPTURE(name);
        CAPTURE(words);
        Fabric fabric = fabricOf(shippedTopology(name), gpus,
                                 valueOf(parseLinkKinds(words)));
        CHECK(found(fabric) == AllPaths(fabric).links);
      }
}

TEST_CASE("no link of a path is missed on random graphs, few are too many") {
  std::mt19937 random(7);
  auto below = [&](unsigned most) { return static_cast<int>(random() % most); };
  int extra = 0, total = 0;
  for (int round = 0; round < 300; ++round) {
    Topology graph;
    graph.name = "random";
    for (int node = 0; node < 8; ++node)
      graph.nodes.push_back(
          {"n" + std::to_string(node),
           node < 3 ? NodeKind::gpu
                    : (node < 6 ? NodeKind::switch_
                                : (node < 7 ? NodeKind::cpu : NodeKind::nic))});
    std::set<std::tuple<int, int>> used;
    for (int link = 0; link < 14; ++link) {
      int from = below(8), to = below(8);
      if (from == to || !used.emplace(from, to).second)
        continue;
      LinkKind kind = below(2) ? LinkKind::nvlink : LinkKind::pcie;
      graph.links.push_back({from, to, 1, 0, kind});
      if (below(3) > 0 && used.emplace(to, from).second)
        graph.links.push_back({to, from, 1, 0, kind});
    }
    CAPTURE(round);
    Fabric fabric = fabricOf(graph);
    std::set<int> is = found(fabric), want = AllPaths(fabric).links;
    for (int link : want)
      CHECK(is.count(link) == 1);
    total += static_cast<int>(want.size());
    extra += static_cast<int>(is.size() - want.size());
  }
  CHECK(total > 1000);
  CHECK(extra * 100 < total);
}
