//===- Latency.h - when data of no size arrives -----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_LATENCY_H
#define BLINK_COMPILER_PLAN_LATENCY_H

#include "compiler/plan/FoldProgram.h"

namespace blink {

/// The time that a channel takes, in the terms of LogP. With 0 for links and 1
/// for overheads times count channels.
struct HopCosts {
  double links;    ///< factor on the latency of its links
  double overhead; ///< once a channel
  double gap;      ///< for each channel that its writer writes before it, and
                   ///< for each that its reader reads after it
  const std::vector<double> *channels = nullptr; ///< added, by channel
  const std::vector<double> *gaps = nullptr;     ///< added to `gap`, by channel
};
constexpr HopCosts kCountHops{0, 1, 0};

/// Returns the time at which each fold, rank by rank, has all that it reads: it
/// waits for its channels, each of which takes what `costs` says. The costs of
/// lanes and buffers are not included. Takes linear time. Folds that wait for
/// each other in a circle (in a program that is not verified) count as if they
/// did not.
std::vector<double> readyTimes(const FoldProgram &program, HopCosts costs);

/// Returns the latest of readyTimes.
double lastReady(const FoldProgram &program, HopCosts costs);

/// Returns the latency in microseconds of the links that the slowest data
/// passes one after the other.
double latencyOf(const FoldProgram &program);

/// Returns the most channels that data takes one after the other: twice the
/// depth of an allreduce's tree, and 1 if all ranks exchange at once.
int hopsOf(const FoldProgram &program);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_LATENCY_H
