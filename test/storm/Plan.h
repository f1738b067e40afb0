//===- Plan.h - what a job of the storm does --------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A job is a set of communicators over one schedule and a sequence of calls.
// All of it follows from the run's seed and the job's number, so each rank
// finds out by itself what it calls next, and no two ranks have to meet.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_STORM_PLAN_H
#define BLINK_TEST_STORM_PLAN_H

#include "test/conformance/Case.h"
#include "test/storm/Schedules.h"

namespace blink::storm {

/// Who is slow, and how much: in microseconds.
struct DelayPlan {
  unsigned callPercent = 0; ///< of calls that a rank makes late
  unsigned mostCallDelay = 0;
  unsigned stepPercent = 0; ///< of steps of slow lanes that are late
  unsigned mostStepDelay = 0;
  bool oneRank = false; ///< the lanes of one rank at a time, else of all
  bool oneLane = false; ///< of every rank's lanes one at a time
};

/// What a run may do.
struct Limits {
  int mostRanks = 8;
  int devices = 8;
  unsigned residentLanes = 1000; ///< of a device
  uint64_t mostBytes = 64 << 20; ///< of a message
  bool processes = true;         ///< ranks may be processes of their own
  bool servers = false;          ///< all are, and on several servers
};

struct JobPlan {
  uint64_t seed = 0;
  unsigned number = 0;
  StormSchedule schedule;
  unsigned calls = 0;
  uint64_t mostBytes = 0; ///< of a message
  /// The ranks of each thread: one, that makes its calls, or several, whose
  /// calls it makes in groups. The order of a thread's ranks is its own.
  std::vector<std::vector<int>> drivers;
  bool processes = false; ///< each driver is one
  /// Communicators are made rank by rank, with an id; else all at once.
  bool byId = false;
  std::vector<int> devices;
  unsigned mostCallsInGroup = 1;
  /// Calls of a rank whose results are still to be checked.
  unsigned window = 1;
  DelayPlan delays;
  /// Of calls before which a rank registers some of its memory, or ends that,
  /// by itself.
  unsigned windowPercent = 0;
  bool ownMemory = false; ///< the ranks' memory is of blinkMemAlloc

  int ranks() const { return schedule.ranks; }
  std::string describe() const;
};

JobPlan planJob(uint64_t seed, unsigned number, const Limits &limits);

/// A job's calls, one after the other: the same on every rank.
class CallSequence {
public:
  explicit CallSequence(const JobPlan &job);
  /// In place and misaligned are up to each rank.
  test::Case next();

private:
  enum class Sizes { tiny, border, any, mixed };
  void startBurst();
  size_t nextCount(Sizes sizes, uint64_t elementBytes);

  const JobPlan &job_;
  Dice dice_;
  // Calls like the one before follow each other for a while, as those of a
  // training step do.
  unsigned left_ = 0;
  const Program *program_ = nullptr;
  Sizes sizes_ = Sizes::tiny;
  bool steady_ = false; ///< the type and the operator stay, too
  test::Case last_;
};

} // namespace blink::storm

#endif // BLINK_TEST_STORM_PLAN_H
