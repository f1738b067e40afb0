//===- OpenedSchedule.h - a file in memory ----------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_COMMON_OPENEDSCHEDULE_H
#define BLINK_TEST_COMMON_OPENEDSCHEDULE_H

#include "test/common/ScheduleBuilder.h"

#include "doctest/doctest.h"

#include <cstring>

namespace blink::test {

/// A schedule opened from memory; an error of the loader ends the test.
struct OpenedSchedule {
  explicit OpenedSchedule(const TestSchedule &schedule) {
    const std::vector<uint8_t> bytes = seal(schedule);
    storage.resize(bytes.size() / 8);
    std::memcpy(storage.data(), bytes.data(), bytes.size());
    std::string error;
    file = sched::openSchedule(
        reinterpret_cast<const uint8_t *>(storage.data()), bytes.size(), error);
    REQUIRE_MESSAGE(file != nullptr, error);
  }
  const sched::Program &program() const { return *file->programs()->Get(0); }

  std::vector<uint64_t> storage;
  const sched::Schedule *file;
};

} // namespace blink::test

#endif // BLINK_TEST_COMMON_OPENEDSCHEDULE_H
