//===- Places.h - where a lane can stand ------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// For tests that harm one step after the other, and look at what is said of it.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_CONFORMANCE_PLACES_H
#define BLINK_TEST_CONFORMANCE_PLACES_H

#include "test/conformance/Job.h"

#include <cstdio>
#include <cstring>

namespace blink::test {

/// A time limit that tests let pass, and in which a machine that does other
/// work still gets a small call done.
inline constexpr int kSoonMs = kSlow ? 500 : 250;
/// What an error says when it has passed.
inline std::string waitedSoon() {
  return "waited " + std::to_string(kSoonMs) + " ms";
}

struct Place {
  int rank;
  unsigned lane, step; ///< of the rank; of the lane

  bool operator==(const Place &other) const {
    return rank == other.rank && lane == other.lane && step == other.step;
  }
};

/// Every step of the schedule's first variant.
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

/// Whether an error names rank, lane, step and channel as the schedule has them
/// together, that the step reads the channel where it waits for a chunk and
/// writes it where it waits for a slot, and what was expected and seen.
inline bool namesAWait(const std::string &text, TestSchedule model,
                       unsigned long long *expected = nullptr,
                       unsigned long long *seen = nullptr) {
  Place place{};
  unsigned channel = 0;
  const char *found = text.c_str();
  // "rank R" alone may come before.
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

/// Whether communicators that are made now work: nothing is left of a failure.
inline std::string freshJobFails(int numRanks = 3) {
  Job job(makeSchedule(Collective::allreduce, 0, numRanks, {}), numRanks);
  Case c;
  c.count = 1000;
  return runCase(job, c);
}

} // namespace blink::test

#endif // BLINK_TEST_CONFORMANCE_PLACES_H
