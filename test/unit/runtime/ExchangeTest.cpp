//===- ExchangeTest.cpp - exchanges while a mirror writes -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/Exchange.h"

#include "TestJob.h"
#include "runtime/core/Memory.h"
#include "runtime/job/control/Mirror.h"

#include "doctest/doctest.h"

#include <atomic>
#include <thread>

using namespace blink::runtime;

TEST_CASE("a mirror may tell again what a rank has said") {
  TestJob job(2, kLong);
  const std::vector<int> ranks = {0, 1};
  const auto say = [&](int self, int said, int(&all)[2]) {
    return exchange(job, self, ranks, &said, sizeof(said),
                    reinterpret_cast<char *>(all));
  };
  int heard[2] = {}, heardByOther[2] = {};
  Status other;
  std::thread second([&] { other = say(1, 21, heardByOther); });
  while (loadAcquire(&job.peer(1).exchanges) == 0)
    std::this_thread::yield();
  MirroredState state;
  const MirroredWords words = job.memory.mirroredWords(1);
  const std::string told = state.changes(words, true);
  CHECK(!told.empty());
  std::atomic<bool> done{false}, begun{false};
  std::thread mirror([&] {
    while (!done) {
      MirroredState::write(told, words);
      begun = true;
    }
  });
  while (!begun)
    std::this_thread::yield();
  const Status first = say(0, 20, heard);
  done = true;
  mirror.join();
  second.join();
  CHECK(first.ok());
  CHECK(other.ok());
  for (const auto &all : {heard, heardByOther}) {
    CHECK(all[0] == 20);
    CHECK(all[1] == 21);
  }
}
