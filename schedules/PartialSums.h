//===- PartialSums.h - channels that carry partial sums ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The one place that decides which chunks of a program with Accumulation::f32
// are float32. Both ends of a channel must agree on it, and so must the
// verifier and the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_PARTIALSUMS_H
#define BLINK_SCHEDULES_PARTIALSUMS_H

#include "schedules/schedule_generated.h"

#include <vector>

namespace blink::sched {

/// Returns, for each channel of `variant`, whether its chunks are partial sums:
/// results of steps that read several sources and do not complete, or copies of
/// such results. Channels on a cycle of copies are not. Takes linear time. The
/// variant must obey the rules of steps, operands and channels.
std::vector<bool> partialSums(const Variant &variant);

/// Returns true if the result of `step` of `rank` is a partial sum, given
/// `partial` of the variant's channels.
bool isPartialSum(const RankProgram &rank, const Step &step,
                  const std::vector<bool> &partial);

} // namespace blink::sched

#endif // BLINK_SCHEDULES_PARTIALSUMS_H
