//===- AccumulateTest.cpp - narrow sums that are rounded once ---*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Programs whose partial sums are float32. Results of 16- and 8-bit types have
// the bits of the exact result, rounded once, in whatever order trees add; all
// other types give the results they give without. Inputs are such that float32
// holds every partial result exactly and the narrow type does not.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Elements.h"
#include "test/conformance/Job.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <random>

using namespace blink;
using namespace blink::test;

namespace {

using Bits = std::vector<uint64_t>;

constexpr blinkDataType_t kNarrow[] = {blinkFloat16, blinkBfloat16,
                                       blinkFloat8e4m3, blinkFloat8e5m2};

/// Returns a random mantissa that uses all digits of the type.
int roughMantissa(blinkDataType_t type, std::mt19937 &random) {
  const int most = type == blinkFloat16      ? 2047
                   : type == blinkBfloat16   ? 255
                   : type == blinkFloat8e4m3 ? 15
                                             : 7;
  return int(random() % uint32_t(2 * most + 1)) - most;
}

uint64_t roughInput(const Case &c, int rank, std::mt19937 &random) {
  if (std::find(std::begin(kNarrow), std::end(kNarrow), c.type) ==
      std::end(kNarrow))
    return inputBits(c.type, c.op, rank, random() % kPeriod);
  // In a product, float32 holds the digits of two ranks only.
  const int most = c.type == blinkFloat16 ? 1 : 5;
  const int exponent = c.op == blinkProd ? int(random() % 3) - 1
                                         : int(random() % uint32_t(most + 1));
  int mantissa = roughMantissa(c.type, random);
  if (c.op == blinkProd && rank >= 2)
    mantissa = random() % 2 ? 1 : -1;
  return encode(c.type, std::ldexp(mantissa, exponent));
}

/// Returns the reduction of one element per rank, rounded once for narrow
/// types.
uint64_t roundedOnce(const Case &c, const Bits &contributions) {
  if (std::find(std::begin(kNarrow), std::end(kNarrow), c.type) ==
      std::end(kNarrow))
    return reduceBits(c.type, c.op, contributions);
  double result = decode(c.type, contributions[0]);
  for (size_t rank = 1; rank < contributions.size(); ++rank) {
    const double next = decode(c.type, contributions[rank]);
    result = c.op == blinkProd  ? result * next
             : c.op == blinkMax ? std::max(result, next)
                                : result + next;
  }
  if (c.op == blinkAvg)
    result = float(result) / float(contributions.size());
  return encode(c.type, result);
}

/// The inputs' period in elements; a prime, like kPeriod.
constexpr size_t kRepeats = 5003;

/// Returns the number of wrong elements on all ranks that have a result.
size_t countWrong(const Job &job, const Case &c) {
  const size_t ranks = size_t(job.size());
  const bool scatters = c.collective == Collective::reducescatter;
  const size_t count = c.count * (scatters ? ranks : 1);
  std::mt19937 random(uint32_t(c.count + ranks * 7 + size_t(c.type)));
  std::vector<Bits> inputs(ranks);
  std::deque<RankBuffers> buffers;
  for (size_t rank = 0; rank < ranks; ++rank) {
    for (size_t i = 0; i < count; ++i)
      inputs[rank].push_back(i < kRepeats ? roughInput(c, int(rank), random)
                                          : inputs[rank][i - kRepeats]);
    useDeviceOf(int(rank));
    buffers.emplace_back(c, int(ranks), int(rank));
    buffers.back().fill(inputs[rank]);
  }
  Bits expected(count), contributions(ranks);
  for (size_t i = 0; i < count; ++i) {
    for (size_t rank = 0; rank < ranks; ++rank)
      contributions[rank] = inputs[rank][i];
    expected[i] =
        i < kRepeats ? roundedOnce(c, contributions) : expected[i - kRepeats];
  }
  for (blinkResult_t result : job.onThreads([&](int rank) {
         RankBuffers &own = buffers[size_t(rank)];
         return call(c, own.send(), own.recv(), job[rank], job.stream(rank));
       }))
    REQUIRE(result == blinkSuccess);
  size_t wrong = 0;
  for (size_t rank = 0; rank < ranks; ++rank) {
    if (c.collective == Collective::reduce && int(rank) != c.root)
      continue;
    const Bits result = buffers[rank].result();
    for (size_t i = 0; i < c.count; ++i)
      wrong += result[i] != expected[(scatters ? rank * c.count : 0) + i];
  }
  return wrong;
}

std::vector<BuildOptions> addingLayouts() {
  std::vector<BuildOptions> list(6);
  list[0].shape = Shape::chain;
  list[0].lanes = 1;
  list[0].slots = 1;
  list[0].chunkBytes = 16; // four elements
  list[1].shape = Shape::chain;
  list[1].splitRoot = true;
  list[1].chunkBytes = 1024;
  list[2].shape = Shape::random;
  list[2].treesPerBlock = 3;
  list[2].lanes = 3;
  list[2].chunkBytes = 4096;
  list[3].shape = Shape::binary;
  list[3].chunkBytes = 64 << 10;
  list[3].skewed = true;
  list[4].shape = Shape::random;
  list[4].treesPerBlock = 2;
  list[4].lanes = 1;
  list[4].chunkBytes = 48;
  list[4].slots = 5;
  list[5].shape = Shape::star; // adds all in one step
  return list;
}

/// Returns a reduce to rank 0 in which rank 1 passes on the sum of ranks 2 and
/// 3 and, over another channel, its own input.
TestSchedule passingOn() {
  BuildOptions layout;
  layout.chunkBytes = 256;
  TestSchedule model = makeSchedule(Collective::reduce, 0, 4, layout);
  TestVariant &variant = model.variant();
  variant.trees = {{1, 1, 0, 0, 3, {-1, 0, 1, 2}}};
  variant.channels.clear();
  variant.paths.clear();
  for (auto [from, to] : {std::pair(3, 2), {2, 1}, {1, 0}, {1, 0}}) {
    TestChannel channel;
    channel.source = uint16_t(from);
    channel.destination = uint16_t(to);
    channel.pathBegin = uint32_t(variant.paths.size());
    channel.pathCount = 1;
    for (uint32_t link = 0; link < model.links.size(); ++link)
      if (model.links[link].from == uint32_t(from) &&
          model.links[link].to == uint32_t(to))
        variant.paths.push_back(link);
    variant.channels.push_back(channel);
  }
  const auto channel = [](uint32_t number) {
    return TestOperand{sched::OperandKind::channel, number};
  };
  const TestOperand input{sched::OperandKind::input, 0};
  const TestOperand output{sched::OperandKind::output, 0};
  variant.ranks = {
      rankOf({{{0, {input, channel(2), channel(3)}, {output}, true}}}),
      rankOf({{{0, {channel(1)}, {channel(2)}}, {0, {input}, {channel(3)}}}}),
      rankOf({{{0, {input, channel(0)}, {channel(1)}}}}),
      rankOf({{{0, {input}, {channel(0)}}}})};
  return model;
}

constexpr Collective kAdding[] = {Collective::allreduce, Collective::reduce,
                                  Collective::reducescatter};

} // namespace

