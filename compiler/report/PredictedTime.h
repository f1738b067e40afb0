//===- PredictedTime.h - predicted times of messages ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_REPORT_PREDICTEDTIME_H
#define BLINK_COMPILER_REPORT_PREDICTEDTIME_H

#include "compiler/plan/TimeModel.h"

#include <vector>

namespace blink {

/// Returns the time that messages of any size may take under `variant`
/// (TimeModel.h). Takes time linear in the size of the variant.
MessageTime predictTime(const sched::Schedule &file,
                        const sched::Program &program,
                        const sched::Variant &variant);

/// Returns the microseconds that messages of `sizes` bytes may take, each under
/// the variant that serves its size. These are estimates from the file alone,
/// for comparing schedules, not measurements. Takes time linear in the size of
/// the program.
std::vector<double> predictTimes(const sched::Schedule &file,
                                 const sched::Program &program,
                                 const std::vector<uint64_t> &sizes);

} // namespace blink

#endif // BLINK_COMPILER_REPORT_PREDICTEDTIME_H
