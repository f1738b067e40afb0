//===- ScheduleOnDisk.h - a schedule in a file ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_CONFORMANCE_SCHEDULEONDISK_H
#define BLINK_TEST_CONFORMANCE_SCHEDULEONDISK_H

#include "test/common/ScheduleBuilder.h"

#include "doctest/doctest.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include <vector>

namespace blink::test {

/// A file with these bytes, removed at the end.
class ScheduleOnDisk {
public:
  explicit ScheduleOnDisk(const TestSchedule &model)
      : ScheduleOnDisk(seal(model)) {}
  explicit ScheduleOnDisk(const std::vector<uint8_t> &bytes) {
    int file = mkstemp(path_);
    REQUIRE(file >= 0);
    REQUIRE(write(file, bytes.data(), bytes.size()) == ssize_t(bytes.size()));
    close(file);
  }
  ~ScheduleOnDisk() { std::remove(path_); }
  const char *path() const { return path_; }

private:
  char path_[32] = "/tmp/blink-XXXXXX";
};

} // namespace blink::test

#endif // BLINK_TEST_CONFORMANCE_SCHEDULEONDISK_H
