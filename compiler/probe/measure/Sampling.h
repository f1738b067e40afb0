//===- Sampling.h - rates of copies, by rounds ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PROBE_MEASURE_SAMPLING_H
#define BLINK_COMPILER_PROBE_MEASURE_SAMPLING_H

#include "compiler/probe/measure/Busy.h"
#include "compiler/probe/measure/Routes.h"

namespace blink {

/// Rounds of a run; the fastest and the slowest one do not count.
inline constexpr int kMeasuredRounds = 7;
/// The most that the other rounds may differ, of their median.
inline constexpr double kMostSpread = 0.15;

/// What a run has shown.
struct RunRates {
  std::vector<double> rates; ///< GB/s of each of its routes, medians
  double spread = 0;         ///< of the sum: (greatest - least) / median
};

/// Rates while all copy: GB/s of each, from the common start to when the first
/// one is done with its blocks, so that none is counted that has the links for
/// itself by then. `ends` as Copier::copy() returns them.
std::vector<double> ratesTogether(llvm::ArrayRef<std::vector<double>> ends,
                                  size_t blockBytes);

/// Measures a run: one round to find how many blocks take 20 ms, and rounds of
/// as many. A run whose rounds differ by more than kMostSpread is tried thrice.
/// Errors: those of the copier; BusyMachine if they still differ.
llvm::Expected<RunRates> measureRun(Copier &copier, const Topology &topology,
                                    const MeasurePlan &plan, const Run &run);

} // namespace blink

#endif // BLINK_COMPILER_PROBE_MEASURE_SAMPLING_H
