//===- Job.cpp - runs a job of the storm ----------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/storm/Job.h"

#include "test/storm/Delays.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>

using namespace blink::test;

namespace blink::storm {
namespace {

//===-- Communicators -----------------------------------------------------===//

blinkConfig_t configOf(const JobPlan &job) {
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
#if BLINK_TEST_CUDA
  config.backend = blinkBackendCuda;
#endif
  // The error names the rank that hangs. Emulated devices and sanitizers are
  // slow; a GPU is not, and tools/gpu-check.sh gives the storm 90 seconds.
#if BLINK_TEST_CUDA && !BLINK_TEST_EMULATED
  config.timeoutMs = 15000;
#else
  config.timeoutMs = 120000;
#endif
  config.gpus = job.schedule.gpus.empty() ? nullptr : job.schedule.gpus.data();
  return config;
}

[[noreturn]] void fail() {
  throw std::runtime_error(blinkGetLastError(nullptr));
}

/// Makes the communicators of all ranks.
std::vector<blinkComm_t> makeAll(const JobPlan &job) {
  blinkSchedule_t schedule = openSchedule(job.schedule);
  if (!schedule)
    fail();
  const blinkConfig_t config = configOf(job);
  const int *devices =
      config.backend == blinkBackendCuda ? job.devices.data() : nullptr;
  std::vector<blinkComm_t> comms(size_t(job.ranks()));
  const blinkResult_t result =
      blinkCommInitAll(comms.data(), job.ranks(), devices, schedule, &config);
  blinkScheduleClose(schedule);
  if (result != blinkSuccess)
    fail();
  return comms;
}

/// Makes the communicator of one rank; the other ranks make theirs at the same
/// time.
blinkComm_t makeOne(const JobPlan &job, int rank, const blinkUniqueId &id) {
  blinkSchedule_t schedule = openSchedule(job.schedule);
  if (!schedule)
    fail();
  const blinkConfig_t config = configOf(job);
  const int device =
      config.backend == blinkBackendCuda ? job.devices[size_t(rank)] : -1;
  blinkComm_t comm = nullptr;
  const blinkResult_t result = blinkCommInitRank(&comm, job.ranks(), id, rank,
                                                 device, schedule, &config);
  blinkScheduleClose(schedule);
  if (result != blinkSuccess)
    fail();
  return comm;
}

//===-- Drivers -----------------------------------------------------------===//

/// A thread that makes the calls of some ranks.
class Driver {
public:
  Driver(const JobPlan &job, const std::vector<int> &ranks, Findings &findings)
      : job_(job), findings_(findings), sequence_(job),
        dice_(job.seed, {ofDriver, job.number, uint64_t(ranks[0])}) {
    for (int rank : ranks)
      ranks_.push_back(std::make_unique<Rank>(job_, rank, findings_));
  }

  const std::vector<std::unique_ptr<Rank>> &ranks() const { return ranks_; }

  void run() {
    while (number_ != job_.calls && !failed_) {
      numInGroup_ = 0;
      prepareGroup();
      if (!failed_)
        makeGroup();
    }
    for (const auto &rank : ranks_)
      rank->finish();
  }

private:
  void judge(blinkResult_t result) {
    if (result == blinkSuccess || failed_)
      return;
    failed_ = true;
    findings_.addError(0, number_,
                       std::string("a call failed: ") +
                           blinkGetErrorString(result) + ", " +
                           blinkGetLastError(nullptr));
  }

  /// Takes as many calls from the sequence as this thread makes in one group.
  /// Other threads may group them differently.
  void prepareGroup() {
    const unsigned most = unsigned(dice_.between(1, job_.mostCallsInGroup));
    do {
      if (!next_)
        next_ = sequence_.next();
      const auto hasRoom = [this](const auto &rank) {
        return rank->hasRoomFor(*next_);
      };
      if (numInGroup_ != 0 &&
          !std::all_of(ranks_.begin(), ranks_.end(), hasRoom))
        break;
      for (const auto &rank : ranks_)
        rank->prepare(*next_);
      next_.reset();
      ++numInGroup_;
    } while (numInGroup_ != most && number_ + numInGroup_ != job_.calls);
  }

