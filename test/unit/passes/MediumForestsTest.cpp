//===- MediumForestsTest.cpp ------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/MediumForests.h"

#include "compiler/packing/PackTrees.h"
#include "compiler/packing/SelectTrees.h"
#include "compiler/passes/FastestOrder.h"
#include "compiler/plan/ChunkChoice.h"
#include "compiler/plan/DefaultLanes.h"
#include "compiler/plan/ExpandForest.h"
#include "compiler/plan/LatencyTree.h"
#include "compiler/plan/SizeRanges.h"
#include "compiler/plan/SpreadTrees.h"
#include "compiler/simulate/ShortTimes.h"
#include "test/unit/topology/TestTopology.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace blink;
using namespace blink::test;

namespace {

constexpr uint64_t kBegin = 256 << 10;

/// A collective on all GPUs of a shipped machine, with trees for large messages
/// in parts, and low ones for messages below kBegin.
struct Job {
  explicit Job(const std::string &machine, Collective collective)
      : ranks(rankTopologyOf(shippedTopology(machine))),
        problem{&ranks, collective, 0}, limits(defaultLimits(ranks)),
        packed(valueOf(packTrees(problem))) {
    const Packing whole = valueOf(selectTrees(problem, packed, {}));
    std::vector<unsigned> parts =
        valueOf(chooseParts(problem, whole, limits, 0));
    if (parts.empty())
      parts.assign(whole.trees.size(), 1);
    large = splitPacking(whole, parts);
  }

  Neighbours neighbours() const {
    constexpr Protocol kProtocol = Protocol::low_latency;
    const Packing low = valueOf(packLatencyTrees(problem, kProtocol));
    return {RangedProgram{
                valueOf(planForest(problem, low, kProtocol, limits.maxLanes)),
                kProtocol, 0, kBegin},
            large, kBegin};
  }
  MediumForests find(const Neighbours &given) const {
    return valueOf(mediumForests(problem, given, limits));
  }

  /// Returns what a message takes over trees for large or medium messages.
  double timeOf(const Packing &packing, uint64_t bytes) const {
    FoldProgram program = valueOf(expandForest(problem, packing));
    constexpr VariantUse kUse{Protocol::simple, std::nullopt};
    valueOf(assignFastestOrder(program, kUse, limits.maxLanes,
                               [](FoldProgram &) {}));
    return timeOf(std::move(program), kUse, bytes);
  }
  static double timeOf(FoldProgram program, VariantUse use, uint64_t bytes) {
    const ChannelSlots slots = chooseSlotsFor(program, use, 0);
    assignSlots(program, slots);
    return valueOf(shortTime(program, slots.chunks, bytes, use.protocol));
  }

  RankTopology ranks;
  PackingProblem problem;
  ScheduleLimits limits;
  PackedTrees packed;
  Packing large;
};

} // namespace

TEST_CASE("medium messages are faster over trees in fewer parts") {
  struct Machine {
    const char *name;
    Collective collective;
    uint64_t bytes;
  };
  for (auto [name, collective, bytes] :
       {Machine{"dgx-h100", Collective::broadcast, 512 << 10},
        Machine{"dgx-h100", Collective::allgather, 256 << 10},
        Machine{"mi300x", Collective::broadcast, 512 << 10},
        Machine{"dgx-b200", Collective::allreduce, 512 << 10}}) {
    CAPTURE(name);
    const Job job(name, collective);
    const MediumForests medium = job.find(job.neighbours());
    REQUIRE(!medium.forests.empty());
    CHECK(medium.forests.size() <= 2);
    uint64_t end = medium.forests.front().begin;
    CHECK(end <= kBegin);
    const MediumForest *of = nullptr;
    for (const MediumForest &forest : medium.forests) {
      CHECK(forest.begin == end);
      CHECK(forest.end > forest.begin);
      CHECK(forest.packing.trees.size() < job.large.trees.size());
      CHECK(forest.packing.algbw == job.large.algbw);
      CHECK(!job.problem.verify(forest.packing));
      end = forest.end;
      if (forest.begin <= bytes && bytes < forest.end)
        of = &forest;
    }
    CHECK(end > kBegin);
    REQUIRE(of);
    CHECK(job.timeOf(of->packing, bytes) < 0.9 * job.timeOf(job.large, bytes));
  }
}