TEST_CASE("narrow sums are rounded once") {
  unsigned number = 0;
  for (int ranks : {3, kOnCuda ? 5 : 8}) // 2 ranks: no partial sums
    for (BuildOptions layout : addingLayouts())
      for (sched::Protocol protocol :
           {sched::Protocol::simple, sched::Protocol::low_latency}) {
        if ((kSanitized && ranks != 3) ||
            (!kOnCuda &&
             protocol != sched::Protocol::simple)) // they are the same there
          continue;
        layout.lanes = std::min(layout.lanes, mostLanes(ranks));
        const Job job(withFloatSums(withProtocol(
                          allCollectives(ranks, ranks - 1, layout), protocol)),
                      ranks);
        for (blinkDataType_t type : kNarrow)
          for (blinkRedOp_t op : {blinkSum, blinkProd, blinkAvg, blinkMax})
            for (size_t count : {1, 7, 130, 1025, 9001}) {
              if (op != blinkSum && count != 130)
                continue;
              if (count > 1000 && layout.chunkBytes < 1000)
                continue;
              if (ranks != 3 && (op != blinkSum || count % 2 != 0) &&
                  count != 9001)
                continue; // fewer cases for more ranks
              Case c;
              c.collective = kAdding[number % 3];
              c.type = type;
              c.op = op;
              c.count = count;
              c.root = ranks - 1;
              c.inPlace = number / 3 % 2;
              c.misaligned = number / 6 % 2;
              ++number;
              const size_t wrong = countWrong(job, c);
              CHECK_MESSAGE(wrong == 0, c.describe()
                                            << ": " << wrong << " elements, "
                                            << ranks << " ranks, chunks of "
                                            << layout.chunkBytes);
            }
      }
}

