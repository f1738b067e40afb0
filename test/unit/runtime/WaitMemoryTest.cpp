//===- WaitMemoryTest.cpp - when short calls sleep ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/WaitMemory.h"

#include "doctest/doctest.h"

using namespace blink::runtime;
using namespace std::chrono_literals;

namespace {

constexpr uint64_t kPlace = 7;
constexpr WaitMemory::Time kMost = 500us;

/// How long a wait that now begins sleeps at first.
WaitMemory::Time firstSleep(const WaitMemory &memory,
                            WaitMemory::Time most = kMost) {
  ShortWait wait;
  const bool sleeps = wait.sleeps(memory, kPlace, {}, most);
  return sleeps ? most : 0ns;
}

} // namespace

TEST_CASE("a place's waits are remembered, with what they differ by") {
  WaitMemory memory;
  CHECK(memory.least(kPlace) == 0ns);
  for (int i = 0; i < 50; ++i)
    memory.note(kPlace, 400us);
  CHECK(memory.least(kPlace) > 390us);
  CHECK(memory.least(kPlace) <= 400us);
  CHECK(memory.least(kPlace + 1) == 0ns);
  for (int i = 0; i < 50; ++i)
    memory.note(kPlace, i % 2 ? 100us : 700us);
  CHECK(memory.least(kPlace) == 0ns);
  for (int i = 0; i < 50; ++i)
    memory.note(kPlace, 1000us);
  CHECK(memory.least(kPlace) > 900us);
}

TEST_CASE("who does not know how long it waits looks, and sleeps at last") {
  const WaitMemory memory;
  ShortWait wait;
  WaitMemory::Time most = kMost;
  const ShortWait::Clock::time_point begin;
  CHECK_FALSE(wait.sleeps(memory, kPlace, begin, most));
  CHECK_FALSE(wait.sleeps(memory, kPlace, begin + 299us, most));
  CHECK(wait.sleeps(memory, kPlace, begin + 300us, most));
  CHECK(most == kMost);
}

TEST_CASE("who knows sleeps until a while before the wait ends") {
  WaitMemory memory;
  for (int i = 0; i < 50; ++i)
    memory.note(kPlace, 150us); // it would hardly sleep
  CHECK(firstSleep(memory) == 0ns);
  for (int i = 0; i < 50; ++i)
    memory.note(kPlace, 400us);
  CHECK(firstSleep(memory) > 250us);
  CHECK(firstSleep(memory) < 300us);
  CHECK(firstSleep(memory, 100us) == 100us);
  ShortWait wait;
  WaitMemory::Time most = kMost;
  const ShortWait::Clock::time_point begin;
  CHECK(wait.sleeps(memory, kPlace, begin, most));
  CHECK_FALSE(wait.sleeps(memory, kPlace, begin + most, most));
  CHECK_FALSE(wait.sleeps(memory, kPlace, begin + 500us, most));
  CHECK(wait.sleeps(memory, kPlace, begin + 600us, most));
  wait.end(memory, begin + 650us);
  CHECK(firstSleep(memory) < 250us); // for a while it knows less
}

TEST_CASE("a wait that has ended is noted once") {
  WaitMemory memory;
  ShortWait wait;
  wait.end(memory);
  CHECK(memory.least(0) == 0ns);
  WaitMemory::Time most = kMost;
  const ShortWait::Clock::time_point begin;
  wait.sleeps(memory, kPlace, begin, most);
  wait.end(memory, begin + 300us);
  wait.end(memory);
  for (int i = 0; i < 50; ++i)
    memory.note(kPlace, 300us);
  CHECK(memory.least(kPlace) > 290us);
}
