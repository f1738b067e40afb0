//===- SelectForLanesTest.cpp -----------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/SelectForLanes.h"

#include "compiler/generate/Generate.h"
#include "compiler/packing/PackTrees.h"
#include "compiler/passes/FastestOrder.h"
#include "compiler/plan/ChunkChoice.h"
#include "compiler/plan/DefaultLanes.h"
#include "compiler/plan/ExpandForest.h"
#include "compiler/plan/SpreadTrees.h"
#include "compiler/simulate/ShortTimes.h"
#include "compiler/support/Error.h"
#include "test/common/Contains.h"
#include "test/unit/topology/TestTopology.h"

#include "llvm/ADT/STLExtras.h"

#include <vector>

using namespace blink;
using namespace blink::test;

namespace {

/// A collective on all GPUs of a machine, with the trees that are selected
/// whatever the lanes are.
struct FewLanes {
  FewLanes(const Topology &machine, Collective collective, unsigned lanes,
           uint32_t chunkBytes = 0)
      : ranks(rankTopologyOf(machine)), problem{&ranks, collective, 0},
        limits{lanes, chunkBytes}, packed(valueOf(packTrees(problem))),
        given(valueOf(selectTrees(problem, packed, {}))) {}
  FewLanes(const FewLanes &) = delete;
  FewLanes &operator=(const FewLanes &) = delete;

  llvm::Expected<SelectedForest> select(const SelectOptions &other) {
    asked.push_back(other);
    llvm::Expected<Packing> packing = selectTrees(problem, packed, other);
    if (!packing)
      return packing.takeError();
    return SelectedForest{std::move(*packing)};
  }
  SelectedForest find(const SelectOptions &options = {}) {
    return valueOf(selectForLanes(
        problem, SelectedForest{given}, options, limits,
        [&](const SelectOptions &other) { return select(other); }));
  }

  /// Returns what a message takes over the trees in these parts.
  double timeOf(const Packing &packing, std::vector<unsigned> parts,
                uint64_t bytes) const {
    constexpr VariantUse kUse{Protocol::simple, std::nullopt};
    if (parts.empty())
      parts.assign(packing.trees.size(), 1);
    FoldProgram program =
        valueOf(expandForest(problem, splitPacking(packing, parts)));
    valueOf(assignFastestOrder(program, kUse, limits.maxLanes,
                               [](FoldProgram &) {}));
    const ChannelSlots slots = chooseSlotsFor(program, kUse, 0);
    assignSlots(program, slots);
    return valueOf(shortTime(program, slots.chunks, bytes, kUse.protocol));
  }
  double givenTime(uint64_t bytes) const {
    return timeOf(given, valueOf(chooseParts(problem, given, limits, 0)),
                  bytes);
  }

  RankTopology ranks;
  PackingProblem problem;
  ScheduleLimits limits;
  PackedTrees packed;
  Packing given;
  std::vector<SelectOptions> asked; ///< what select() was called with
};

} // namespace

TEST_CASE("few lanes have trees that suit them") {
  struct Machine {
    const char *name;
    Collective collective;
    unsigned lanes;
    double faster; ///< for 16 MiB, at least this factor
  };
  for (auto [name, collective, lanes, faster] :
       {Machine{"gh200-4gpu", Collective::allgather, 4, 1.4},
        Machine{"gh200-4gpu", Collective::reducescatter, 2, 1.4},
        Machine{"dgx1", Collective::broadcast, 4, 1.15},
        Machine{"dgx1", Collective::allgather, 1, 1.1},
        Machine{"mi250x", Collective::reduce, 4, 1.05}}) {
    CAPTURE(name);
    CAPTURE(toString(collective).str());
    FewLanes job(shippedTopology(name), collective, lanes);
    const SelectedForest found = job.find();
    REQUIRE(found.parts.size() == found.packing.trees.size());
    CHECK(found.packing.trees != job.given.trees);
    CHECK(!llvm::errorToBool(job.problem.verify(found.packing)));
    auto longer = [&](uint64_t bytes) {
      return job.timeOf(found.packing, found.parts, bytes) /
             job.givenTime(bytes);
    };
    CHECK(longer(16 << 20) * faster <= 1);
    for (const uint64_t size : {64 << 20, 256 << 20, 1 << 30})
      CHECK(longer(size) <= 1.04);
  }
}

TEST_CASE("also in chunks so short that long messages are not simulated") {
  FewLanes job(shippedTopology("dgx1"), Collective::broadcast, 4, 1024);
  CHECK(job.find().packing.trees != job.given.trees);
}

