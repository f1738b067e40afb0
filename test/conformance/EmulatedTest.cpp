//===- EmulatedTest.cpp - machines that are not here ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What the CUDA back end says of machines that a schedule does not fit; they
// are emulated (test/emulation).
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Job.h"
#include "test/emulation/Emulation.h"

#include "doctest/doctest.h"

using namespace blink;
using namespace blink::test;

namespace {

bool contains(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

/// What blinkCommInitAll says of a schedule on emulated devices.
std::string initError(const TestSchedule &model, int numRanks,
                      const int *devices) {
  std::vector<uint8_t> bytes = seal(model);
  blinkSchedule_t schedule;
  REQUIRE(blinkScheduleOpenMemory(bytes.data(), bytes.size(), &schedule) ==
          blinkSuccess);
  std::vector<blinkComm_t> comms(numRanks);
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  config.backend = blinkBackendCuda;
  blinkResult_t result =
      blinkCommInitAll(comms.data(), numRanks, devices, schedule, &config);
  std::string text = result == blinkSuccess ? "" : blinkGetLastError(nullptr);
  for (blinkComm_t comm : comms)
    blinkCommDestroy(comm);
  blinkScheduleClose(schedule);
  return text;
}

} // namespace

TEST_CASE("what the machine cannot run is refused in a sentence") {
  TestSchedule four = makeSchedule(Collective::allreduce, 0, 4, {});
  emulatedMachine = {};
  CHECK(initError(four, 4, nullptr) == "");
  emulatedMachine.devices = 3;
  CHECK(contains(initError(four, 4, nullptr),
                 "rank 3 is for GPU 3, this machine has 3"));
  const int onTwo[] = {0, 0, 1, 1}, wrong[] = {0, 1, -1, 2};
  CHECK(initError(four, 4, onTwo) == "");
  CHECK(contains(initError(four, 4, wrong), "rank 2 is for GPU -1"));
  emulatedMachine.peerBorder = 1;
  CHECK(contains(initError(four, 4, onTwo),
                 "cannot access each other's memory here"));
  CHECK(initError(withKind(four, sched::ChannelKind::staged), 4, onTwo) == "");
  CHECK(
      contains(initError(withKind(four, sched::ChannelKind::network), 4, onTwo),
               "over the network"));
  emulatedMachine = {};
  emulatedMachine.residentLanes = 3;
  CHECK(contains(initError(four, 4, onTwo), "4 lanes, 3 can run"));
  emulatedMachine = {};
}
