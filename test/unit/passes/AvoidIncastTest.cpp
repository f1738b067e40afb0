//===- AvoidIncastTest.cpp --------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/AvoidIncast.h"

#include "test/unit/topology/TestTopology.h"

#include <set>

using namespace blink;
using namespace blink::test;

namespace {

constexpr double kTcp = 12, kRdma = 1; // latency of half a path, microseconds

RankTopology flat(size_t servers, double bandwidth = 0.05,
                  double latency = kTcp) {
  return serversOf(std::vector<double>(servers, bandwidth), latency);
}

struct Found {
  Packing selected;
  std::optional<Packing> fewer;
};

Found find(const RankTopology &servers, Collective collective) {
  const PackingProblem problem{&servers, collective, 0};
  const PackedTrees packed = valueOf(packTrees(problem));
  Found found{valueOf(selectTrees(problem, packed, {})), std::nullopt};
  found.fewer = valueOf(avoidIncast(problem, packed, found.selected, {}));
  if (found.fewer) {
    CHECK(!problem.verify(*found.fewer));
    CHECK(found.fewer->algbw == doctest::Approx(packed.packing.algbw));
  }
  return found;
}

/// Returns the most other ranks from which a rank receives.
size_t mostSenders(const Packing &packing, int numRanks) {
  std::vector<std::set<int>> senders(static_cast<size_t>(numRanks));
  for (const Tree &tree : packing.trees)
    for (const auto *edges : {&tree.up, &tree.down})
      for (const TreeEdge &edge : *edges)
        senders[size_t(edge.to)].insert(edge.from);
  size_t most = 0;
  for (const std::set<int> &of : senders)
    most = std::max(most, of.size());
  return most;
}

} // namespace

TEST_CASE("over TCP, servers exchange with two others if that costs no rate") {
  for (Collective collective : {Collective::allgather, Collective::allreduce,
                                Collective::reducescatter}) {
    CAPTURE(toString(collective));
    const Found found = find(flat(8), collective);
    CHECK(mostSenders(found.selected, 8) > 3);
    REQUIRE(found.fewer);
    CHECK(mostSenders(*found.fewer, 8) == 2);
  }
}

TEST_CASE("peers are as many as the rate needs") {
  const RankTopology mixed =
      serversOf({0.05, 0.1, 0.05, 0.1, 0.05, 0.1, 0.05, 0.1}, kTcp);
  const Found found = find(mixed, Collective::allgather);
  REQUIRE(found.fewer);
  CHECK(mostSenders(*found.fewer, 8) <= 4);
}

TEST_CASE("all may be peers where no senders meet, or meet unnoticed") {
  CHECK(!find(flat(2), Collective::allreduce).fewer);
  CHECK(!find(flat(8), Collective::broadcast).fewer);
  CHECK(!find(flat(17), Collective::allgather).fewer);
  CHECK(!find(flat(8), Collective::alltoall).fewer);
  CHECK(!find(flat(8, 0.05, kRdma), Collective::allgather).fewer);
  CHECK(!find(rankTopologyOf(shippedTopology("dgx1")), Collective::allgather)
             .fewer);
}
