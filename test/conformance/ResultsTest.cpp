//===- ResultsTest.cpp - every element is right ---------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Elements.h"
#include "test/conformance/Job.h"

#include "doctest/doctest.h"
#include "schedules/Collectives.h"

#include <algorithm>
#include <cfenv>

using namespace blink;
using namespace blink::test;

namespace {

#if BLINK_TEST_CUDA
constexpr int kMostGroup = kSlow ? 3 : 5; // an emulated lane is several threads
#else
constexpr int kMostGroup = kSlow ? 8 : 16;
#endif

/// Returns layouts of a forest that must not affect results.
std::vector<BuildOptions> layouts() {
  std::vector<BuildOptions> list(8);
  list[0].shape = Shape::chain; // everything in one lane, with one slot
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
  list[3].lanes = 3; // folds up and down of different trees share lanes
  list[3].chunkBytes = 4096;
  list[4].shape = Shape::random;
  list[4].treesPerBlock = 7;
  list[4].lanes = 14;
  list[4].slots = 5;
  list[4].chunkBytes = 64 << 10; // larger than a block of any message below
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
  for (size_t i : {2, 4, 5, 6})
    list[i].skewed = true;
  for (size_t i = 0; i < list.size(); ++i)
    list[i].seed = uint32_t(i + 1);
  return list;
}

/// Counts cases, so that options vary with the number and all pairs occur.
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
      if (ranks > kMostGroup || (ranks > 8 && isRemote()) ||
          (kSlow && ranks != 3 && ranks != 8) ||
          (kSanitized && isRemote() && ranks != 3))
        continue; // few threads, and more than there are processors
      // With a block per rank and 14 lanes, 16 ranks would be 224 threads each
      // time.
      if (ranks == 16 && layout.treesPerBlock > 3)
        continue;
      layout.lanes = std::min(layout.lanes, mostLanes(ranks));
      int root = (ranks - 1) / 2;
      Job job(allCollectives(ranks, root, layout), ranks);
      for (Collective collective : collectives())
        for (size_t count : {0, 1, 3, 17, 1025, 4097}) {
          if (count > 2000 && layout.chunkBytes < 100)
            continue; // thousands of chunks show no more than hundreds
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
    for (Collective collective : collectives())
      for (blinkDataType_t type : kTypes)
        for (blinkRedOp_t op : kOps)
          for (bool inPlace : {false, true}) {
            if (kSlow && (op != blinkSum || bytesOf(type) % 4 != 0))
              continue; // threads run in the same order
            if (reduces(collective) ? !hasReduction(type, op) : op != blinkSum)
              continue;
            if (inPlace && !sched::hasInPlace(collective))
              continue; // the collective has no in-place form
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
  c.count = (kSlow ? 1 << 16 : kSanitized ? 1 << 18 : 1 << 20) + 3;
  CHECK(runCase(job, c) == "");
  c.inPlace = c.threads = true;
  CHECK(runCase(job, c) == "");
  c.type = blinkBfloat16;
  c.op = blinkAvg;
  c.collective = Collective::reducescatter;
  c.count = (kSlow ? 1 << 15 : 1 << 17) + 3;
  CHECK(runCase(job, c) == "");
  c.type = blinkInt8;
  c.collective = Collective::allgather;
  CHECK(runCase(job, c) == "");
  c.collective = Collective::broadcast;
  c.root = 5;
  CHECK(runCase(job, c) == "");
}

TEST_CASE("a message's size chooses the variant") {
  // The two variants are distinguishable: the one for larger messages sends the
  // data of rank 1, although the program's root is rank 0.
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
  // For allgather, the size is that of all blocks together.
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

namespace {

/// Runs an allreduce of given bits over two ranks and returns the result
/// element by element.
std::vector<uint64_t> reduced(const Job &job, blinkDataType_t type,
                              blinkRedOp_t op, const std::vector<uint64_t> &a,
                              const std::vector<uint64_t> &b) {
  Case c;
  c.type = type;
  c.op = op;
  c.count = a.size();
  std::vector<RankBuffers> buffers;
  for (int rank : {0, 1}) {
    useDeviceOf(rank);
    buffers.emplace_back(c, 2, rank);
    buffers[rank].fill(rank == 0 ? a : b);
  }
  const auto results = job.onThreads([&](int rank) {
    return call(c, buffers[rank].send(), buffers[rank].recv(), job[rank],
                job.stream(rank));
  });
  CHECK(results == std::vector<blinkResult_t>(2, blinkSuccess));
  std::vector<uint64_t> result = buffers[0].result();
  CHECK(result == buffers[1].result());
  return result;
}

} // namespace

TEST_CASE("every narrow value is widened and rounded as its format says") {
  // A GPU converts by its own instructions; this test has an independent
  // conversion to compare with. Products of any two values give results of all
  // kinds, including halfway cases of rounding. Sums with -0 return the value
  // itself.
  if (kSlow) // threads run in the same order
    return;
  Job job(makeSchedule(Collective::allreduce, 0, 2, {}), 2);
  std::mt19937 random(11);
  for (blinkDataType_t type :
       {blinkFloat16, blinkBfloat16, blinkFloat8e4m3, blinkFloat8e5m2}) {
    const uint64_t all = uint64_t(1) << (8 * bytesOf(type));
    const uint64_t nan = all / 2 - 1;
    const auto isNan = [&](uint64_t bits) {
      const double value = decode(type, bits);
      return value != value;
    };
    for (blinkRedOp_t op : {blinkSum, blinkProd, blinkMax}) {
      std::vector<uint64_t> a(0x10000), b(a.size());
      for (size_t i = 0; i < a.size(); ++i) {
        a[i] = i % all;
        b[i] = op == blinkSum ? all / 2 : random() % all; // -0
      }
      const std::vector<uint64_t> got = reduced(job, type, op, a, b);
      size_t wrong = 0;
      for (size_t i = 0; i < a.size(); ++i) {
        const float x = float(decode(type, a[i])),
                    y = float(decode(type, b[i]));
        const float value = op == blinkSum    ? x + y
                            : op == blinkProd ? x * y
                            : x > y           ? x
                                              : y;
        const bool undefined = value != value || isNan(a[i]) || isNan(b[i]);
        // The two zeros are equal; which of them is the maximum has nothing to
        // do with conversions.
        if (op == blinkMax && !undefined && x == y)
          continue;
        wrong += got[i] != (undefined ? nan : encode(type, double(value)));
      }
      CAPTURE(int(type));
      CAPTURE(int(op));
      CHECK(wrong == 0);
    }
  }
}

#if !BLINK_TEST_CUDA // both back ends share the elements' functions
TEST_CASE("results do not depend on the caller's floating-point mode") {
  constexpr int kRanks = 2;
  constexpr size_t kCount = 1 << 20; // threads of the pool work on it, too
  BuildOptions layout;
  layout.chunkBytes = 1 << 20;
  Job job(makeSchedule(Collective::allreduce, 0, kRanks, layout), kRanks);
  const std::vector<float> in[kRanks] = {std::vector<float>(kCount, 1),
                                         std::vector<float>(kCount, 1e-10f)};
  for (int round = 0; round < 5; ++round)
    job.onThreads([&](int rank) {
      std::vector<float> out(kCount);
      const int before = std::fegetround();
      std::fesetround(round > 0 && rank == 0 ? FE_UPWARD : FE_TONEAREST);
      const blinkResult_t result =
          blinkAllReduce(in[rank].data(), out.data(), kCount, blinkFloat32,
                         blinkSum, job[rank], nullptr);
      CHECK(std::fegetround() ==
            (round > 0 && rank == 0 ? FE_UPWARD : FE_TONEAREST));
      std::fesetround(before);
      CHECK(std::count(out.begin(), out.end(), 1.0f) == kCount);
      return result;
    });
}

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
