//===- EmulatedFaultsTest.cpp - late lanes and wrong counters -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Runs on emulated devices, where a test can delay lanes and change memory.
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Memory.h"
#include "runtime/core/Ring.h"
#include "runtime/cuda/Launch.h"
#include "test/conformance/Places.h"
#include "test/conformance/Workers.h"
#include "test/emulation/Emulation.h"
#include "test/emulation/Programs.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cuda_runtime_api.h>
#include <map>
#include <mutex>
#include <thread>

using namespace blink;
using namespace blink::test;
using runtime::DeviceChannel;
using runtime::DeviceProgram;
using runtime::Launch;

namespace {

/// What the hooks have recorded, and where they strike.
std::mutex hookMutex;
std::map<const void *, const DeviceProgram *> programs; ///< by rank's output
using LaneOf = std::pair<const DeviceProgram *, unsigned>;
/// For each barrier reached: its lane, and true if the poster rather than a
/// folding thread reached it.
std::vector<std::pair<LaneOf, bool>> barriers;
std::pair<LaneOf, bool> target;
unsigned targetBarrier;
std::atomic<int> strikes{0};

/// Each rank is on a device of its own, so a launch has one rank.
LaneOf laneOf(const Launch &launch, unsigned block) {
  return {launch.ranks[0].program, block};
}

void captureHook(const Launch &launch, unsigned block, unsigned thread,
                 unsigned barrier) {
  if (thread != 0 && thread != kEmulatedPoster)
    return;
  std::lock_guard<std::mutex> lock(hookMutex);
  if (block == 0 && barrier == 0)
    programs[launch.ranks[0].recv] = launch.ranks[0].program;
  barriers.push_back({laneOf(launch, block), thread == kEmulatedPoster});
}

void delayHook(const Launch &launch, unsigned block, unsigned thread,
               unsigned barrier) {
  // Delay different folding threads in turn.
  const unsigned late =
      target.second ? kEmulatedPoster : barrier % kEmulatedFoldThreads;
  if (laneOf(launch, block) != target.first || barrier != targetBarrier ||
      thread != late)
    return;
  ++strikes;
  pauseThread(std::chrono::milliseconds(3));
}

struct HookScope : LaneHookScope {
  explicit HookScope(LaneHook hook) : LaneHookScope(hook) {
    programs.clear();
    barriers.clear();
  }
};

TestSchedule model(Collective collective, int ranks) {
  BuildOptions layout;
  layout.shape = Shape::chain;
  layout.slots = 1;
  return makeSchedule(collective, 0, ranks, layout);
}

/// Returns the rank in the middle of the chain, which is at one end of every
/// channel.
int middleOf(TestSchedule schedule) {
  const auto &channels = schedule.variant().channels;
  const auto isAtAll = [&](int rank) {
    return std::all_of(channels.begin(), channels.end(), [&](const auto &one) {
      return int(one.source) == rank || int(one.destination) == rank;
    });
  };
  for (int rank = 0; rank < 3; ++rank)
    if (isAtAll(rank))
      return rank;
  return -1;
}

/// Returns a case with one chunk on each channel.
Case oneChunk(Collective collective) {
  Case c;
  c.collective = collective;
  c.count = 1000;
  return c;
}

/// Returns the programs of the job's ranks, recorded during one call.
std::vector<const DeviceProgram *> programsOf(const Job &job, const Case &c) {
  std::vector<RankBuffers> buffers;
  for (int rank = 0; rank < job.size(); ++rank)
    buffers.emplace_back(c, job.size(), rank);
  HookScope hook(captureHook);
  REQUIRE(job.inGroup([&](int rank) {
    return call(c, buffers[size_t(rank)].send(), buffers[size_t(rank)].recv(),
                job[rank], job.stream(rank));
  }) == blinkSuccess);
  std::vector<const DeviceProgram *> list;
  for (RankBuffers &one : buffers) {
    REQUIRE(one.check() == "");
    list.push_back(programs.at(one.recv()));
  }
  return list;
}

/// Returns the job's error after a counter of `rank` has been harmed, or
/// "nothing to harm" if harm() finds no counter.
std::string harmedJob(Collective collective, int ranks, int rank,
                      const std::function<bool(const DeviceProgram &)> &harm) {
  Job job(model(collective, ranks), ranks, kSoonMs);
  const Case c = oneChunk(collective);
  if (!harm(*programsOf(job, c)[size_t(rank)]))
    return "nothing to harm";
  if (runCase(job, c).empty())
    return "nobody noticed";
  // The next call says why the communicator can no longer be used.
  RankBuffers buffers(c, ranks, 0);
  call(c, buffers.send(), buffers.recv(), job[0], job.stream(0));
  return blinkGetLastError(job[0]);
}

} // namespace