TEST_CASE("also over more ranks, for which whole orbits are selected") {
  FewLanes job(valueOf(generateTorus({6, 6}, {50})), Collective::allgather, 2);
  const SelectedForest found = job.find();
  CHECK(bool(found.packing.symmetry));
  CHECK(job.timeOf(found.packing, found.parts, 16 << 20) * 1.2 <=
        job.givenTime(16 << 20));
}

TEST_CASE("trees that are the best for few lanes, too, stay") {
  FewLanes job(shippedTopology("dgx-a100"), Collective::allreduce, 4);
  const SelectedForest found = job.find();
  CHECK(!job.asked.empty());
  CHECK(found.packing.trees == job.given.trees);
  // In parts that are not slower than those by the model.
  CHECK(job.timeOf(found.packing, found.parts, 64 << 20) <=
        job.givenTime(64 << 20) * 1.001);
}

TEST_CASE("short messages do not win at the expense of long ones") {
  FewLanes job(shippedTopology("dgx1p"), Collective::broadcast, 4);
  CHECK(job.find().packing.trees == job.given.trees);
  // Others take less for 1 MiB, but more for 256 MiB.
  SelectOptions other;
  other.slack = 0.05;
  const Packing low = valueOf(job.select(other)).packing;
  auto longer = [&](uint64_t bytes) {
    return job.timeOf(low, {}, bytes) / job.givenTime(bytes);
  };
  CHECK(longer(1 << 20) < 0.8);
  CHECK(longer(64 << 20) < 1.03);
  CHECK(longer(256 << 20) > 1.03);
}

TEST_CASE("nothing else is selected") {
  auto staysAsItIs = [](FewLanes job, const SelectOptions &options = {}) {
    const SelectedForest found = job.find(options);
    CHECK(job.asked.empty());
    CHECK(found.packing.trees == job.given.trees);
    return found.parts.empty();
  };
  const Topology dgx1 = shippedTopology("dgx1");
  SUBCASE("with the default number of lanes") {
    CHECK(staysAsItIs({dgx1, Collective::broadcast, 16}));
    CHECK(staysAsItIs({dgx1, Collective::broadcast, 24}));
    CHECK(staysAsItIs(
        {shippedTopology("gh200-4gpu"), Collective::allgather,
         defaultLimits(rankTopologyOf(shippedTopology("gh200-4gpu")))
             .maxLanes}));
  }
  SUBCASE("if nothing may be given up") {
    SelectOptions exact;
    exact.slack = 0;
    CHECK(staysAsItIs({dgx1, Collective::broadcast, 2}, exact));
  }
  SUBCASE("for routed collectives") {
    CHECK(staysAsItIs({dgx1, Collective::gather, 2}));
    CHECK(staysAsItIs({dgx1, Collective::alltoall, 2}));
  }
  SUBCASE("for many ranks") {
    CHECK(staysAsItIs(
        {valueOf(generateTorus({10, 13}, Wire())), Collective::allreduce, 4}));
    CHECK(staysAsItIs(
        {valueOf(generateRing(17, Wire())), Collective::broadcast, 4}));
  }
  SUBCASE("for a single rank") {
    Topology alone;
    alone.nodes.push_back({"gpu0", NodeKind::gpu});
    CHECK(staysAsItIs({alone, Collective::allgather, 2}));
  }
  SUBCASE("for chunks so short that comparing takes seconds") {
    CHECK(staysAsItIs({dgx1, Collective::broadcast, 2, /*chunkBytes=*/16}));
  }
  SUBCASE("if time is up") {
    SelectOptions late;
    late.keepGoing = [] { return false; };
    CHECK(!staysAsItIs({dgx1, Collective::broadcast, 2}, late)); // has parts
  }
}

TEST_CASE("what may be selected") {
  FewLanes job(shippedTopology("dgx1"), Collective::allgather, 2);
  SelectOptions options;
  options.slack = 0.1;
  job.find(options);
  for (const SelectOptions &other : job.asked) {
    CHECK(other.slack > 0.1);
    CHECK((other.maxTrees == 0 || other.maxTrees >= 8)); // a tree per root
  }
  CHECK(llvm::any_of(job.asked, [](const SelectOptions &other) {
    return other.maxTrees > 0;
  }));
  job.asked.clear();
  options.maxTrees = 9;
  job.find(options);
  REQUIRE(!job.asked.empty());
  for (const SelectOptions &other : job.asked)
    CHECK(other.maxTrees == 9);
}

TEST_CASE("errors of a selection are passed on") {
  FewLanes job(shippedTopology("dgx1"), Collective::broadcast, 2);
  auto result = selectForLanes(
      job.problem, SelectedForest{job.given}, {}, job.limits,
      [](const SelectOptions &) -> llvm::Expected<SelectedForest> {
        return makeError("GLPK is gone");
      });
  REQUIRE(!result);
  CHECK(contains(toString(result.takeError()), "GLPK is gone"));
}
