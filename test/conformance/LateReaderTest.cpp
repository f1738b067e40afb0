//===- LateReaderTest.cpp - separate launches, one of them late -----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The writer's launches end while their chunks are still in the slots. The next
// launch, of another size, waits for a slot when the reader begins. Ranks that
// share a kernel never get into this state.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Job.h"

#include "doctest/doctest.h"

#include <cuda_runtime_api.h>

#include <future>

using namespace blink;
using namespace blink::test;

namespace {

constexpr size_t kLateChunk = 256 << 10;
/// Each round has eleven chunks, so each begins at a different one of the four
/// slots.
constexpr int kRounds = 4;

/// The small call's chunks are a quarter of the size of the large call's, and
/// all of them fit into the slots.
Case smallCall(Collective collective) {
  Case c;
  c.collective = collective;
  c.count = 3 * (64 << 10) / sizeof(float);
  return c;
}

/// The large call has more chunks than there are slots, and different bits.
Case largeCall(Collective collective) {
  Case c;
  c.collective = collective;
  c.type = blinkInt32;
  c.count = 8 * kLateChunk / sizeof(int32_t);
  return c;
}

/// Makes both calls of one rank, with between() after the small one has ended.
template <typename Between>
blinkResult_t callBoth(const Job &job, int rank, const Case (&cases)[2],
                       const std::vector<RankBuffers> &buffers,
                       const Between &between) {
  for (int i : {0, 1}) {
    const RankBuffers &own = buffers[size_t(i)];
    const blinkResult_t result =
        call(cases[i], own.send(), own.recv(), job[rank], job.stream(rank));
    if (result != blinkSuccess)
      return result;
    if (i == 0)
      between();
  }
  return blinkSuccess;
}

} // namespace

TEST_CASE("a reader that comes late finds the chunks of each call") {
  BuildOptions layout;
  layout.slots = 4;
  layout.chunkBytes = kLateChunk;
  for (auto [collective, writer] : {std::pair(Collective::reduce, 1),
                                    std::pair(Collective::broadcast, 0)}) {
    // Channels through the host always use slots.
    Job job(withKind(makeSchedule(collective, 0, 2, layout),
                     sched::ChannelKind::staged),
            2, 20000);
    const Case cases[] = {smallCall(collective), largeCall(collective)};
    for (int round = 0; round < kRounds; ++round) {
      std::vector<RankBuffers> buffers[2];
      for (int rank : {0, 1}) {
        useDeviceOf(rank);
        for (const Case &c : cases)
          buffers[rank].emplace_back(c, 2, rank);
      }
      std::promise<void> written;
      const auto body = [&](int rank) {
        if (rank != writer) {
          written.get_future().wait();
          return callBoth(job, rank, cases, buffers[rank], [] {});
        }
        bool ended = false;
        const blinkResult_t result =
            callBoth(job, rank, cases, buffers[rank], [&] {
              ended = cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(
                          job.stream(rank))) == cudaSuccess;
            });
        written.set_value(); // even after a failure
        return result == blinkSuccess && !ended ? blinkInternalError : result;
      };
      for (blinkResult_t result : job.onThreads(body))
        CHECK(result == blinkSuccess);
      for (std::vector<RankBuffers> &ofRank : buffers)
        for (RankBuffers &one : ofRank)
          CHECK(one.check() == "");
    }
  }
}