TEST_CASE("a lane that is late, wherever it is, is waited for") {
  const TestSchedule schedule = model(Collective::allreduce, 3);
  Job job(schedule, 3);
  std::vector<std::pair<LaneOf, bool>> all;
  {
    HookScope hook(captureHook);
    REQUIRE(runCase(job, oneChunk(Collective::allreduce)) == "");
    all = barriers;
  }
  // The folding threads have two barriers around a fold; the poster takes part
  // in one of them.
  CHECK(all.size() >= 3 * placesOf(schedule).size());
  HookScope hook(delayHook);
  std::map<std::pair<LaneOf, bool>, unsigned> next;
  for (const auto &one : all) {
    target = one;
    targetBarrier = next[one]++;
    strikes = 0;
    CHECK(runCase(job, oneChunk(Collective::allreduce)) == "");
    CHECK(strikes == 1);
  }
}

TEST_CASE("a counter that is wrong ends in an error that says where") {
  const TestSchedule schedule = model(Collective::allreduce, 3);
  const size_t numChannels = TestSchedule(schedule).variant().channels.size();
  int harmed = 0;
  for (int rank = 0; rank < 3; ++rank) {
    if (kSanitized && rank != middleOf(schedule))
      continue;
    for (size_t c = 0; c < numChannels; ++c)
      for (bool own : {false, true}) {
        const std::string text = harmedJob(
            Collective::allreduce, 3, rank, [&](const DeviceProgram &ofRank) {
              const DeviceChannel *channel = channelOf(ofRank, uint32_t(c));
              if (!channel) // it connects other ranks
                return false;
              if (own)
                channel->end->number = 7; // one reader's, or one writer's
              else
                runtime::storeRelease(channel->freed, 0);
              return true;
            });
        if (text == "nothing to harm")
          continue;
        ++harmed;
        CAPTURE(text);
        CHECK(namesAWait(text, schedule));
        CHECK(text.find(waitedSoon()) != std::string::npos);
        CHECK(freshJobFails() == "");
      }
  }
  // Both ends of each channel have two counters.
  CHECK(harmed == (kSanitized ? 1 : 2) * 2 * int(numChannels));
}

TEST_CASE("expected and seen are what the counters are") {
  // In a broadcast of two ranks the writer finishes: only the reader waits.
  const std::string text =
      harmedJob(Collective::broadcast, 2, 1, [](const DeviceProgram &reader) {
        channelOf(reader, 0)->end->number = 7;
        return true;
      });
  CAPTURE(text);
  CHECK(text.find("rank 1, lane 0, step 0, channel 0: no chunk: expected 8 "
                  "written, seen 2; " +
                  waitedSoon()) == 0);
}

TEST_CASE("a tag of another call is refused, and nothing is read") {
  Job job(model(Collective::broadcast, 2), 2, 5000);
  const Case c = oneChunk(Collective::broadcast);
  // The tag is there too early, for the next chunk. The writer does not call.
  const DeviceChannel channel = *channelOf(*programsOf(job, c)[1], 0);
  runtime::storeRelease(channel.full, runtime::makeTag(1, 0xbad));
  RankBuffers buffers(c, 2, 1);
  CHECK(call(c, buffers.send(), buffers.recv(), job[1], job.stream(1)) ==
        blinkSuccess);
  cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(job.stream(1)));
  float value = 0;
  CHECK(blinkBroadcast(&value, &value, 1, blinkFloat32, 0, job[1], nullptr) ==
        blinkInvalidUsage);
  const std::string text = blinkGetLastError(job[1]);
  CAPTURE(text);
  CHECK(text.find("the ranks' calls differ: rank 1, lane 0, step 0, channel 0: "
                  "no chunk: expected 2 written, seen 2, of another call") !=
        std::string::npos);
  CHECK(freshJobFails() == "");
}

