//===- BackoffTest.cpp - waiting while others compute ---------------------===//
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

/// Returns how many waits a waiting thread makes until it sleeps, while another
/// thread computes on the only processor of both.
int waitsUntilSleep(Backoff backoff) {
  int waits = 0;
  std::thread waiting([&] {
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(sched_getcpu(), &here);
    REQUIRE(sched_setaffinity(0, sizeof(here), &here) == 0);
    // Relaxed: the flags publish nothing but themselves.
    std::atomic<bool> runs{false}, over{false};
    std::thread computing([&] { // it inherits the processor
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
  // Each wait gives a time slice to the other thread; 3,000 waits took 10 s.
  CHECK(waitsUntilSleep(Backoff(true)) < 100);
  CHECK(waitsUntilSleep(Backoff(true, /*amongRanks=*/true)) < 200);
}

TEST_CASE("who waits for a network spins on no longer than to look") {
  // In a laboratory, ranks of other servers may share this processor, and the
  // thread waits for their data.
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
  backoff.reset(); // the next wait looks again
  for (int i = 0; i < spins; ++i, backoff.wait())
    CHECK_FALSE(backoff.spun());
  CHECK(backoff.spun());
  backoff.share();
  backoff.reset();
  CHECK(backoff.spun());
  CHECK(Backoff(true).spun());
}
