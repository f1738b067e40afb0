//===- NetworkPeersTest.cpp - few neighbours, the same rate ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/symmetry/NetworkPeers.h"

#include "compiler/generate/Generate.h"
#include "compiler/packing/FewPeers.h"
#include "test/unit/packing/Pods.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace blink;
using namespace blink::test;

namespace {

/// Returns the maximum number of other ranks to which a rank has network paths.
int peersOf(const RankTopology &machine) {
  const PathTable table = machine.cheapestPaths(
      std::vector<double>(machine.topology().links.size(), 1.0));
  int most = 0;
  for (int from = 0; from < machine.numRanks(); ++from) {
    std::set<int> peers;
    for (int to = 0; to < machine.numRanks(); ++to)
      if (from != to && std::isfinite(table.cost(from, to)) &&
          valueOf(machine.classify(from, to, table.path(from, to))) ==
              ChannelKind::network)
        peers.insert(to);
    most = std::max(most, static_cast<int>(peers.size()));
  }
  return most;
}

double rateOf(const RankTopology &machine, Collective collective) {
  PackingProblem problem{&machine, collective, 0};
  return valueOf(packTrees(problem)).packing.algbw;
}

} // namespace

TEST_CASE("few peers keep the rate of pods") {
  for (auto [boxes, gpus, rails] :
       {std::tuple(8, 2, 1), std::tuple(16, 2, 2), std::tuple(6, 1, 1)})
    for (int most : {2, 4, 6}) {
      CAPTURE(boxes);
      CAPTURE(most);
      const RankTopology all = podOf(boxes, gpus, rails);
      CHECK(networkPeers(all).all == peersOf(all));
      CHECK(networkPeers(all).nearest == 0);
      CHECK(networkPeers(all).servers == boxes);
      const RankTopology few = valueOf(limitNetworkPeers(all, most));
      CHECK(peersOf(few) <= most);
      for (Collective collective :
           {Collective::allreduce, Collective::allgather})
        CHECK(rateOf(few, collective) ==
              doctest::Approx(rateOf(all, collective)).epsilon(1e-6));
    }
}

TEST_CASE("unlike servers have few peers, too") {
  // 3 + 5 ranks, and one on another server.
  const RankTopology all = podOf(3, 8, 1, {0, 1, 2, 8, 9, 10, 11, 12, 20});
  const RankTopology few = valueOf(limitNetworkPeers(all, 5));
  CHECK(peersOf(few) <= 5);
  CHECK(peersOf(all) == 8);
  CHECK(few.stronglyConnectedRanks().size() == 1);
}

TEST_CASE("of many servers some distances are tried, and few hops left") {
  const RankTopology all = podOf(700, 1, 1);
  const RankTopology few = valueOf(limitNetworkPeers(all, 8));
  const std::vector<std::vector<int>> reached = few.reachedRanks();
  std::vector<int> hops(700, -1), work{0};
  hops[0] = 0;
  for (size_t next = 0; next < work.size(); ++next)
    for (int to : reached[size_t(work[next])])
      if (hops[size_t(to)] < 0) {
        hops[size_t(to)] = hops[size_t(work[next])] + 1;
        work.push_back(to);
      }
  CHECK(reached[0].size() == 8);
  CHECK(work.size() == 700);
  CHECK(*std::max_element(hops.begin(), hops.end()) <= 7); // 6 with all peers
}

TEST_CASE("one peer does not join three servers") {
  CHECK(textOf(limitNetworkPeers(podOf(3, 1, 1), 1).takeError()) ==
        "--max-peers 1: too few neighbours across the network to join all "
        "ranks; allow more");
}

TEST_CASE("the GPUs at a switch of a fabric stand for a server") {
  for (LinkKind kind : {LinkKind::network, LinkKind::nvlink}) {
    const bool isNetwork = kind == LinkKind::network;
    // 32 edge switches of 4 GPUs each.
    const RankTopology all = valueOf(
        RankTopology::create(valueOf(generateFatTree(8, 1, {25, 0.7, kind})),
                             {}, LinkKindSet::all()));
    const NetworkPeers peers = networkPeers(all);
    CHECK(peers.all == (isNetwork ? 127 : 124));
    CHECK(peers.nearest == (isNetwork ? 3 : 0));
    CHECK(peers.servers == 32);
    const int most = fewPeers(peers).front();
    CHECK(most == peers.nearest + 8);
    const RankTopology few = valueOf(limitNetworkPeers(all, most));
    for (const std::vector<int> &others : few.reachedRanks())
      CHECK(others.size() <= 3 + 8);
    for (int rank = 0; rank < 4; ++rank)
      for (int other = 0; other < 4; ++other)
        CHECK((rank == other ||
               llvm::is_contained(few.reachedRanks()[size_t(rank)], other)));
    CHECK(few.stronglyConnectedRanks().size() == 1);
    for (Collective collective : {Collective::allreduce, Collective::allgather})
      CHECK(rateOf(few, collective) ==
            doctest::Approx(rateOf(all, collective)).epsilon(1e-6));
    // Too few peers for the other ranks at a switch: each rank counts as a
    // server.
    if (isNetwork)
      CHECK(peersOf(valueOf(limitNetworkPeers(all, 3))) <= 3);
  }
}
