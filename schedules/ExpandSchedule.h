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

/// What a symmetric variant stands for, in full and in the one order that
/// schedule.fbs names. The variant is one of a program for `collective` over
/// all ranks of `group`, and keeps the rules.
VariantParts expandVariant(const VariantParts &variant,
                           const SymmetryGroup &group, Collective collective);

/// The bytes of `file`, which openAnySchedule has accepted, with all variants
/// in full and no symmetry; of a file without symmetric variants a copy. Empty,
/// with a sentence in `error`, if that is more than a file can hold.
[[nodiscard]] std::vector<uint8_t> expandSchedule(const Schedule &file,
                                                  std::string &error);

/// What is left of a variant's channels in a SchedulePart.
struct VariantPart {
  /// Of each channel: its number in full, ascending...
  std::vector<uint32_t> channels;
  /// ... and whether its chunks are partial sums, which comes from ranks that
  /// may be missing (PartialSums.h).
  std::vector<bool> partial;
};

/// What some ranks need of a schedule in full.
struct SchedulePart {
  /// A Schedule that openSchedule would refuse: as expandSchedule's, but in
  /// programs with symmetry only the ranks that were asked for and the
  /// representatives have their programs. At the other ends of their channels
  /// there are the steps of these trees, but no lanes. All trees are there; of
  /// channels those of ranks that have programs, and a step's operand that is
  /// another one has the number that comes after them all.
  std::vector<uint8_t> bytes;
  /// By program and variant; empty where all channels are there.
  std::vector<std::vector<VariantPart>> variants;
};

/// What `ranks` need (true: is asked for) of `file`, which openAnySchedule has
/// accepted. Programs for other numbers of ranks are in it for representatives
/// only. Takes time and memory for all trees, but otherwise for what is left.
/// No bytes, with a sentence in `error`, if that is more than a file can hold.
[[nodiscard]] SchedulePart expandFor(const Schedule &file,
                                     const std::vector<bool> &ranks,
                                     std::string &error);

} // namespace blink::sched

#endif // BLINK_SCHEDULES_EXPANDSCHEDULE_H
