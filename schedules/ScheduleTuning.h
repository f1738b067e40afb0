//===- ScheduleTuning.h - the numbers that decide speed ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// From which size on a variant serves, and how large its chunks are: no result,
// no proof and no rate depends on it, so it may be corrected after compiling.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_SCHEDULETUNING_H
#define BLINK_SCHEDULES_SCHEDULETUNING_H

#include "schedules/ScheduleFile.h"

namespace blink::sched {

/// Of one variant. It serves to where the next one starts.
struct VariantTuning {
  uint64_t minBytes;
  uint32_t chunkBytes;

  bool operator==(const VariantTuning &other) const {
    return minBytes == other.minBytes && chunkBytes == other.chunkBytes;
  }
};
using ProgramTuning = std::vector<VariantTuning>; ///< of all its variants
using FileTuning = std::vector<ProgramTuning>;    ///< of all its programs

FileTuning tuningOf(const Schedule &file);

/// The bytes of the file `bytes`, which openSchedule has accepted, with other
/// numbers, and `tuned` as Provenance.tuned. All else is as it was, byte by
/// byte. The numbers must keep the rules of schedule.fbs: as many programs and
/// variants as the file has, sizes that start at 0 and grow, chunks of allowed
/// sizes. openSchedule judges the result.
std::vector<uint8_t> setTuning(std::vector<uint8_t> bytes,
                               const FileTuning &tuning,
                               const std::string &tuned);

} // namespace blink::sched

#endif // BLINK_SCHEDULES_SCHEDULETUNING_H
