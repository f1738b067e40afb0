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

/// Returns the time that messages of any size may take under `variant` by the
/// model alone (TimeModel.h). Takes time linear in the size of the variant.
MessageTime modelTime(const sched::Schedule &file,
                      const sched::Program &program,
                      const sched::Variant &variant);

/// Returns the microseconds that a message of `bytes` may take under `variant`:
/// the estimate in the file or, if it has none, that of modelTime.
double predictTime(const sched::Schedule &file, const sched::Program &program,
                   const sched::Variant &variant, uint64_t bytes);

/// Returns the same for messages of `sizes` bytes, each under the variant that
/// serves its size. These are for comparing schedules; they are not
/// measurements.
std::vector<double> predictTimes(const sched::Schedule &file,
                                 const sched::Program &program,
                                 const std::vector<uint64_t> &sizes);

} // namespace blink

#endif // BLINK_COMPILER_REPORT_PREDICTEDTIME_H
