//===- TestJob.h - a job without a back end ---------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_UNIT_RUNTIME_TESTJOB_H
#define BLINK_TEST_UNIT_RUNTIME_TESTJOB_H

#include "runtime/job/BoardMemory.h"
#include "runtime/job/Job.h"

#include <chrono>
#include <vector>

/// Time limits: one that tests let pass, and one that they must never reach.
constexpr std::chrono::milliseconds kShort(50), kLong(20000);

/// A job whose ranks are threads of the test, in memory of its own.
struct TestJob : blink::runtime::Job {
  TestJob(int numRanks, std::chrono::milliseconds timeout) {
    blink::runtime::Arena counting;
    memory.layout(counting, numRanks);
    board.layout(counting, numRanks);
    lines.resize(counting.size() / sizeof(Line));
    blink::runtime::Arena arena(lines[0].bytes);
    memory.layout(arena, numRanks);
    board.layout(arena, numRanks);
    begin(numRanks, timeout);
    attach(memory);
  }

  struct alignas(128) Line {
    char bytes[128] = {};
  };
  std::vector<Line> lines;
  blink::runtime::JobMemory memory;
  blink::runtime::BoardMemory board;
};

#endif // BLINK_TEST_UNIT_RUNTIME_TESTJOB_H