TEST_CASE("no message takes noticeably longer") {
  constexpr double kSlower = 1.031;
  struct Machine {
    const char *name;
    Collective collective;
  };
  for (auto [name, collective] :
       {Machine{"mi100-8gpu", Collective::allgather},
        Machine{"mi100-8gpu", Collective::reducescatter},
        Machine{"dgx-a100", Collective::allreduce},
        Machine{"rtx-a6000-4gpu", Collective::allreduce},
        Machine{"v100-cube-mesh", Collective::reducescatter}}) {
    CAPTURE(name);
    const Job job(name, collective);
    const Neighbours given = job.neighbours();
    for (const MediumForest &forest : job.find(given).forests)
      for (auto [place, bytes] : llvm::enumerate(comparedSizes())) {
        if (place % 4 != 0 || bytes < forest.begin || bytes >= forest.end ||
            bytes > (4 << 20))
          continue;
        double now = job.timeOf(job.large, bytes);
        if (bytes < kBegin)
          now =
              std::min(now, job.timeOf(given.small->program,
                                       {Protocol::low_latency, kBegin}, bytes));
        CAPTURE(bytes);
        CHECK(job.timeOf(forest.packing, bytes) < kSlower * now);
      }
  }
}

TEST_CASE("lower trees serve medium messages, of which less is on the way") {
  const Job job("dgx1", Collective::broadcast);
  Neighbours given = job.neighbours();
  const MediumForests without = job.find(given);
  SelectOptions options;
  options.slack = 0.25;
  given.others = {valueOf(selectTrees(job.problem, job.packed, options))};
  const double rate = given.others.front().algbw;
  REQUIRE(rate < job.large.algbw);
  const MediumForests with = job.find(given);
  REQUIRE(!with.forests.empty());
  const Packing &lower = with.forests.front().packing;
  CHECK(lower.algbw == rate);
  CHECK(job.timeOf(lower, kBegin) < 0.8 * job.timeOf(job.large, kBegin));
  for (const MediumForest &forest : without.forests)
    CHECK(forest.packing.algbw == job.large.algbw);
}

TEST_CASE("there are none if large trees are whole or chunks hide nothing") {
  const Job whole("pcie-8gpu", Collective::allgather);
  CHECK(whole.find(whole.neighbours()).forests.empty());
  const Job loaded("dgx-h100", Collective::reducescatter);
  CHECK(loaded.find({std::nullopt, loaded.large, kBegin}).forests.empty());
}

TEST_CASE("without a small variant, the first forest begins with the large") {
  const Job job("dgx-h100", Collective::broadcast);
  for (const uint64_t begin : {uint64_t(0), kBegin}) {
    const MediumForests medium = job.find({std::nullopt, job.large, begin});
    REQUIRE(!medium.forests.empty());
    CHECK(medium.forests.front().begin == begin);
  }
}

TEST_CASE("the order of large trees is that of assignFastestOrder") {
  const Job job("dgx-h100", Collective::allreduce);
  FoldProgram program = valueOf(expandForest(job.problem, job.large));
  const LaneOrder found = job.find(job.neighbours()).largeOrder;
  const LaneOrder fastest =
      valueOf(assignFastestOrder(program, {Protocol::simple, std::nullopt},
                                 job.limits.maxLanes, [](FoldProgram &) {}));
  CHECK(found.trees == fastest.trees);
  CHECK(found.mayMix == fastest.mayMix);
  CHECK(found.trees != TreeOrder::asGiven);
}
