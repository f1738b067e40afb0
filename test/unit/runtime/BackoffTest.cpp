//===- BackoffTest.cpp - waiting where others compute ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/Backoff.h"

#include "doctest/doctest.h"

#include <atomic>
#include <sched.h>
#include <thread>

using namespace blink::runtime;

namespace {

/// How many times one that waits does so until it looks at clocks, with a
/// thread that computes on the only processor of both.
int waitsUntilSleep(Backoff backoff) {
  int waits = 0;
  std::thread waiting([&] {
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(sched_getcpu(), &here);
    REQUIRE(sched_setaffinity(0, sizeof(here), &here) == 0);
    // Relaxed: no more is handed over than the words themselves.
    std::atomic<bool> runs{false}, over{false};
    std::thread computing([&] { // inherits the processor
      runs.store(true, std::memory_order_relaxed);
      while (!over.load(std::memory_order_relaxed))
        ;
    });
    while (!runs.load(std::memory_order_relaxed))
      sched_yield();
    for (; !backoff.sleeping() && waits < 1000; ++waits)
      backoff.wait();
    over.store(true, std::memory_order_relaxed);
    computing.join();
  });
  waiting.join();
  return waits;
}

} // namespace

TEST_CASE("who waits sleeps soon where others compute") {
  // Each wait is a slice of the other thread; 3,000 of them were 10 s.
  CHECK(waitsUntilSleep(Backoff(true)) < 100);
  CHECK(waitsUntilSleep(Backoff(true, /*amongRanks=*/true)) < 200);
}

TEST_CASE("who waits for a network spins on no longer than to look") {
  // Ranks of other servers may be on this processor, in a laboratory, and what
  // is waited for comes from them.
  Backoff backoff(false);
  for (int spins = 0; spins < 10 && !backoff.spun(); ++spins)
    backoff.wait();
  REQUIRE(backoff.spun());
  backoff.spinOn();
  CHECK(waitsUntilSleep(backoff) < 100);
}

TEST_CASE("who waits looks whose processor it is after a few spins") {
  Backoff backoff(false);
  int spins = 0;
  for (; !backoff.spun(); ++spins)
    backoff.wait();
  CHECK(spins > 0);
  backoff.spinOn();
  backoff.wait();
  CHECK_FALSE(backoff.spun());
  backoff.reset(); // the next time it looks again
  for (int i = 0; i < spins; ++i, backoff.wait())
    CHECK_FALSE(backoff.spun());
  CHECK(backoff.spun());
  backoff.share();
  backoff.reset();
  CHECK(backoff.spun());
  CHECK(Backoff(true).spun());
}
