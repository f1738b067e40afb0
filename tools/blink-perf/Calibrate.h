//===- Calibrate.h - what folds cost on this machine ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// `blinkc simulate --costs` takes what comes out. Every size runs twice: as it
// is, for its time, and traced, for what each of its folds took.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKPERF_CALIBRATE_H
#define BLINK_TOOLS_BLINKPERF_CALIBRATE_H

#include "tools/blink-perf/Cases.h"

#include <functional>
#include <string>
#include <vector>

namespace blink::perf {

/// What was found at one size of a program. Microseconds.
struct CalibratedSize {
  Case c{};
  double time = 0; ///< of a call, not traced
  double fold = 0; ///< of the usual fold
  double gbps = 0; ///< half of what folds load and store that copy, by their
                   ///< time but for Calibration::step
  double reduceGbps = 0; ///< likewise, of folds that reduce
  double notice = 0;    ///< from a fold's end to the next one's begin elsewhere
  double call = 0;      ///< of `time` what is before the first fold, and after
  bool borrows = false; ///< folds leave out slots
};

struct Calibration {
  std::vector<CalibratedSize> sizes;
  double step = 0; ///< of a fold that moves next to nothing
  double notice = 0, call = 0;
  double turn = 0;   ///< until a processor has another thread
  std::string error; ///< not empty: failed, and nothing is to be written

  bool ok() const { return error.empty(); }
};

/// Told of a size as soon as it is done.
using CalibrationWatcher = std::function<void(const CalibratedSize &)>;

/// Measures every program of the options at their sizes. Throws UsageError.
Calibration calibrate(const Options &options, const CalibrationWatcher &report);

/// The file of costs.
std::string formatCosts(const Options &options, const Calibration &calibration);

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_CALIBRATE_H
