//===- ExpandSchedule.h - symmetric schedules in full -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_EXPANDSCHEDULE_H
#define BLINK_SCHEDULES_EXPANDSCHEDULE_H

#include "schedules/ScheduleFile.h"
#include "schedules/SymmetryGroup.h"
#include "schedules/VariantParts.h"

namespace blink::sched {

/// Returns a symmetric variant in full, in the one order that schedule.fbs
/// prescribes. The variant belongs to a program for `collective` over all ranks
/// of `group` and obeys the rules.
VariantParts expandVariant(const VariantParts &variant,
                           const SymmetryGroup &group, Collective collective);

/// Returns the bytes of `file`, which openAnySchedule has accepted, with all
/// variants in full and without symmetry; for a file without symmetric
/// variants, a copy. Returns an empty vector, with a sentence in `error`, if
/// the result is more than a file can hold.
[[nodiscard]] std::vector<uint8_t> expandSchedule(const Schedule &file,
                                                  std::string &error);

/// The channels of a variant that a SchedulePart keeps.
struct VariantPart {
  /// Number of each channel in the full variant, ascending.
  std::vector<uint32_t> channels;
  /// Whether each channel's chunks are partial sums. Computing this takes ranks
  /// that the part may lack (PartialSums.h).
  std::vector<bool> partial;
};

/// The part of a full schedule that some ranks need.
struct SchedulePart {
  /// A Schedule as from expandSchedule, but one that openSchedule would refuse.
  /// In programs with symmetry only the requested ranks and the representatives
  /// have their programs. Ranks at the other ends of their channels have the
  /// steps of these channels' trees, but no lanes. All trees are present. Only
  /// channels of ranks that have programs are present; a step's operand that is
  /// another channel has the number of channels as its index.
  std::vector<uint8_t> bytes;
  /// By program and variant; empty if all channels are present.
  std::vector<std::vector<VariantPart>> variants;
};

/// Returns the part of `file` that `ranks` need (true: requested);
/// openAnySchedule has accepted `file`. Programs for another number of ranks
/// contain representatives only. Takes time and memory for all trees, and apart
/// from these only for the parts kept. Returns no bytes, with a sentence in
/// `error`, if the result is more than a file can hold.
[[nodiscard]] SchedulePart expandFor(const Schedule &file,
                                     const std::vector<bool> &ranks,
                                     std::string &error);

} // namespace blink::sched

#endif // BLINK_SCHEDULES_EXPANDSCHEDULE_H
