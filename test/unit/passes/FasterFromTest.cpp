//===- FasterFromTest.cpp - the size at which a variant takes over --------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/FasterFrom.h"
#include "compiler/packing/PackTrees.h"
#include "compiler/packing/SelectTrees.h"
#include "compiler/plan/ChunkChoice.h"
#include "compiler/plan/LatencyTree.h"
#include "compiler/plan/SizeRanges.h"
#include "compiler/plan/SpreadTrees.h"
#include "compiler/simulate/ShortTimes.h"
#include "test/unit/topology/TestTopology.h"

#include "doctest/doctest.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace blink;
using namespace blink::test;

namespace {

constexpr uint64_t kGiven = 64 << 10;

/// Two variants of a program, of which the second one begins at `given`.
struct Pair {
  RangedProgram small, large;
};

Pair pairOf(const std::string &machine, Collective collective, uint64_t given,
            sched::Protocol protocol = sched::Protocol::low_latency) {
  const RankTopology ranks = rankTopologyOf(shippedTopology(machine));
  const PackingProblem problem{&ranks, collective, 0};
  auto programOf = [&](const Packing &packing, sched::Protocol of) {
    return valueOf(planForest(problem, packing, of, 16));
  };
  return {
      {programOf(valueOf(packLatencyTrees(problem, protocol)), protocol),
       protocol, 0, given},
      {programOf(valueOf(selectTrees(problem, valueOf(packTrees(problem)), {})),
                 sched::Protocol::simple),
       sched::Protocol::simple, given, std::nullopt}};
}

uint64_t fromOf(Pair pair) {
  return valueOf(fasterFrom(std::move(pair.small), std::move(pair.large), 0))
      .value();
}

double rangedTime(RangedProgram &variant, uint64_t most, uint64_t bytes) {
  std::optional<uint64_t> maxBytes;
  if (variant.maxBytes)
    maxBytes = most;
  const ChannelSlots slots =
      chooseSlotsFor(variant.program, {variant.protocol, maxBytes}, 0);
  assignSlots(variant.program, slots);
  return valueOf(
      shortTime(variant.program, slots.chunks, bytes, variant.protocol));
}

/// Whether the large variant is no slower.
bool isFaster(Pair pair, uint64_t bytes) {
  return rangedTime(pair.large, 0, bytes) <=
         rangedTime(pair.small, std::max(bytes, kGiven), bytes);
}

} // namespace

TEST_CASE("a variant takes over where it becomes the faster one") {
  const std::vector<uint64_t> sizes = comparedSizes();
  int lower = 0, higher = 0;
  for (const char *machine : {"dgx1", "pcie-8gpu", "mi250"})
    for (Collective collective :
         {Collective::allreduce, Collective::broadcast, Collective::allgather})
      for (const sched::Protocol protocol :
           {sched::Protocol::low_latency, sched::Protocol::simple}) {
        CAPTURE(machine);
        CAPTURE(toString(collective));
        const Pair pair = pairOf(machine, collective, kGiven, protocol);
        const uint64_t from = fromOf(pair);
        const auto place = llvm::lower_bound(sizes, from);
        REQUIRE(*place == from);
        // A size above four times the given one, and above it at all if
        // protocols differ, is not asked for.
        const bool mixed = protocol != sched::Protocol::simple;
        if (from < (mixed ? kGiven : 4 * kGiven))
          CHECK(isFaster(pair, from));
        if (place != sizes.begin() && from <= 4 * kGiven)
          CHECK(!isFaster(pair, place[-1]));
        CHECK(from <= (mixed ? kGiven : 4 * kGiven));
        lower += from < kGiven;
        higher += from > kGiven;
      }
  CHECK(lower > 0);
  CHECK(higher > 0);
}

TEST_CASE("ranges keep some size") {
  // The large variant of a size that it serves alone is the faster one.
  Pair pair = pairOf("dgx1", Collective::broadcast, 1 << 20);
  pair.small.minBytes = 768 << 10;
  CHECK(fromOf(pair) == 896 << 10);
}

TEST_CASE("what is not compared stays") {
  const Pair odd = pairOf("dgx1", Collective::broadcast, 1000);
  CHECK(fromOf(odd) == 1000);
  // Thousands of waves for each of the folds.
  const Pair large = pairOf("dgx1", Collective::broadcast, 16 << 20);
  CHECK(fromOf(large) == 16 << 20);
}

TEST_CASE("a variant that is faster for no size is not needed") {
  const RankTopology ranks = rankTopologyOf(shippedTopology("dgx2"));
  const PackingProblem problem{&ranks, Collective::allgather, 0};
  const Packing trees =
      valueOf(selectTrees(problem, valueOf(packTrees(problem)), {}));
  auto inParts = [&](unsigned parts) {
    const std::vector<unsigned> all(trees.trees.size(), parts);
    return valueOf(planParts(problem, trees, all, {16, 0}));
  };
  constexpr uint64_t kEnd = 8 << 20;
  const RangedProgram few{inParts(2), sched::Protocol::simple, 0, kEnd};
  const RangedProgram many{inParts(16), sched::Protocol::simple, kEnd,
                           std::nullopt};
  CHECK(!valueOf(fasterFrom(few, many, 0)));
  // Large messages need more lanes than one for each tree.
  RangedProgram whole = few;
  whole.program = inParts(1);
  CHECK(valueOf(fasterFrom(whole, many, 0)));
}
