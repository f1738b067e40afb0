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

} // namespace blink::sched

#endif // BLINK_SCHEDULES_EXPANDSCHEDULE_H
