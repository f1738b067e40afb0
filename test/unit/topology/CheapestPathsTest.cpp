//===- CheapestPathsTest.cpp - the path search against brute force --------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// On small random machines, every walk is listed and judged by classify(). The
// search must return the best accepted walk, including on ties.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/fabric/PathsByPrice.h"
#include "test/unit/topology/TestTopology.h"

#include <cmath>
#include <limits>
#include <random>
#include <tuple>

using namespace blink;
using namespace blink::test;

namespace {

using Key = std::tuple<double, size_t, double, Path>;

/// Lists walks by depth-first search and keeps the best one for each target.
class BruteForce {
public:
  BruteForce(const RankTopology &rankTopology,
             const std::vector<double> &prices, int from)
      : rankTopology_(rankTopology), prices_(prices), from_(from),
        best_(rankTopology.numRanks()) {
    for (Key &key : best_)
      std::get<0>(key) = std::numeric_limits<double>::infinity();
    extend(rankTopology.nodeOf(from));
  }
  const Key &best(int to) const { return best_[to]; }

private:
  // A best path visits a relay at most twice, before and after it has crossed a
  // cpu or nic, so 3 relays make at most 7 links.
  static constexpr size_t kLongest = 7;

  void extend(int node) {
    const std::vector<Link> &links = rankTopology_.topology().links;
    for (int link = 0; link < static_cast<int>(links.size()); ++link) {
      if (links[link].from != node)
        continue;
      path_.push_back(link);
      judge();
      if (path_.size() < kLongest &&
          rankTopology_.topology().nodes[links[link].to].kind != NodeKind::gpu)
        extend(links[link].to);
      path_.pop_back();
    }
  }

  void judge() {
    for (int to = 0; to < rankTopology_.numRanks(); ++to) {
      int end = rankTopology_.topology().links[path_.back()].to;
      if (end != rankTopology_.nodeOf(to) || to == from_)
        continue;
      llvm::Expected<ChannelKind> kind =
          rankTopology_.classify(from_, to, path_);
      if (!kind) {
        llvm::consumeError(kind.takeError());
        continue;
      }
      double cost = 0, latency = 0;
      for (int link : path_) {
        cost += prices_[link];
        latency += rankTopology_.topology().links[link].latency;
      }
      Key key(cost, path_.size(), latency, path_);
      best_[to] = std::min(best_[to], key);
    }
  }

  const RankTopology &rankTopology_;
  const std::vector<double> &prices_;
  int from_;
  Path path_;
  std::vector<Key> best_;
};

Topology randomTopology(std::mt19937 &random) {
  Topology topology;
  int gpus = 2 + static_cast<int>(random() % 3);
  int numNodes = gpus + static_cast<int>(random() % 4);
  const NodeKind relayKinds[] = {NodeKind::switch_, NodeKind::cpu,
                                 NodeKind::nic, NodeKind::switch_};
  for (int i = 0; i < numNodes; ++i)
    topology.nodes.push_back(
        {"n" + std::to_string(i),
         i < gpus ? NodeKind::gpu : relayKinds[random() % 4]});

  // Some machines have a PCIe tree, in which paths may have to turn round.
  int root = gpus, leaf = gpus + 1;
  bool tree = numNodes > leaf && random() % 3 == 0;
  if (tree) {
    topology.nodes[root].kind = NodeKind::cpu;
    topology.nodes[leaf].kind = NodeKind::switch_;
  }
  auto inTree = [&](int a, int b) {
    return tree && ((a == leaf && b <= root) || (b == leaf && a <= root));
  };
  const LinkKind linkKinds[] = {LinkKind::nvlink, LinkKind::pcie,
                                LinkKind::host, LinkKind::c2c};
  for (int from = 0; from < numNodes; ++from)
    for (int to = 0; to < numNodes; ++to)
      for (LinkKind kind : linkKinds) {
        bool fixed = kind == LinkKind::pcie && inTree(from, to);
        unsigned rarity = from < gpus && to < gpus ? 12 : 6;
        if (from != to && (fixed || random() % rarity == 0))
          topology.links.push_back(
              {from, to, 1.0, static_cast<double>(random() % 2), kind});
      }
  // Otherwise links would be sorted by their start, which would hide how ties
  // between whole paths are resolved.
  for (size_t i = topology.links.size(); i > 1; --i)
    std::swap(topology.links[i - 1], topology.links[random() % i]);
  return topology;
}

} // namespace

