//===- Calibrate.h - costs of folds on this machine -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The result is for `blinkc simulate --costs`. Each size runs twice: untraced
// for its time, and traced for what each of its folds took.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKPERF_CALIBRATE_H
#define BLINK_TOOLS_BLINKPERF_CALIBRATE_H

#include "tools/blink-perf/Cases.h"

#include <functional>
#include <string>
#include <vector>

namespace blink::perf {

/// The results for one size of a program. Times are in microseconds.
struct CalibratedSize {
  Case c{};
  double time = 0; ///< of an untraced call
  double fold = 0; ///< of a typical fold
  /// GB/s of folds that copy: half of the bytes that they load and store, over
  /// their time without Calibration::step.
  double gbps = 0;
  double reduceGbps = 0; ///< the same for folds that reduce
  double notice = 0; ///< from a fold's end to the begin of one waiting for it
  double call = 0;   ///< of `time`: before the first fold and after the last
  bool borrows = false; ///< some folds leave out slots
};

struct Calibration {
  std::vector<CalibratedSize> sizes;
  double step = 0; ///< of a fold that moves next to nothing
  double notice = 0, call = 0;
  double turn = 0;   ///< until a processor runs another thread
  std::string error; ///< not empty: failed, write nothing

  bool ok() const { return error.empty(); }
};

/// Called with each size as soon as it is done.
using CalibrationWatcher = std::function<void(const CalibratedSize &)>;

/// Measures every program of the options at the sizes they name. Throws
/// UsageError.
Calibration calibrate(const Options &options, const CalibrationWatcher &report);

/// Returns the text of the file of costs.
std::string formatCosts(const Options &options, const Calibration &calibration);

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_CALIBRATE_H
