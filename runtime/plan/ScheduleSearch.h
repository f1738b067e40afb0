//===- ScheduleSearch.h - schedules by where they are kept ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_PLAN_SCHEDULESEARCH_H
#define BLINK_RUNTIME_PLAN_SCHEDULESEARCH_H

#include "runtime/plan/ScheduleSet.h"

namespace blink::runtime {

/// Opens the schedules of one machine: `places` are files, and folders of which
/// all *.sched are taken in the order of their names, separated by colons.
/// `machine` is a topology's name or its fingerprint, as "dgx1" or
/// "0x0123456789abcdef"; empty: all are of one machine.
///
/// Errors: system error if a place cannot be read; invalid argument if a file
/// is damaged; invalid usage if there is no schedule, or none of the machine,
/// or there are schedules of several machines.
Status findSchedules(const std::string &places, const std::string &machine,
                     ScheduleSet &files);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_PLAN_SCHEDULESEARCH_H
