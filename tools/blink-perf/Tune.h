//===- Tune.h - corrects a schedule by measurements -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The compiler's cost model determines where one variant ends and the next
// begins, and how large chunks are. Here measurements on this machine do.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKPERF_TUNE_H
#define BLINK_TOOLS_BLINKPERF_TUNE_H

#include "schedules/ScheduleTuning.h"
#include "tools/blink-perf/Cases.h"
#include "tools/blink-perf/TuneChoice.h"

#include <functional>

namespace blink::perf {

/// Every candidate is timed this often, in turns, so that a temporary
/// disturbance affects all candidates alike. usual() of these times counts.
inline constexpr int kTuneRounds = 7;
/// From this size on, larger sizes get fewer timed iterations.
inline constexpr uint64_t kFewerFrom = 1 << 20;

/// A variant with one chunk size.
struct Candidate {
  uint32_t variant;
  uint32_t chunkBytes;
};

/// The measurements of one program, and what follows from them.
struct ProgramReport {
  std::string description;
  Case c{};                           ///< without the count
  int numPrograms = 0;                ///< ranks and relays
  std::vector<std::string> protocols; ///< of each variant
  std::vector<uint64_t> sizes;        ///< powers of two, ascending
  std::vector<Candidate> candidates;
  Times seconds; ///< by candidate and size, mean of out of place and in place
  sched::ProgramTuning before, after;

  /// Returns the candidate that serves sizes[s] under `tuning`.
  size_t serving(const sched::ProgramTuning &tuning, size_t s) const;
  /// Returns the time after tuning over that before, at sizes[s].
  double ratio(size_t s) const;
  /// Returns how much less time the program takes after tuning, in percent: by
  /// the geometric mean of the ratios, with all sizes weighted equally.
  /// Negative if it takes more time.
  double gainPercent() const;
};

struct TuneSummary {
  std::vector<ProgramReport> programs;
  std::vector<int> gpus; ///< of the ranks, with a bundle
  /// With a bundle: the allocations that these schedules serve, including the
  /// job's.
  std::vector<std::vector<int>> allocations;
  bool changed = false;
  std::string bytes; ///< the corrected file; the original unless `changed`
  // In the self-test of `bytes`:
  uint64_t channels = 0, carrying = 0, wrong = 0;
  std::string error; ///< not empty: failed, write nothing

  bool ok() const { return error.empty(); }
};

/// Called with each program as soon as it is done.
using TuneWatcher = std::function<void(const Options &, const ProgramReport &)>;

/// Measures the programs of the options' file, one after the other; with a
/// bundle, those that the job uses. Throws UsageError if the call or the file
/// is wrong.
TuneSummary tune(const Options &options, const TuneWatcher &report);

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_TUNE_H
