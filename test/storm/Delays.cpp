//===- Delays.cpp - makes some ranks and lanes late -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/storm/Delays.h"

#if BLINK_TEST_EMULATED
#include "runtime/cuda/Launch.h"
#include "test/emulation/Emulation.h"
#elif !BLINK_TEST_CUDA
#include "runtime/host/RankRun.h"
#endif

#include <atomic>
#include <chrono>
#include <sched.h>

namespace blink::storm {
namespace {

void delay(uint64_t microseconds) {
#if BLINK_TEST_EMULATED
  test::pauseThread(std::chrono::microseconds(microseconds));
#else
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::microseconds(microseconds);
  do // on a busy machine, one yield may take longer
    sched_yield();
  while (std::chrono::steady_clock::now() < end);
#endif
}

#if BLINK_TEST_EMULATED || !BLINK_TEST_CUDA

// The plan of the running job; changes only while the job has no threads.
DelayPlan plan;
uint64_t salt;
/// Number of steps so far. Relaxed, since all lanes increment it and must not
/// be ordered by it.
std::atomic<uint64_t> numSteps;

uint64_t scramble(uint64_t x) {
  x = (x + salt) * 0x9e3779b97f4a7c15ull;
  return (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9ull >> 20;
}

/// Delays a step of the lane if it is one of the slow ones, which change every
/// kEpoch steps.
void delayStep(uint64_t rank, unsigned lane) {
  constexpr uint64_t kEpoch = 512;
  constexpr unsigned kMostRanks = 4, kMostLanes = 3; // there are mostly no more
  const uint64_t number = numSteps.fetch_add(1, std::memory_order_relaxed);
  const uint64_t epoch = scramble(number / kEpoch);
  if ((plan.oneRank && rank % kMostRanks != epoch % kMostRanks) ||
      (plan.oneLane && lane % kMostLanes != epoch / kMostRanks % kMostLanes))
    return;
  const uint64_t chosen = scramble(number);
  if (chosen % 100 < plan.stepPercent)
    delay(chosen / 100 % plan.mostStepDelay);
}

#endif

#if BLINK_TEST_EMULATED

/// Identifies a rank by its program, which differs between variants, too.
void hook(const runtime::Launch &launch, unsigned block, unsigned thread,
          unsigned) {
  if (thread != 0)
    return;
  uint32_t rank = launch.numRanks - 1;
  while (launch.ranks[rank].firstBlock > block)
    --rank;
  delayStep(reinterpret_cast<uintptr_t>(launch.ranks[rank].program) / 64,
            block - launch.ranks[rank].firstBlock);
}
void setHook(bool on) { test::laneHook = on ? hook : nullptr; }

#elif !BLINK_TEST_CUDA

void hook(int rank, uint32_t lane, uint32_t, uint64_t, runtime::HostRings &) {
  delayStep(uint64_t(rank), lane);
}
void setHook(bool on) { runtime::stepHook = on ? hook : nullptr; }

#else

void setHook(bool) {} // GPUs have no hook

#endif

} // namespace

void delayCall(const DelayPlan &plan, Dice &dice) {
  if (dice.chance(plan.callPercent))
    delay(dice.below(plan.mostCallDelay));
}

LaneDelays::LaneDelays(const JobPlan &job) {
#if BLINK_TEST_EMULATED || !BLINK_TEST_CUDA
  plan = job.delays;
  salt = Dice(job.seed, {ofDelays, job.number}).below(~uint64_t(0));
  numSteps.store(0, std::memory_order_relaxed);
#endif
  setHook(job.delays.stepPercent != 0);
}

LaneDelays::~LaneDelays() { setHook(false); }

} // namespace blink::storm
