//===- Schedules.h - schedules for the storm --------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Random schedules that vary in everything a file can hold: variants of both
// protocols that share rings, chunks of any size, channels of any kind;
// bundles; and files made by the compiler (test/gpu).
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_STORM_SCHEDULES_H
#define BLINK_TEST_STORM_SCHEDULES_H

#include "runtime/blink.h"
#include "test/storm/Dice.h"

#include "schedules/ScheduleFile.h"

#include <string>
#include <vector>

namespace blink::storm {

/// A collective that can be called.
struct Program {
  sched::Collective collective;
  int root; ///< 0 if it has none
  /// Message sizes in bytes around which something changes: the variant, the
  /// size of a chunk, the number of chunks.
  std::vector<uint64_t> borders;
};

struct StormSchedule {
  int ranks = 0;
  /// The file; if it is empty, `paths` names files.
  std::vector<uint8_t> bytes;
  std::vector<std::string> paths;
  std::vector<int> gpus; ///< of the ranks, for a bundle; else empty
  std::vector<Program> programs;
  unsigned lanes = 0;        ///< maximum per rank, of collectives
  unsigned messageTrees = 0; ///< maximum from one rank to another
  std::string description;

  /// Returns how many lanes of a rank may run at the same time: those of a
  /// collective and, beside them, those of messages to and from every rank.
  unsigned allLanes() const {
    return lanes + 2 * unsigned(ranks) * messageTrees;
  }
};

/// Returns a schedule for 2 to `mostRanks` ranks. With `spread` they are on 1
/// to 4 servers with any number of ranks each and 1 to 3 NICs.
StormSchedule makeStormSchedule(Dice &dice, int mostRanks, bool spread);

/// Opens the schedule. Returns null on failure: see blinkGetLastError(nullptr).
blinkSchedule_t openSchedule(const StormSchedule &schedule);

} // namespace blink::storm

#endif // BLINK_TEST_STORM_SCHEDULES_H
