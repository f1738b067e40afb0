//===- SharedProcessor.cpp - two ranks on one processor -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/SharedProcessor.h"

#include "runtime/core/Memory.h"
#include "runtime/host/Segment.h"

#include <algorithm>
#include <sched.h>
#include <time.h>

namespace blink::runtime {

bool leaveProcessor(int processor) {
  cpu_set_t mine;
  // Fails if there are more processors than the set has bits.
  if (processor < 0 || processor >= CPU_SETSIZE ||
      sched_getaffinity(0, sizeof(mine), &mine) != 0)
    return false;
  cpu_set_t others = mine;
  CPU_CLR(processor, &others);
  if (CPU_COUNT(&others) == 0 ||
      sched_setaffinity(0, sizeof(others), &others) != 0)
    return false;
  sched_setaffinity(0, sizeof(mine), &mine);
  return true;
}

bool SharedProcessor::leave(Segment &segment, int rank, int numRanks) {
  using Clock = std::chrono::steady_clock;
  // The notes of other ranks may be old. The kernel also turns the moment into
  // some 60 us, which calls of a microsecond must not pay again and again.
  constexpr uint64_t kCallsBetween = 16;
  constexpr std::chrono::milliseconds kTimeBetween{5};
  HostPeerInfo &own = segment.rank(rank);
  const int here = sched_getcpu();
  storeRelaxed(&own.processor, uint64_t(here) + 1);
  int lowest = rank; // of the ranks on this processor
  bool found = false;
  for (int other = 0; here >= 0 && other < numRanks; ++other)
    if (other != rank &&
        loadRelaxed(&segment.rank(other).processor) == uint64_t(here) + 1) {
      found = true;
      lowest = std::min(lowest, other);
    }
  if (found != this->found())
    found_.store(found, std::memory_order_relaxed);
  const uint64_t call = loadRelaxed(&own.calls);
  if (lowest == rank ||
      call - lastCall_.load(std::memory_order_relaxed) < kCallsBetween)
    return found;
  const Clock::time_point now = Clock::now();
  if (now - lastTime_.load(std::memory_order_relaxed) < kTimeBetween)
    return found;
  lastCall_.store(call, std::memory_order_relaxed);
  lastTime_.store(now, std::memory_order_relaxed);
  timespec moment{0, 1};
  nanosleep(&moment, nullptr); // a thread that wakes up gets an idle processor
  if (sched_getcpu() == here)
    leaveProcessor(here);
  return found;
}

} // namespace blink::runtime
