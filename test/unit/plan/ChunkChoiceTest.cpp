//===- ChunkChoiceTest.cpp --------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/ChunkChoice.h"

#include "compiler/packing/PackTrees.h"
#include "compiler/packing/SelectTrees.h"
#include "test/unit/topology/TestTopology.h"

#include <algorithm>

using namespace blink;
using namespace blink::test;

namespace {

FoldProgram programOf(const Topology &topology, Collective collective) {
  const RankTopology ranks = rankTopologyOf(topology);
  const PackingProblem problem{&ranks, collective, 0};
  const Packing trees =
      valueOf(selectTrees(problem, valueOf(packTrees(problem)), {}));
  return valueOf(planForest(problem, trees, Protocol::simple, 16));
}

} // namespace

TEST_CASE("slots of a medium variant hold its messages and no more") {
  const FoldProgram program =
      programOf(shippedTopology("dgx-h100"), Collective::allgather);
  const ChannelSlots large =
      chooseSlotsFor(program, {Protocol::simple, std::nullopt}, 0);
  for (const uint64_t end : {64 << 10, 1 << 20, 16 << 20}) {
    CAPTURE(end);
    const ChannelSlots medium =
        chooseSlotsFor(program, {Protocol::simple, end}, 0);
    CHECK(medium.slots == large.slots);
    CHECK(medium.chunks.bytes % 64 == 0);
    CHECK(medium.chunks.bytes <= large.chunks.bytes);
    const auto most = uint64_t(double(end) * largestShare(program));
    CHECK(medium.chunks.bytes <= most + 128);
    // Messages are cut as if slots were as large as for large messages.
    for (uint64_t bytes = 1; bytes <= most; bytes *= 2)
      CHECK(std::min(bytes, sched::chunkBytesOfCall(medium.chunks, bytes)) ==
            std::min(bytes, sched::chunkBytesOfCall(large.chunks, bytes)));
  }
}
