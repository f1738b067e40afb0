//===- Latency.h - when data of no size comes where -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_LATENCY_H
#define BLINK_COMPILER_PLAN_LATENCY_H

#include "compiler/plan/FoldProgram.h"

namespace blink {

/// What a channel takes, in the terms of LogP. With links at 0 and overheads at
/// 1 that counts channels.
struct HopCosts {
  double links;    ///< for each microsecond of its links
  double overhead; ///< once
  double gap;      ///< of each channel that its writer writes before it, and of
                   ///< each that its reader reads after it
  const std::vector<double> *channels = nullptr; ///< more, by channel
  const std::vector<double> *gaps = nullptr;     ///< likewise, of gaps
};
constexpr HopCosts kCountHops{0, 1, 0};

/// Of each fold, those of a rank after the other, when it has all it reads: it
/// waits for its channels, then the next ones take what `costs` says. What
/// lanes and buffers cost is not in it. Linear in the program; folds that wait
/// in a circle (a program that is not verified) count as if they did not wait
/// for each other.
std::vector<double> readyTimes(const FoldProgram &program, HopCosts costs);

/// When the last of them has it.
double lastReady(const FoldProgram &program, HopCosts costs);

/// Microseconds of links that the slowest data passes one after the other.
double latencyOf(const FoldProgram &program);

/// Most channels that data takes one after the other: twice the depth of an
/// allreduce's tree, and 1 where all ranks exchange at once.
int hopsOf(const FoldProgram &program);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_LATENCY_H
