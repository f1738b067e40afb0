//===- RandomGraphsTest.cpp -------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Random machines: compared with enumeration if GPUs are joined directly, and
// with the certificate if there are switches between them.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/PackTrees.h"
#include "compiler/packing/SelectTrees.h"
#include "test/unit/packing/Oracles.h"
#include "test/unit/topology/TestTopology.h"

#include <string>

using namespace blink;
using namespace blink::test;

namespace {

double packedRate(const RankTopology &rankTopology, Collective collective,
                  int root = 0) {
  PackingProblem problem{&rankTopology, collective, root};
  PackedTrees packed = valueOf(packTrees(problem));
  CHECK(!problem.verify(packed.packing));
  double bound = packed.certificate.bound;
  CHECK(packed.packing.algbw == doctest::Approx(bound).epsilon(1e-8));
  Packing selected = valueOf(selectTrees(problem, packed, {}));
  CHECK(!problem.verify(selected));
  CHECK(selected.algbw >= 0.99 * bound * (1 - 1e-7));
  return packed.packing.algbw;
}

/// Returns some GPUs on some switches that form a ring.
Topology switchedMachine(std::minstd_rand &random) {
  Topology machine;
  machine.name = "switched";
  int gpus = 2 + random() % 6, switches = 1 + random() % 3;
  for (int i = 0; i < gpus; ++i)
    machine.nodes.push_back({"gpu" + std::to_string(i), NodeKind::gpu});
  for (int i = 0; i < switches; ++i)
    machine.nodes.push_back({"sw" + std::to_string(i), NodeKind::switch_});
  auto join = [&](int a, int b) {
    for (const Link &link : machine.links)
      if (link.from == a && link.to == b)
        return;
    double out = 5.0 * (1 + random() % 6), back = 5.0 * (1 + random() % 6);
    machine.links.push_back({a, b, out, 1, LinkKind::nvlink});
    machine.links.push_back({b, a, back, 1, LinkKind::nvlink});
  };
  for (int i = 0; i < switches; ++i)
    if (switches > 1)
      join(gpus + i, gpus + (i + 1) % switches);
  for (int i = 0; i < gpus; ++i)
    join(i, gpus + static_cast<int>(random() % switches));
  for (int extra = random() % 5; extra > 0; --extra)
    if (int a = random() % gpus, b = random() % gpus; a != b)
      join(std::min(a, b), std::max(a, b));
  return machine;
}

} // namespace

TEST_CASE("directed graphs reach the cut bounds of Edmonds") {
  std::minstd_rand random(6);
  for (int trial = 0; trial < 60; ++trial) {
    CAPTURE(trial);
    int n = 2 + trial % 6;
    Capacities capacities = randomCapacities(random, n, false);
    RankTopology rankTopology = rankTopologyOf(machineOf(capacities));
    int root = static_cast<int>(random() % n);
    Capacities back = reversed(capacities);
    auto near = [](double value) {
      return doctest::Approx(value).epsilon(1e-8);
    };
    CHECK(packedRate(rankTopology, Collective::broadcast, root) ==
          near(broadcastOptimum(capacities, root)));
    CHECK(packedRate(rankTopology, Collective::reduce, root) ==
          near(broadcastOptimum(back, root)));
    CHECK(packedRate(rankTopology, Collective::allgather) ==
          near(allgatherOptimum(capacities)));
    CHECK(packedRate(rankTopology, Collective::reducescatter) ==
          near(allgatherOptimum(back)));
    packedRate(rankTopology, Collective::allreduce);
  }
}

TEST_CASE("symmetric graphs reach the bound of Nash-Williams") {
  std::minstd_rand random(7);
  for (int trial = 0; trial < 30; ++trial) {
    CAPTURE(trial);
    Capacities capacities = randomCapacities(random, 2 + trial % 6, true);
    CHECK(packedRate(rankTopologyOf(machineOf(capacities)),
                     Collective::allreduce) ==
          doctest::Approx(allreduceOptimum(capacities)).epsilon(1e-8));
  }
}

TEST_CASE("machines with switches are solved with proof") {
  std::minstd_rand random(8);
  for (int trial = 0; trial < 40; ++trial) {
    CAPTURE(trial);
    RankTopology rankTopology = rankTopologyOf(switchedMachine(random));
    for (Collective collective : sched::kJointCollectives)
      packedRate(rankTopology, collective);
  }
}
