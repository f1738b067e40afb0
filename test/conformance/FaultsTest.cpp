//===- FaultsTest.cpp - steps that are late, counters that are wrong ------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// On the host back end, within this process. ProcessesTest kills other
// processes.
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Memory.h"
#include "runtime/host/RankRun.h"
#include "test/conformance/Places.h"

#include "doctest/doctest.h"

#include <chrono>
#include <thread>

using namespace blink;
using namespace blink::test;

namespace {

/// Where the hook strikes, and what it has recorded.
Place target;
std::atomic<int> strikes{0};
std::atomic<runtime::HostRings *> ringsOfJob{nullptr};

void delayHook(int rank, uint32_t lane, uint32_t step, uint64_t,
               runtime::HostRings &) {
  if (!(target == Place{rank, lane, step}))
    return;
  ++strikes;
  // The delay under test: the other lanes have time to go on without this step.
  std::this_thread::sleep_for(std::chrono::milliseconds(3));
}

void captureHook(int, uint32_t, uint32_t, uint64_t, runtime::HostRings &rings) {
  ringsOfJob = &rings;
}

struct HookScope {
  explicit HookScope(runtime::StepHook hook) { runtime::stepHook = hook; }
  ~HookScope() { runtime::stepHook = nullptr; }
};

TestSchedule twoTrees(uint16_t slots) {
  BuildOptions layout;
  layout.shape = Shape::random;
  layout.treesPerBlock = 2;
  layout.slots = slots;
  return makeSchedule(Collective::allreduce, 0, 3, layout);
}

/// Returns a case with one chunk on each channel.
Case oneChunk(bool threads) {
  Case c;
  c.count = 1000;
  c.threads = threads;
  return c;
}

} // namespace

TEST_CASE("a step that is late, whichever it is, is waited for") {
  const TestSchedule model = twoTrees(1);
  Job job(model, 3);
  HookScope hook(delayHook);
  for (const Place &place : placesOf(model))
    for (bool threads : {false, true}) {
      target = place;
      strikes = 0;
      CHECK(runCase(job, oneChunk(threads)) == "");
      CHECK(strikes == 1);
    }
}

TEST_CASE("a counter that goes back ends in an error that says where") {
  const TestSchedule model = twoTrees(1);
  const size_t numChannels = TestSchedule(model).variant().channels.size();
  for (uint32_t ring = 0; ring < numChannels; ++ring)
    for (bool threads : {false, true}) {
      Job job(model, 3, kSoonMs);
      {
        HookScope hook(captureHook);
        REQUIRE(runCase(job, oneChunk(threads)) == "");
      }
      // With one slot, the writer's next chunk needs to know that this one was
      // read.
      runtime::HostRings &rings = *ringsOfJob.load();
      for (int rank = 0; rank < 3; ++rank) // the news may still be on its way
        while (rings.remote.carriers.progress(rank))
          ;
      uint64_t *freed = rings.writers[ring].freed;
      REQUIRE(runtime::loadAcquire(freed) == 1);
      runtime::storeRelease(freed, 0);
      const std::string text = runCase(job, oneChunk(threads));
      CAPTURE(text);
      unsigned long long expected = 0, seen = 0;
      CHECK(namesAWait(text, model, &expected, &seen));
      // Either the writer waits for a slot, or a rank after it waits for the
      // chunk.
      CHECK(((expected == 1 && seen == 0) || (expected == 2 && seen == 1)));
      CHECK(text.find(waitedSoon()) != std::string::npos);
      CHECK(freshJobFails() == "");
    }
}
