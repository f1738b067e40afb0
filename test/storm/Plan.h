//===- Plan.h - plans a job of the storm ------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A job is a set of communicators over one schedule and a sequence of calls.
// All of it follows from the run's seed and the job's number: each rank finds
// out its next call by itself, without meeting other ranks.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_STORM_PLAN_H
#define BLINK_TEST_STORM_PLAN_H

#include "test/conformance/Case.h"
#include "test/storm/Schedules.h"

namespace blink::storm {

/// Which ranks and lanes are slow, and the maximum delays in microseconds.
struct DelayPlan {
  unsigned callPercent = 0; ///< of a rank's calls that are late
  unsigned mostCallDelay = 0;
  unsigned stepPercent = 0; ///< of slow lanes' steps that are late
  unsigned mostStepDelay = 0;
  bool oneRank = false; ///< only one rank's lanes are slow at a time
  bool oneLane = false; ///< only one lane per rank is slow at a time
};

/// Limits of a run's jobs.
struct Limits {
  int mostRanks = 8;
  int devices = 8;
  unsigned residentLanes = 1000; ///< per device, those that a job may use
  uint64_t mostBytes = 64 << 20; ///< per message
  bool processes = true;         ///< ranks may be processes of their own
  bool servers = false;          ///< ranks are processes on several servers
};

struct JobPlan {
  uint64_t seed = 0;
  unsigned number = 0;
  StormSchedule schedule;
  unsigned calls = 0;
  uint64_t mostBytes = 0; ///< per message
  /// The ranks of each thread: one rank whose calls it makes, or several whose
  /// calls it makes in groups, in the thread's own order.
  std::vector<std::vector<int>> drivers;
  bool processes = false; ///< each driver is a process
  /// Whether communicators are made rank by rank, with an id, or all at once.
  bool byId = false;
  std::vector<int> devices;
  unsigned mostCallsInGroup = 1;
  /// The maximum number of a rank's calls whose results are not checked yet.
  unsigned window = 1;
  DelayPlan delays;
  /// The percentage of calls before which a rank registers some of its memory
  /// or deregisters it, independently of other ranks.
  unsigned windowPercent = 0;
  bool ownMemory = false; ///< memory comes from blinkMemAlloc

  int ranks() const { return schedule.ranks; }
  std::string describe() const;
};

JobPlan planJob(uint64_t seed, unsigned number, const Limits &limits);

/// The sequence of a job's calls, the same on every rank.
class CallSequence {
public:
  explicit CallSequence(const JobPlan &job);
  /// Returns the next call. Each rank decides by itself whether it is in place
  /// or misaligned.
  test::Case next();

private:
  enum class Sizes { tiny, border, any, mixed };
  void startBurst();
  size_t nextCount(Sizes sizes, uint64_t elementBytes);

  const JobPlan &job_;
  Dice dice_;
  // Similar calls follow each other for a while, as in a training step.
  unsigned left_ = 0;
  const Program *program_ = nullptr;
  Sizes sizes_ = Sizes::tiny;
  bool steady_ = false; ///< type and operator stay the same, too
  test::Case last_;
};

} // namespace blink::storm

#endif // BLINK_TEST_STORM_PLAN_H
