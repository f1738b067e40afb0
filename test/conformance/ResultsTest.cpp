//===- ResultsTest.cpp - every element is right ---------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Elements.h"
#include "test/conformance/Job.h"

#include "doctest/doctest.h"

#include <algorithm>

using namespace blink;
using namespace blink::test;

namespace {

#if BLINK_TEST_CUDA
constexpr int kMostRanks = 5; // an emulated lane is several host threads
#else
constexpr int kMostRanks = 16;
#endif

/// The ways a forest is laid out that the runtime must not mind.
std::vector<BuildOptions> layouts() {
  std::vector<BuildOptions> list(8);
  list[0].shape = Shape::chain; // one lane for everything, one slot
  list[0].lanes = 1;
  list[0].slots = 1;
  list[0].chunkBytes = 64;
  list[1].shape = Shape::star;
  list[1].splitRoot = true;
  list[2].shape = Shape::binary;
  list[2].treesPerBlock = 2;
  list[2].chunkBytes = 16; // chunks smaller than a granule
  list[3].shape = Shape::random;
  list[3].treesPerBlock = 3;
  list[3].lanes = 3; // up and down folds of different trees share lanes
  list[3].chunkBytes = 4096;
  list[4].shape = Shape::random;
  list[4].treesPerBlock = 7;
  list[4].lanes = 14;
  list[4].slots = 5;
  list[4].chunkBytes = 1 << 20;
  list[5].shape = Shape::random;
  list[5].treesPerBlock = 2;
  list[5].lanes = 1;
  list[5].chunkBytes = 48;
  list[5].splitRoot = true;
  list[6].shape = Shape::oneHop; // one tree, one chunk
  list[6].chunkBytes = 64 << 10;
  list[7].shape = Shape::oneHop;
  list[7].treesPerBlock = 3;
  list[7].chunkBytes = 48;
  list[7].slots = 1;
  for (size_t i = 0; i < list.size(); ++i)
    list[i].seed = uint32_t(i + 1);
  return list;
}

/// Counts cases, so that options vary in step with them and all pairs come up.
struct Mix {
  unsigned number = 0;

  Case next(Collective collective, size_t count, int root) {
    Case c = variedCase(collective, count, root, number);
    c.threads = number % 7 == 0;
    ++number;
    return c;
  }
};

} // namespace

TEST_CASE("every layout, for several numbers of ranks") {
  Mix mix;
  for (int ranks : {1, 2, 3, 5, 8, 16})
    for (BuildOptions layout : layouts()) {
      if (ranks > kMostRanks)
        continue;
      // A block a rank and 14 lanes: 16 ranks would be 224 threads each time.
      if (ranks == 16 && layout.treesPerBlock > 3)
        continue;
      layout.lanes = std::min(layout.lanes, mostLanes(ranks));
      int root = (ranks - 1) / 2;
      Job job(allCollectives(ranks, root, layout), ranks);
      for (Collective collective : sched::EnumValuesCollective())
        for (size_t count : {0, 1, 3, 17, 1025, 4097}) {
          if (count > 2000 && layout.chunkBytes < 100)
            continue; // thousands of chunks teach no more than hundreds
          Case c = mix.next(collective, count, root);
          std::string wrong = runCase(job, c);
          if (!wrong.empty())
            FAIL_CHECK(ranks << " ranks, layout " << layout.seed << ": "
                             << wrong);
        }
    }
}

TEST_CASE("every collective, type and operator") {
  BuildOptions layout;
  layout.shape = Shape::random;
  layout.treesPerBlock = 2;
  layout.lanes = 3;
  layout.chunkBytes = 256;
  for (int ranks : {1, 3}) {
    Job job(allCollectives(ranks, ranks - 1, layout), ranks);
    for (Collective collective : sched::EnumValuesCollective())
      for (blinkDataType_t type : kTypes)
        for (blinkRedOp_t op : kOps)
          for (bool inPlace : {false, true}) {
            if (inPlace && collective == Collective::alltoall)
              continue; // there is none
            Case c;
            c.collective = collective;
            c.type = type;
            c.op = op;
            c.count = 333;
            c.root = ranks - 1;
            c.inPlace = inPlace;
            c.misaligned = inPlace;
            std::string wrong = runCase(job, c);
            if (!wrong.empty())
              FAIL_CHECK(ranks << " ranks: " << wrong);
          }
  }
}

TEST_CASE("large odd counts") {
  BuildOptions layout;
  layout.treesPerBlock = 3;
  layout.lanes = std::min(6, mostLanes(8));
  layout.chunkBytes = 64 << 10;
  Job job(allCollectives(8, 5, layout), 8);
  Case c;
  c.count = (1 << 20) + 3;
  CHECK(runCase(job, c) == "");
  c.inPlace = c.threads = true;
  CHECK(runCase(job, c) == "");
  c.type = blinkBfloat16;
  c.op = blinkAvg;
  c.collective = Collective::reducescatter;
  c.count = (1 << 17) + 3;
  CHECK(runCase(job, c) == "");
  c.type = blinkInt8;
  c.collective = Collective::allgather;
  CHECK(runCase(job, c) == "");
  c.collective = Collective::broadcast;
  c.root = 5;
  CHECK(runCase(job, c) == "");
}

TEST_CASE("a message's size chooses the variant") {
  // Two variants that tell themselves apart: the one for larger messages sends
  // the data of rank 1, though the program's root is rank 0.
  TestSchedule model = makeSchedule(Collective::broadcast, 0, 2, {});
  TestSchedule other = makeSchedule(Collective::broadcast, 1, 2, {});
  TestVariant large = other.variant();
  model.variant().maxBytes = large.minBytes = 1024;
  model.programs[0].variants.push_back(large);
  Job job(model, 2);
  Case c;
  c.collective = Collective::broadcast;
  c.count = 255;
  CHECK(runCase(job, c) == "");
  c.count = 256; // 1,024 bytes belong to the next variant
  CHECK(runCase(job, c) != "");
  // For allgather the size is that of all blocks.
  model = makeSchedule(Collective::allgather, 0, 2, {});
  large = model.variant();
  for (TestOperand &operand : large.ranks[0].operands)
    if (operand.kind == sched::OperandKind::output)
      operand.index ^= 1;
  model.variant().maxBytes = large.minBytes = 1024;
  model.programs[0].variants.push_back(large);
  Job gather(model, 2);
  c.collective = Collective::allgather;
  c.count = 127;
  CHECK(runCase(gather, c) == "");
  c.count = 128;
  CHECK(runCase(gather, c) != "");
}

#if !BLINK_TEST_CUDA // the elements' functions are the same on both back ends
TEST_CASE("max and min are NaN where any contribution is") {
  Job job(makeSchedule(Collective::allreduce, 0, 3, {}), 3);
  for (blinkDataType_t type : {blinkFloat16, blinkBfloat16, blinkFloat32,
                               blinkFloat64, blinkFloat8e4m3, blinkFloat8e5m2})
    for (blinkRedOp_t op : {blinkMax, blinkMin})
      for (int nanRank = 0; nanRank < 3; ++nanRank) {
        uint64_t in[3], out[3] = {0, 0, 0};
        for (int rank = 0; rank < 3; ++rank)
          in[rank] = encode(type, rank == nanRank ? double(NAN) : rank - 1.0);
        CHECK(job.inGroup([&](int rank) {
          return blinkAllReduce(&in[rank], &out[rank], 1, type, op, job[rank],
                                nullptr);
        }) == blinkSuccess);
        for (uint64_t bits : out) {
          double value = decode(type, bits);
          CHECK(value != value);
        }
      }
}
#endif
