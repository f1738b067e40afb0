//===- Places.h - the places where a lane can stand -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// For tests that harm one step after the other and check the error.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_CONFORMANCE_PLACES_H
#define BLINK_TEST_CONFORMANCE_PLACES_H

#include "test/conformance/Job.h"

#include <cstdio>
#include <cstring>

namespace blink::test {

/// A time limit for tests that let it pass. It is long enough for a small call
/// on a machine that is busy with other work.
inline constexpr int kSoonMs = kSlow ? 500 : 250;
/// Returns what an error says after this limit has passed.
inline std::string waitedSoon() {
  return "waited " + std::to_string(kSoonMs) + " ms";
}

struct Place {
  int rank;
  unsigned lane, step; ///< within the rank; within the lane

  bool operator==(const Place &other) const {
    return rank == other.rank && lane == other.lane && step == other.step;
  }
};

/// Returns every step of the schedule's first variant.
inline std::vector<Place> placesOf(TestSchedule model) {
  std::vector<Place> places;
  for (size_t rank = 0; rank < model.variant().ranks.size(); ++rank) {
    const std::vector<TestLane> &lanes = model.variant().ranks[rank].lanes;
    for (unsigned lane = 0; lane < lanes.size(); ++lane)
      for (unsigned step = 0; step < lanes[lane].stepsCount; ++step)
        places.push_back({int(rank), lane, step});
  }
  return places;
}

/// Returns true if an error names a rank, lane, step and channel that belong
/// together in the schedule. The step must read the channel if it waits for a
/// chunk, and write it if it waits for a slot. Sets what was expected and seen.
inline bool namesAWait(const std::string &text, TestSchedule model,
                       unsigned long long *expected = nullptr,
                       unsigned long long *seen = nullptr) {
  Place place{};
  unsigned channel = 0;
  const char *found = text.c_str();
  // A mere "rank R" may come first.
  while ((found = std::strstr(found, "rank ")) &&
         std::sscanf(found, "rank %d, lane %u, step %u, channel %u:",
                     &place.rank, &place.lane, &place.step, &channel) != 4)
    ++found;
  if (!found)
    return false;
  const char *want = std::strstr(found, "expected ");
  const char *got = want ? std::strstr(want, ", seen ") : nullptr;
  unsigned long long expectedNumber = 0, seenNumber = 0;
  char what[8] = "";
  if (!got ||
      std::sscanf(want, "expected %llu %7[a-z]", &expectedNumber, what) != 2 ||
      std::sscanf(got, ", seen %llu", &seenNumber) != 1)
    return false;
  if (expected)
    *expected = expectedNumber;
  if (seen)
    *seen = seenNumber;
  bool exists = false;
  for (const Place &one : placesOf(model))
    exists = exists || one == place;
  if (!exists)
    return false;
  const TestRank &rank = model.variant().ranks[size_t(place.rank)];
  const TestStep &step =
      rank.steps[rank.lanes[place.lane].stepsBegin + place.step];
  const bool reads = std::strcmp(what, "written") == 0;
  for (unsigned i = 0; i < unsigned(step.sources + step.destinations); ++i) {
    const TestOperand &operand = rank.operands[step.operandsBegin + i];
    if (operand.kind == sched::OperandKind::channel &&
        operand.index == channel && (i < step.sources) == reads)
      return true;
  }
  return false;
}

/// Runs a case on new communicators, which must work whatever failed before.
/// Returns "" or what is wrong.
inline std::string freshJobFails(int numRanks = 3) {
  Job job(makeSchedule(Collective::allreduce, 0, numRanks, {}), numRanks);
  Case c;
  c.count = 1000;
  return runCase(job, c);
}

} // namespace blink::test

#endif // BLINK_TEST_CONFORMANCE_PLACES_H
