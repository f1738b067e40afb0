//===- Schedules.h - schedules for the storm --------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Random schedules in which as much differs as a file can hold: variants of
// both protocols that share their rings, chunks of any size, channels of any
// kind; bundles; and files that the compiler made (test/gpu).
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

/// What can be called.
struct Program {
  sched::Collective collective;
  int root; ///< 0 where there is none
  /// Sizes of a message in bytes around which something changes: the variant,
  /// the size of a chunk, the number of chunks.
  std::vector<uint64_t> borders;
};

struct StormSchedule {
  int ranks = 0;
  /// The file, or if it is empty, the files.
  std::vector<uint8_t> bytes;
  std::vector<std::string> paths;
  std::vector<int> gpus; ///< of the ranks, for a bundle; else empty
  std::vector<Program> programs;
  unsigned lanes = 0; ///< the most of a rank
  std::string description;
};

/// Of 2 to `mostRanks` ranks. `spread`: over 1 to 4 servers, each of which has
/// any number of them, and 1 to 3 NICs.
StormSchedule makeStormSchedule(Dice &dice, int mostRanks, bool spread);

/// Opens it. Null: see blinkGetLastError(nullptr).
blinkSchedule_t openSchedule(const StormSchedule &schedule);

} // namespace blink::storm

#endif // BLINK_TEST_STORM_SCHEDULES_H