TEST_CASE("the search finds what listing all walks finds") {
  std::mt19937 random(7);
  int found = 0, turned = 0, parted = 0;
  for (int round = 0; round < 400; ++round) {
    CAPTURE(round);
    LinkKindSet kinds = LinkKindSet::all();
    if (random() % 4 == 0)
      kinds = valueOf(parseLinkKinds("pcie,host"));
    Topology topology = randomTopology(random);
    std::vector<int> gpus;
    if (random() % 3 == 0)
      gpus = {1, 0}; // any third GPU is outside
    RankTopology rankTopology =
        rankTopologyOf(std::move(topology), gpus, kinds);
    std::vector<double> prices;
    for (size_t i = 0; i < rankTopology.topology().links.size(); ++i)
      prices.push_back(round % 4 == 0 ? 0.0 : random() % 3 * 0.25);

    PathTable table = rankTopology.cheapestPaths(prices);
    for (int from = 0; from < rankTopology.numRanks(); ++from) {
      BruteForce bruteForce(rankTopology, prices, from);
      for (int to = 0; to < rankTopology.numRanks(); ++to) {
        if (from == to)
          continue;
        const Key &best = bruteForce.best(to);
        CHECK(table.cost(from, to) == std::get<0>(best));
        CHECK(table.path(from, to) == std::get<3>(best));
        ++(std::isinf(table.cost(from, to)) ? parted : found);
        std::vector<int> visited;
        for (int link : table.path(from, to))
          visited.push_back(rankTopology.topology().links[link].to);
        std::sort(visited.begin(), visited.end());
        turned +=
            std::adjacent_find(visited.begin(), visited.end()) != visited.end();
      }
    }
  }
  // The machines were not trivial.
  CHECK(found > 500);
  CHECK(turned > 20);
  CHECK(parted > 100);
}

TEST_CASE("paths by price are the cheapest whenever prices change") {
  std::mt19937 random(11);
  int changed = 0;
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const RankTopology machine =
        rankTopologyOf(randomTopology(random), {}, LinkKindSet::all());
    PathsByPrice paths(machine);
    PathTable before;
    for (int draw = 0; draw < 4; ++draw) {
      std::vector<double> prices;
      for (size_t i = 0; i < machine.topology().links.size(); ++i)
        prices.push_back(random() % 3 * 0.25);
      const PathTable table = machine.cheapestPaths(prices);
      paths.price(prices);
      for (int from = 0; from < machine.numRanks(); ++from)
        for (int to = 0; to < machine.numRanks(); ++to)
          if (from != to)
            CHECK(paths.path(from, to) == table.path(from, to));
      changed += draw > 0 && table.paths != before.paths;
      before = table;
    }
  }
  CHECK(changed > 100);
}

TEST_CASE("ties go to fewer links, lower latency, smaller indices") {
  // Four ways from a to b: over s and t, which are alike; over u, with less
  // latency; and over v and w, which is longer.
  auto machine = [](const char *latencyOfU) {
    std::string nodes = R"({"id": "a", "kind": "gpu"},
                           {"id": "b", "kind": "gpu"})";
    std::string links;
    auto addWay = [&](const std::vector<std::string> &ids,
                      const std::string &latency) {
      for (size_t i = 1; i < ids.size(); ++i)
        links += (links.empty() ? "" : ",") + std::string("{\"from\": \"") +
                 ids[i - 1] + "\", \"to\": \"" + ids[i] +
                 "\", \"bandwidth\": 1, \"latency\": " + latency + "}";
    };
    for (const char *id : {"s", "t", "u", "v", "w"})
      nodes += ", {\"id\": \"" + std::string(id) + "\", \"kind\": \"switch\"}";
    addWay({"a", "v", "w", "b"}, "0");
    addWay({"a", "t", "b"}, "2");
    addWay({"a", "s", "b"}, "2");
    addWay({"a", "u", "b"}, latencyOfU);
    return makeTopology(nodes, links);
  };
  auto pathFor = [](const Topology &topology, double price) {
    return rankTopologyOf(topology)
        .cheapestPaths(std::vector<double>(topology.links.size(), price))
        .path(0, 1);
  };
  for (double price : {0.0, 1.0}) {
    Topology topology = machine("1");
    CHECK(pathFor(topology, price) == pathOver(topology, {"a", "u", "b"}));
    topology = machine("2");
    CHECK(pathFor(topology, price) == pathOver(topology, {"a", "t", "b"}));
  }
}

TEST_CASE("a machine of 128 GPUs") {
  // Sixteen boxes with an NVSwitch each; the NICs of all GPUs are around one
  // switch.
  Topology topology;
  for (int gpu = 0; gpu < 128; ++gpu)
    topology.nodes.push_back({"gpu" + std::to_string(gpu), NodeKind::gpu});
  auto join = [&](int a, int b, LinkKind kind) {
    topology.links.push_back({a, b, 1, 0, kind});
    topology.links.push_back({b, a, 1, 0, kind});
  };
  for (int box = 0; box < 16; ++box)
    topology.nodes.push_back({"sw" + std::to_string(box), NodeKind::switch_});
  topology.nodes.push_back({"net", NodeKind::switch_});
  for (int gpu = 0; gpu < 128; ++gpu) {
    int nic = static_cast<int>(topology.nodes.size());
    topology.nodes.push_back({"nic" + std::to_string(gpu), NodeKind::nic});
    join(gpu, 128 + gpu / 8, LinkKind::nvlink);
    join(gpu, nic, LinkKind::pcie);
    join(nic, 144, LinkKind::network);
  }
  RankTopology rankTopology = rankTopologyOf(topology);
  PathTable table = rankTopology.cheapestPaths(
      std::vector<double>(rankTopology.topology().links.size(), 1.0));
  for (int from = 0; from < 128; ++from)
    for (int to = 0; to < 128; ++to)
      if (from != to)
        REQUIRE(table.cost(from, to) == (from / 8 == to / 8 ? 2 : 4));
  CHECK(rankTopology.stronglyConnectedRanks().size() == 1);
}
