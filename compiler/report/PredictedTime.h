//===- PredictedTime.h - how long a message may take ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_REPORT_PREDICTEDTIME_H
#define BLINK_COMPILER_REPORT_PREDICTEDTIME_H

#include "compiler/plan/TimeModel.h"

#include <vector>

namespace blink {

/// How long messages may take by `variant`, of whatever size (TimeModel.h).
/// Linear in the variant.
MessageTime predictTime(const sched::Schedule &file,
                        const sched::Program &program,
                        const sched::Variant &variant);

/// Microseconds that messages of `sizes` bytes may take, each by the variant
/// that serves its size. An estimate, from the file alone, that compares
/// schedules; nothing was measured. Linear in the program.
std::vector<double> predictTimes(const sched::Schedule &file,
                                 const sched::Program &program,
                                 const std::vector<uint64_t> &sizes);

} // namespace blink

#endif // BLINK_COMPILER_REPORT_PREDICTEDTIME_H
