//===- RunAheadTest.cpp - writers that are calls ahead of readers ---------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Calls do not synchronise with each other: a writer fills slots with chunks of
// the next call while chunks of the last call are still unread. Runs on
// emulated devices, where a test can hold up a reader.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/Launch.h"
#include "test/conformance/Job.h"
#include "test/emulation/Emulation.h"

#include "doctest/doctest.h"

#include <chrono>
#include <mutex>

using namespace blink;
using namespace blink::test;
using runtime::Launch;

namespace {

/// A folding thread's barriers: kBefore before its first fold of a large call,
/// then two per fold, one before and one after it.
constexpr unsigned kBefore = 5;
constexpr unsigned beforeFold(unsigned fold) { return kBefore + 2 * fold; }

/// Before the reader's lane reads the second chunk of the first call, it waits
/// until the writer has written the first chunk of the second call.
struct RunAhead {
  std::mutex mutex;
  const void *readerOutput, *writerInput; ///< in the first call; in the second
  unsigned arrived = 0;
  bool inTime = false;
} *runAhead;

void meetHook(const Launch &launch, unsigned, unsigned thread,
              unsigned barrier) {
  const Launch::Rank &rank = launch.ranks[0];
  std::unique_lock<std::mutex> lock(runAhead->mutex);
  if (rank.send == runAhead->writerInput && thread < kEmulatedFoldThreads &&
      barrier == beforeFold(0) + 1) {
    ++runAhead->arrived;
  }
  if (rank.recv == runAhead->readerOutput && thread == 0 &&
      barrier == beforeFold(1)) {
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (runAhead->arrived != kEmulatedFoldThreads &&
           std::chrono::steady_clock::now() < end) {
      lock.unlock();
      // Meanwhile the lane's poster tells the writer of free slots.
      pauseThread(std::chrono::microseconds(100));
      lock.lock();
    }
    runAhead->inTime = runAhead->arrived == kEmulatedFoldThreads;
  }
}

} // namespace

TEST_CASE("a larger call does not write over chunks of a smaller one") {
  // A call's chunks have the schedule's size, or a smaller one if a tree would
  // have fewer than four chunks.
  constexpr size_t kChunkBytes = 256 << 10;
  BuildOptions layout;
  layout.slots = 4;
  layout.chunkBytes = kChunkBytes;
  for (auto [collective, writer] : {std::pair(Collective::reduce, 1),
                                    std::pair(Collective::broadcast, 0)}) {
    // Channels through the host always use slots.
    Job job(withKind(makeSchedule(collective, 0, 2, layout),
                     sched::ChannelKind::staged),
            2, 5000);
    Case small, large;
    small.collective = large.collective = collective;
    small.count = kChunkBytes / sizeof(float);
    large.count = 4 * small.count;
    large.type = blinkInt32; // other bits, in the same places
    const int reader = 1 - writer;
    RankBuffers written[] = {{small, 2, writer}, {large, 2, writer}};
    RankBuffers read[] = {{small, 2, reader}, {large, 2, reader}};
    RunAhead here;
    here.readerOutput = read[0].recv();
    here.writerInput = written[1].send();
    runAhead = &here;
    const LaneHookScope hook(meetHook);
    const auto run = [&](RankBuffers *buffers, int rank) {
      for (int i : {0, 1})
        if (blinkResult_t result =
                call(i ? large : small, buffers[i].send(), buffers[i].recv(),
                     job[rank], job.stream(rank)))
          return result;
      return blinkSuccess;
    };
    for (blinkResult_t result : job.onThreads([&](int rank) {
           return run(rank == writer ? written : read, rank);
         }))
      CHECK(result == blinkSuccess);
    CHECK(here.inTime);
    for (RankBuffers *buffers : {written, read})
      for (int i : {0, 1})
        CHECK(buffers[i].check() == "");
  }
}
