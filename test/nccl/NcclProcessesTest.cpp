//===- NcclProcessesTest.cpp - a process for each rank --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/common/BundleBuilder.h"
#include "test/conformance/Workers.h"
#include "test/nccl/NcclJob.h"

using namespace blink;
using namespace blink::test;

namespace {

/// Returns a bundle with schedules for all four GPUs, the first two and, if
/// asked, the last two.
std::vector<uint8_t> bundleOfFour(bool lastTwo) {
  BundleOptions options;
  options.numGpus = 4;
  options.collectives = {Collective::allreduce};
  options.allocations = {{0, 1}};
  if (lastTwo)
    options.allocations.push_back({2, 3});
  options.allocations.push_back({0, 1, 2, 3});
  return seal(makeBundle(options));
}

/// Returns the lines that four processes print. A process that reports no error
/// must exit with 0: a sanitizer reports through the exit code.
std::vector<std::string> linesOf(const char *schedule,
                                 const std::string &scenario,
                                 int timeoutMs = 20000) {
  ncclUniqueId id;
  REQUIRE(ncclGetUniqueId(&id) == ncclSuccess);
  blinkUniqueId bytes;
  std::memcpy(&bytes, &id, sizeof(bytes));
  std::vector<std::string> lines;
  for (const Outcome &outcome :
       runWorkers(schedule, 4, upTo(4), timeoutMs, scenario, bytes)) {
    CAPTURE(outcome.line);
    const bool error = outcome.has(": ");
    CHECK((outcome.status == 0 || error));
    lines.push_back(outcome.line);
  }
  return lines;
}

using Lines = std::vector<std::string>;

} // namespace

TEST_CASE("a process for each rank") {
  const ScheduleOnDisk file(bundleOfFour(true));
  CHECK(linesOf(file.path(), "sum") == Lines(4, "good"));
  CHECK(linesOf(file.path(), "register") == Lines(4, "good"));
  CHECK(linesOf(file.path(), "halves") ==
        Lines{"0 of 2", "1 of 2", "0 of 2", "1 of 2"});
}

TEST_CASE("processes split off what only the fallback can serve") {
  const ScheduleOnDisk file(bundleOfFour(false));
  const Variable library("BLINK_NCCL_FALLBACK", fakeNccl().c_str());
  const Variable loopback("NCCL_SOCKET_IFNAME", "lo");
  CHECK(linesOf(file.path(), "fallback") ==
        Lines{"0 of 2", "1 of 2", "0 of 2", "1 of 2"});
}

TEST_CASE("a process that is gone is named by all others") {
  const ScheduleOnDisk file(bundleOfFour(true));
  const std::vector<std::string> lines = linesOf(file.path(), "vanish");
  CHECK(lines[3] == "gone");
  for (int rank = 0; rank < 3; ++rank) {
    CAPTURE(lines[size_t(rank)]);
    CHECK(lines[size_t(rank)].find("rank 3") != std::string::npos);
  }
}

TEST_CASE("a fallback that is none is said where it is needed") {
  const ScheduleOnDisk file(bundleOfFour(false));
  const Variable library("BLINK_NCCL_FALLBACK", "/nowhere/libnccl.so.2");
  const Variable loopback("NCCL_SOCKET_IFNAME", "lo");
  // Blink serves the half that it has a schedule for.
  const std::vector<std::string> lines = linesOf(file.path(), "fallback");
  CHECK(lines[0] == "0 of 2");
  CHECK(lines[1] == "1 of 2");
  for (int rank : {2, 3}) {
    CAPTURE(lines[size_t(rank)]);
    CHECK(lines[size_t(rank)].find("no schedules for GPUs 2,3") !=
          std::string::npos);
    CHECK(lines[size_t(rank)].find("/nowhere/libnccl.so.2") !=
          std::string::npos);
  }
}
