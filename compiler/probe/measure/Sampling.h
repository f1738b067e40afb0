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

/// Rounds of a run; the fastest and the slowest round are discarded.
inline constexpr int kMeasuredRounds = 7;
/// The largest difference of the other rounds, relative to their median.
inline constexpr double kMostSpread = 0.15;

/// The result of a run.
struct RunRates {
  std::vector<double> rates; ///< GB/s of each of its routes; medians
  double spread = 0;         ///< of the sum: (greatest - least) / median
};

/// Returns the GB/s of each copy while all of them run: from the common start
/// until the first one has finished its blocks. After that the others would
/// have the links to themselves. `ends` is the result of Copier::copy().
std::vector<double> ratesTogether(llvm::ArrayRef<std::vector<double>> ends,
                                  size_t blockBytes);

/// Measures a run: one round determines how many blocks take 20 ms; the other
/// rounds copy that many. A run whose rounds differ by more than kMostSpread is
/// tried up to three times. Errors: those of the copier; BusyMachine if the
/// rounds still differ.
llvm::Expected<RunRates> measureRun(Copier &copier, const Topology &topology,
                                    const MeasurePlan &plan, const Run &run);

} // namespace blink

#endif // BLINK_COMPILER_PROBE_MEASURE_SAMPLING_H