  void makeGroup() {
    std::vector<Rank *> order; // any order that keeps each rank's
    for (const auto &rank : ranks_)
      order.insert(order.end(), numInGroup_, rank.get());
    dice_.shuffle(order);
    for (const auto &rank : ranks_)
      judge(rank->changeWindows());
    const bool grouped = order.size() > 1 || dice_.chance(10);
    if (grouped)
      judge(blinkGroupStart());
    for (Rank *rank : order)
      judge(rank->makeCall());
    if (grouped)
      judge(blinkGroupEnd());
    for (const auto &rank : ranks_)
      rank->fetchResults(failed_);
    number_ += numInGroup_;
  }

  const JobPlan &job_;
  Findings &findings_;
  CallSequence sequence_;
  Dice dice_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  std::optional<Case> next_; ///< it did not fit into the group
  unsigned number_ = 0;      ///< calls made
  unsigned numInGroup_ = 0;
  bool failed_ = false;
};

/// Runs `body`; an exception counts as a finding.
template <typename Body> void guarded(Findings &findings, const Body &body) {
  try {
    body();
  } catch (const std::exception &error) {
    findings.addError(0, 0, error.what());
  }
}

/// The part of a job in this process. Memory is allocated before the
/// communicators are made, so that no rank runs while another one allocates. It
/// outlives them, since it may be registered.
struct JobState {
  std::vector<std::unique_ptr<Driver>> drivers;
  std::vector<blinkComm_t> comms;

  explicit JobState(const JobPlan &job) : comms(size_t(job.ranks())) {}
  ~JobState() {
    for (blinkComm_t comm : comms)
      blinkCommDestroy(comm);
  }
  void addDriver(const JobPlan &job, const std::vector<int> &ranks,
                 Findings &findings) {
    drivers.push_back(std::make_unique<Driver>(job, ranks, findings));
  }
};

/// Runs a driver. If `id` is null, its ranks have joined already.
void runDriver(const JobPlan &job, Driver &driver, const blinkUniqueId *id,
               JobState &state, Findings &findings) {
  guarded(findings, [&] {
    if (id)
      for (const auto &rank : driver.ranks()) {
        blinkComm_t &comm = state.comms[size_t(rank->number())];
        comm = makeOne(job, rank->number(), *id);
        rank->join(comm);
      }
    driver.run();
  });
}

} // namespace

void runJob(const JobPlan &job, Findings &findings) {
  guarded(findings, [&] {
    const LaneDelays delays(job);
    JobState state(job);
    for (const std::vector<int> &ranks : job.drivers)
      state.addDriver(job, ranks, findings);
    blinkUniqueId id;
    if (job.byId && blinkGetUniqueId(&id) != blinkSuccess)
      fail();
    if (!job.byId) {
      state.comms = makeAll(job);
      for (const auto &driver : state.drivers)
        for (const auto &rank : driver->ranks())
          rank->join(state.comms[size_t(rank->number())]);
    }
    std::vector<std::thread> threads;
    for (const auto &driver : state.drivers)
      threads.emplace_back([&] {
        runDriver(job, *driver, job.byId ? &id : nullptr, state, findings);
      });
    for (std::thread &thread : threads)
      thread.join();
  });
}

void runMember(const JobPlan &job, int rank, const blinkUniqueId &id,
               Findings &findings, const std::function<void()> &meetOthers) {
  guarded(findings, [&] {
    const LaneDelays delays(job);
    JobState state(job);
    state.addDriver(job, {rank}, findings);
    runDriver(job, *state.drivers[0], &id, state, findings);
    meetOthers();
  });
}

} // namespace blink::storm
