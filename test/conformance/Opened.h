//===- Opened.h - schedules opened with the C API ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_CONFORMANCE_OPENED_H
#define BLINK_TEST_CONFORMANCE_OPENED_H

#include "runtime/blink.h"
#include "test/common/ScheduleBuilder.h"

#include "doctest/doctest.h"

namespace blink::test {

/// An opened schedule; the destructor closes it.
struct Opened {
  blinkSchedule_t schedule = nullptr;
  explicit Opened(const TestSchedule &model) : Opened(seal(model)) {}
  explicit Opened(const std::vector<uint8_t> &bytes) {
    REQUIRE(blinkScheduleOpenMemory(bytes.data(), bytes.size(), &schedule) ==
            blinkSuccess);
  }
  ~Opened() { blinkScheduleClose(schedule); }
  Opened(const Opened &) = delete;
};

} // namespace blink::test

#endif // BLINK_TEST_CONFORMANCE_OPENED_H