TEST_CASE("large narrow sums are rounded once") {
  // Here readers look into buffers, or chunks skip slots; the data there is no
  // partial sum.
  for (Shape shape : {Shape::chain, Shape::binary}) {
    BuildOptions layout;
    layout.shape = shape;
    layout.chunkBytes = 64 << 10;
    layout.lanes = std::min(layout.lanes, mostLanes(4));
    const Job job(withFloatSums(allCollectives(4, 1, layout)), 4);
    unsigned number = 0;
    for (Collective collective : kAdding)
      for (blinkDataType_t type : kNarrow) {
        if (kSanitized && number % 3 != 0)
          continue;
        Case c;
        c.collective = collective;
        c.type = type;
        c.count = (600 << 10) / size_t(bytesOf(type)) + 3;
        if (collective == Collective::reducescatter)
          c.count /= 4;
        c.root = 1;
        c.inPlace = number % 2;
        c.misaligned = number / 2 % 2;
        ++number;
        CHECK_MESSAGE(countWrong(job, c) == 0, c.describe());
      }
  }
}

TEST_CASE("partial sums are passed on as they are") {
  for (sched::Protocol protocol :
       {sched::Protocol::simple, sched::Protocol::low_latency}) {
    const Job job(withFloatSums(withProtocol(passingOn(), protocol)), 4);
    for (blinkDataType_t type : kNarrow)
      for (size_t count : {1, 1001}) {
        Case c;
        c.collective = Collective::reduce;
        c.type = type;
        c.count = count;
        CHECK_MESSAGE(countWrong(job, c) == 0, c.describe());
      }
  }
}

TEST_CASE("types that are not narrow, and calls one after the other") {
  BuildOptions layout;
  layout.shape = Shape::chain;
  layout.chunkBytes = 256;
  const Job job(withFloatSums(allCollectives(3, 2, layout)), 3);
  // The slots hold chunks of narrow and other types in turn.
  for (size_t count : {3, 1000, 20000})
    for (blinkDataType_t type :
         {blinkFloat32, blinkBfloat16, blinkInt8, blinkFloat8e5m2, blinkFloat64,
          blinkFloat16, blinkUint8, blinkFloat8e4m3, blinkInt64})
      for (blinkRedOp_t op : {blinkSum, blinkMax, blinkAvg, blinkSum}) {
        if (kOnCuda && count > 1000 && op != blinkSum)
          continue;
        Case c;
        c.type = type;
        c.op = op;
        c.count = count;
        c.inPlace = type == blinkInt8;
        CHECK_MESSAGE(countWrong(job, c) == 0, c.describe());
      }
}

TEST_CASE("without, they are rounded on the way") {
  // Otherwise the tests above would prove nothing.
  BuildOptions layout;
  layout.shape = Shape::chain;
  const Job job(allCollectives(5, 0, layout), 5);
  for (blinkDataType_t type : kNarrow) {
    Case c;
    c.type = type;
    c.count = 1000;
    CHECK(countWrong(job, c) > 0);
  }
}
