//===- CheckTest.cpp - tests that the checks find wrong results -----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Correct results are damaged in ways a faulty runtime might, and the checks
// must find the damage.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Elements.h"
#include "test/conformance/Job.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <deque>

using namespace blink;
using namespace blink::test;

namespace {

constexpr int kRanks = 3;
constexpr size_t kChunkBytes = 4096;

/// A case's buffers on all ranks, and the bytes of one rank's output and input.
struct Buffers {
  Buffers(const Case &c, KeptMemory &memory, size_t inputs, size_t outputs)
      : c(c) {
    for (int rank = 0; rank < kRanks; ++rank)
      ranks.emplace_back(c, kRanks, rank, memory.of(rank));
    const size_t block = c.count * size_t(bytesOf(c.type));
    inputBytes = inputs * block;
    outputBytes = outputs * block;
  }

  void run(const Job &job) {
    CHECK(job.inGroup([&](int rank) {
      return call(c, ranks[rank].send(), ranks[rank].recv(), job[rank]);
    }) == blinkSuccess);
    for (RankBuffers &rank : ranks)
      CHECK(rank.check() == "");
  }
  /// Checks the buffers of rank 1, which the tests damage.
  std::string check() { return ranks[1].check(); }
  unsigned char *output() {
    return static_cast<unsigned char *>(ranks[1].recv());
  }
  unsigned char *input() {
    return const_cast<unsigned char *>(
        static_cast<const unsigned char *>(ranks[1].send()));
  }

  Case c;
  std::deque<RankBuffers> ranks;
  size_t inputBytes, outputBytes;
};

Job makeJob(Collective collective) {
  BuildOptions layout;
  layout.chunkBytes = kChunkBytes;
  return Job(makeSchedule(collective, 0, kRanks, layout), kRanks);
}

bool says(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("what is wrong in a buffer is found") {
  const Job job = makeJob(Collective::allreduce);
  KeptMemory memory(1 << 20, kRanks);
  Case c;
  c.count = 10000;
  const std::string last = std::to_string(c.count - 1);
  for (blinkDataType_t type : kTypes)
    for (blinkRedOp_t op : kOps)
      for (bool misaligned : {false, true}) {
        if (!hasReduction(type, op))
          continue;
        c.type = type;
        c.op = op;
        c.misaligned = misaligned;
        CAPTURE(c.describe());
        {
          Buffers b(c, memory, 1, 1);
          b.run(job);
          unsigned char *end = b.output() + b.outputBytes;
          end[-1] ^= 1;
          CHECK(says(b.check(), ": 1 wrong, first at " + last));
          b.run(job);
          *b.output() ^= 1;
          CHECK(says(b.check(), ": 1 wrong, first at 0"));
          b.run(job);
          *end ^= 1;
          CHECK(says(b.check(), "wrote beside a buffer"));
          *end ^= 1;
          b.output()[-1] ^= 1;
          CHECK(says(b.check(), "wrote beside a buffer"));
          b.output()[-1] ^= 1;
          b.input()[b.inputBytes - 1] ^= 1;
          CHECK(says(b.check(), "the input changed"));
          b.input()[b.inputBytes - 1] ^= 1;
          // Two chunks change places.
          std::swap_ranges(b.output(), b.output() + kChunkBytes,
                           b.output() + kChunkBytes);
          CHECK(says(b.check(), " wrong, first at "));
          b.run(job);
        }
        // The correct result of the previous case, still in memory, does not
        // count.
        memory.reuse();
        {
          Buffers b(c, memory, 1, 1);
          CHECK(says(b.check(), " wrong, first at 0"));
        }
        memory.reuse();
      }
}

TEST_CASE("blocks that change places are found, of every type") {
  const Job job = makeJob(Collective::allgather);
  KeptMemory memory(1 << 20, kRanks);
  for (blinkDataType_t type : kTypes) {
    Case c;
    c.collective = Collective::allgather;
    c.type = type;
    c.count = 1000;
    CAPTURE(c.describe());
    Buffers b(c, memory, 1, kRanks);
    const size_t block = b.inputBytes;
    for (int other : {1, 2}) {
      b.run(job);
      std::swap_ranges(b.output(), b.output() + block,
                       b.output() + size_t(other) * block);
      CHECK(says(b.check(), " wrong, first at "));
    }
    // A block shifted by 64 bytes does not pass as itself either.
    b.run(job);
    std::copy(b.output() + block + 64, b.output() + 2 * block,
              b.output() + block);
    CHECK(says(b.check(), " wrong, first at "));
    b.ranks.clear();
    memory.reuse();
  }
}
