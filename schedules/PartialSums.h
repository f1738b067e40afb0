//===- PartialSums.h - which chunks are sums of some ranks ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The one place that says which chunks of a program with Accumulation::f32 are
// float32: both ends of a channel must agree, and so must who proves and who
// runs.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_PARTIALSUMS_H
#define BLINK_SCHEDULES_PARTIALSUMS_H

#include "schedules/schedule_generated.h"

#include <vector>

namespace blink::sched {

/// Of each channel of `variant`: whether its chunks are partial sums, results
/// of steps that read several sources and do not complete, or copies of such.
/// Channels whose chunks go round in a circle are none. Linear in the variant,
/// of which the rules of steps, operands and channels hold.
std::vector<bool> partialSums(const Variant &variant);

/// Whether the result of `step` of `rank` is one, by `partial` of the variant's
/// channels.
bool isPartialSum(const RankProgram &rank, const Step &step,
                  const std::vector<bool> &partial);

} // namespace blink::sched

#endif // BLINK_SCHEDULES_PARTIALSUMS_H
