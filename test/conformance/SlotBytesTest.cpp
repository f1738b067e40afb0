//===- SlotBytesTest.cpp - a limit for the memory of slots ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// blinkConfig_t::slotBytes and its default.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Job.h"

#include "doctest/doctest.h"

#include <cstdlib>

using namespace blink;
using namespace blink::test;

namespace {

struct SlotBytes {
  explicit SlotBytes(const char *text) {
    setenv("BLINK_SLOT_BYTES", text, /*overwrite=*/1);
  }
  ~SlotBytes() { unsetenv("BLINK_SLOT_BYTES"); }
  SlotBytes(const SlotBytes &) = delete;
};

/// Some programs have few large channels, the others many small ones.
TestSchedule mixed() {
  BuildOptions many, few;
  many.treesPerBlock = 3;
  many.chunkBytes = 4096;
  few.treesPerBlock = 1;
  few.chunkBytes = 128 << 10;
  many.slots = few.slots = 4;
  TestSchedule schedule = allCollectives(4, 1, many);
  const TestSchedule large = allCollectives(4, 1, few);
  for (size_t i = 0; i < schedule.programs.size(); i += 2)
    schedule.programs[i] = large.programs[i];
  return schedule;
}

uint64_t slotsOf(const Job &job) {
  uint64_t most = 0;
  for (int rank = 0; rank < job.size(); ++rank) {
    blinkMemoryInfo_t info = BLINK_MEMORY_INFO_INITIALIZER;
    CHECK(blinkCommMemory(job[rank], &info) == blinkSuccess);
    most = std::max(most, info.slots);
  }
  return most;
}

void runAll(const Job &job) {
  for (Collective collective : collectives())
    for (size_t count : {1, 999, 100003}) {
      CAPTURE(count);
      CHECK(runCase(job, variedCase(collective, count, 1, unsigned(count))) ==
            "");
    }
}

} // namespace

TEST_CASE("a limit for slots makes the largest chunks smaller") {
  const TestSchedule schedule = mixed();
  const Job plain(schedule, 4);
  CHECK(slotsOf(plain) > 1500000);
  const SlotBytes limit("1000000");
  const Job tight(schedule, 4);
  // Tags are not counted, and slots only at one end.
  CHECK(slotsOf(tight) < (isRemote() ? 2u : 1u) * 1100000);
  CHECK(slotsOf(tight) > 900000);
  runAll(tight);
}

TEST_CASE("chunks do not become smaller than 16 KiB") {
  const SlotBytes limit("1");
  const Job least(mixed(), 4);
  CHECK(slotsOf(least) > 64 << 10);
  runAll(least);
}

TEST_CASE("a limit for slots that is no number is refused") {
  const std::vector<uint8_t> bytes = seal(mixed());
  blinkSchedule_t schedule;
  REQUIRE(blinkScheduleOpenMemory(bytes.data(), bytes.size(), &schedule) ==
          blinkSuccess);
  for (const char *text : {"", "0", "-5", "64M", "99999999999999999999999"}) {
    CAPTURE(text);
    const SlotBytes wrong(text);
    blinkComm_t comms[4];
    CHECK(blinkCommInitAll(comms, 4, nullptr, schedule, nullptr) ==
          blinkInvalidArgument);
    CHECK(std::string(blinkGetLastError(nullptr)) ==
          "BLINK_SLOT_BYTES is '" + std::string(text) +
              "', expected a number of bytes");
  }
  CHECK(blinkScheduleClose(schedule) == blinkSuccess);
}
