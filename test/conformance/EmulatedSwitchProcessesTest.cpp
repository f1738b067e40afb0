//===- EmulatedSwitchProcessesTest.cpp - processes with a switch ----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Ranks in processes of their own, or some of them in one process, with a
// switch of emulated devices that works for them (SwitchScenarios.cpp). Tests
// results, that all ranks use links if one cannot use the switch, and ranks
// that die or are late.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/SwitchMeeting.h"
#include "test/common/SwitchedStars.h"
#include "test/conformance/Workers.h"
#include "test/emulation/Emulation.h"

#include "doctest/doctest.h"

#include <chrono>
#include <csignal>
#include <functional>
#include <vector>

using namespace blink;
using namespace blink::test;

namespace {

TestSchedule stars(int ranks) {
  BuildOptions options;
  options.chunkBytes = 512;
  options.slots = 3;
  options.lanes = 2;
  return switchedStars(ranks, 2, options);
}

/// Returns every step of the set-up, with its number among the rank's calls of
/// that function.
std::vector<std::string> stepsOf(bool first) {
  std::vector<std::string> steps = {"cuMulticastAddDevice@0",
                                    "cuMulticastBindMem@0",
                                    "cuMemCreate@0",
                                    "cuMemAddressReserve@0",
                                    "cuMemAddressReserve@1",
                                    "cuMemMap@0",
                                    "cuMemMap@1",
                                    "cuMemSetAccess@0",
                                    "cuMemSetAccess@1"};
  const std::vector<std::string> own =
      first ? std::vector<std::string>{"cuMulticastGetGranularity@0",
                                       "cuMulticastCreate@0",
                                       "cuMemExportToShareableHandle@0"}
            : std::vector<std::string>{"cuMemImportFromShareableHandle@0"};
  steps.insert(steps.end(), own.begin(), own.end());
  return steps;
}

} // namespace

TEST_CASE("a switch adds and copies for processes, whatever the size") {
  for (int ranks : {2, 3, 5, 8})
    expectGood(stars(ranks), ranks, "switch");
}

TEST_CASE("where one rank cannot, all leave it to links and say whose fault") {
  for (int rank : {0, 2}) {
    const std::string victim = ":rank=" + std::to_string(rank);
    expectGood(stars(3), 3, "switch:without" + victim);
    for (const std::string &step : stepsOf(rank == 0))
      expectGood(stars(3), 3, "switch:fails=" + step + victim);
  }
  expectGood(stars(2), 2, "switch:one");
}

TEST_CASE("a rank that dies while a switch is set up is named by the others") {
  for (int rank : {0, 2})
    for (const std::string &step : stepsOf(rank == 0)) {
      const std::vector<Outcome> outcomes = runAll(
          stars(3), 3, "switch:dies=" + step + ":rank=" + std::to_string(rank));
      CAPTURE(step);
      for (int other = 0; other < 3; ++other) {
        const Outcome &outcome = outcomes[size_t(other)];
        CAPTURE(outcome.line);
        if (other == rank)
          CHECK(WTERMSIG(outcome.status) == SIGKILL);
        else
          CHECK(outcome.has(
              ("the process of rank " + std::to_string(rank) + ", number ")
                  .c_str()));
      }
    }
}

TEST_CASE("nobody waits longer than the limit for a switch's memory") {
  constexpr int kRanks = 3;
  ScheduleOnDisk file(stars(kRanks));
  const auto begin = std::chrono::steady_clock::now();
  std::vector<RunningWorkers> jobs;
  for (const char *step : {"cuMulticastAddDevice@0", "cuMulticastBindMem@0"})
    jobs.emplace_back(file.path(), kRanks, upTo(kRanks), 1000,
                      std::string("switch:late=") + step, makeId());
  for (RunningWorkers &job : jobs)
    for (const Outcome &outcome : job.collect()) {
      CAPTURE(outcome.line);
      CHECK(outcome.has("waited 1000 ms for rank 2 to set up a switch's "));
    }
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
}

TEST_CASE("who aborts takes no memory from under a switch that works") {
  // In the first schedule, neither rank reaches the other's memory except
  // through the switch.
  ScheduleOnDisk apart(withKind(stars(2), sched::ChannelKind::staged));
  ScheduleOnDisk file(stars(2));
  for (int barrier = 0; barrier < 6; ++barrier) {
    CAPTURE(barrier);
    const std::string scenario = "switch:ends=" + std::to_string(barrier);
    RunningWorkers jobs[] = {
        {apart.path(), 2, upTo(2), 20000, scenario, makeId()},
        {file.path(), 2, {0}, 20000, scenario + ":pairs", makeId()}};
    for (RunningWorkers &job : jobs)
      for (const Outcome &outcome : job.collect()) {
        CAPTURE(outcome.line);
        CHECK(outcome.good());
      }
  }
}

TEST_CASE("a rank that dies in a call that a switch helps is named") {
  for (int barrier = 0; barrier < 4; ++barrier) {
    const std::vector<Outcome> outcomes =
        runAll(stars(3), 3, "switch:killed=" + std::to_string(barrier));
    CHECK(WTERMSIG(outcomes[2].status) == SIGKILL);
    for (int rank : {0, 1}) {
      CAPTURE(outcomes[size_t(rank)].line);
      CHECK(outcomes[size_t(rank)].good());
    }
  }
}

TEST_CASE("processes with a switch may have several ranks each") {
  ScheduleOnDisk file(stars(4));
  for (const Outcome &outcome :
       runWorkers(file.path(), 4, {0, 2}, 20000, "switch:pairs", makeId())) {
    CAPTURE(outcome.line);
    CHECK(outcome.good());
  }
}

TEST_CASE("what a rank says in a later meeting does not count in this one") {
  emulatedMachine = {};
  constexpr int kRanks = 2;
  runtime::Arena counting;
  runtime::JobMemory memory;
  memory.layout(counting, kRanks);
  std::vector<char> bytes(counting.size() + 1024); // zero, like a job's memory
  runtime::Arena arena(bytes.data() + 1024 - uintptr_t(bytes.data()) % 1024);
  memory.layout(arena, kRanks);
  runtime::Job job;
  job.begin(kRanks, std::chrono::milliseconds(20000));
  job.attach(memory);
  // Rank 1 is ahead: it has been in two meetings and failed in the second.
  runtime::SwitchRecord records[kRanks] = {};
  records[1].failedAt = 2;
  records[1].why.set({blinkSystemError, "no memory"});
  job.publish(&job.peer(1).switches, 2);
  const std::function<runtime::Status()> ended;
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::seconds(20);
  runtime::SwitchMeeting meeting(job, records, 0, deadline, ended);
  runtime::SwitchMemory memoryOfSwitch;
  runtime::Status outcome;
  CHECK(meeting.make({}, 0, 5000, memoryOfSwitch, outcome).ok());
  CHECK(outcome.text == "rank 1: no memory");
  CHECK(job.peer(0).switches == 2);
}
