//===- ScheduleTuning.h - the numbers that decide speed ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The size from which a variant serves and the size of its chunks. No result,
// proof or rate depends on them, so they may be corrected after compiling.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_SCHEDULETUNING_H
#define BLINK_SCHEDULES_SCHEDULETUNING_H

#include "schedules/ScheduleFile.h"

namespace blink::sched {

/// The numbers of one variant, which serves up to the size where the next one
/// starts.
struct VariantTuning {
  uint64_t minBytes;
  uint32_t chunkBytes;

  bool operator==(const VariantTuning &other) const {
    return minBytes == other.minBytes && chunkBytes == other.chunkBytes;
  }
};
using ProgramTuning = std::vector<VariantTuning>; ///< of a program's variants
using FileTuning = std::vector<ProgramTuning>;    ///< of a file's programs

FileTuning tuningOf(const Schedule &file);

/// Returns `bytes`, a file which openSchedule has accepted, with other numbers,
/// and with `tuned` as Provenance.tuned. Every other byte stays the same. The
/// numbers must obey the rules of schedule.fbs: as many programs and variants
/// as the file has, sizes that start at 0 and grow, chunks of allowed sizes.
/// Use openSchedule to check the result.
std::vector<uint8_t> setTuning(std::vector<uint8_t> bytes,
                               const FileTuning &tuning,
                               const std::string &tuned);

} // namespace blink::sched

#endif // BLINK_SCHEDULES_SCHEDULETUNING_H