TEST_CASE("a rank that calls another collective is found by its neighbours") {
  BuildOptions layout;
  const TestSchedule schedule = allCollectives(3, 0, layout);
  const TestSchedule other = makeSchedule(Collective::broadcast, 0, 3, layout);
  for (int variation = 0; variation < 4; ++variation)
    for (int odd = 0; odd < 3; ++odd) {
      // The rank with the broadcast may wait for ranks that wait for it. Then
      // no chunk reveals the difference, and the time limit must pass.
      const bool mayWait = variation == 0;
      Job job(schedule, 3, mayWait ? 100 : 10000);
      std::vector<RankBuffers> buffers;
      std::vector<Case> cases(3);
      for (int rank = 0; rank < 3; ++rank) {
        Case &c = cases[size_t(rank)];
        c.count = 64;
        if (rank == odd && variation == 0)
          c.collective = Collective::broadcast;
        if (rank == odd && variation == 1)
          c.type = blinkInt32;
        if (rank == odd && variation == 2)
          c.op = blinkMax;
        if (rank == odd && variation == 3)
          c.count = 63;
        buffers.emplace_back(c, 3, rank);
      }
      job.onThreads([&](int rank) {
        return call(cases[size_t(rank)], buffers[size_t(rank)].send(),
                    buffers[size_t(rank)].recv(), job[rank], job.stream(rank));
      });
      blinkResult_t state = blinkSuccess;
      blinkCommGetAsyncError(job[0], &state);
      CHECK((state == blinkInvalidUsage ||
             (mayWait && state == blinkRemoteError)));
      float value = 0;
      blinkAllReduce(&value, &value, 1, blinkFloat32, blinkSum, job[0],
                     nullptr);
      const std::string text = blinkGetLastError(job[0]);
      CAPTURE(variation);
      CAPTURE(odd);
      CAPTURE(text);
      if (state == blinkInvalidUsage) {
        CHECK(text.find("the ranks' calls differ: rank ") == 0);
        CHECK(text.find(", of another call") != std::string::npos);
      } else {
        CHECK(text.find("waited 100 ms") != std::string::npos);
      }
      CHECK(
          (namesAWait(text, schedule) || (mayWait && namesAWait(text, other))));
      CHECK(freshJobFails() == "");
    }
}

TEST_CASE(
    "a process that dies at any point of a kernel is named by the others") {
  const TestSchedule schedule = model(Collective::allreduce, 3);
  // The barriers of a folding thread: four at the start, then two for each
  // fold.
  constexpr unsigned kFirst = 4;
  ScheduleOnDisk file(schedule);
  for (const Place &place : placesOf(schedule)) {
    if (kSlow && place.rank != middleOf(schedule))
      continue;
    const std::string sentence =
        "the process of rank " + std::to_string(place.rank) + ", number ";
    // The jobs run at the same time.
    std::vector<std::string> scenarios;
    std::vector<RunningWorkers> jobs;
    for (unsigned barrier = place.step == 0 ? 0 : kFirst + 2 * place.step;
         barrier < kFirst + 2 * place.step + 2; barrier += kSanitized ? 3 : 1) {
      // On emulated devices the process is killed in its second kernel.
      scenarios.push_back("kill:" + std::to_string(place.rank) + ":" +
                          std::to_string(place.lane) + ":" +
                          std::to_string(barrier) + ":1");
      jobs.emplace_back(file.path(), 3, upTo(3), 20000, scenarios.back(),
                        makeId());
    }
    for (size_t job = 0; job < jobs.size(); ++job) {
      CAPTURE(scenarios[job]);
      const std::vector<Outcome> outcomes = jobs[job].collect();
      for (int rank = 0; rank < 3; ++rank) {
        CAPTURE(outcomes[rank].line);
        if (rank == place.rank) {
          CHECK(WTERMSIG(outcomes[rank].status) == SIGKILL);
          continue;
        }
        CHECK(outcomes[rank].has(sentence.c_str()));
        CHECK(outcomes[rank].has("has died"));
        CHECK(WEXITSTATUS(outcomes[rank].status) == 1);
      }
    }
  }
}
