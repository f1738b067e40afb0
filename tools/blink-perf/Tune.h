//===- Tune.h - corrects a schedule by what a machine measures --*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The compiler's cost model says where one variant ends and the next begins,
// and how large chunks are. Here this machine says it.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKPERF_TUNE_H
#define BLINK_TOOLS_BLINKPERF_TUNE_H

#include "schedules/ScheduleTuning.h"
#include "tools/blink-perf/Cases.h"
#include "tools/blink-perf/TuneChoice.h"

#include <functional>

namespace blink::perf {

/// Every candidate is timed so often, in turns: what disturbs the machine for a
/// while disturbs all alike. usual() of these counts.
inline constexpr int kTuneRounds = 7;
/// How many iterations are timed falls with the size from here on.
inline constexpr uint64_t kFewerFrom = 1 << 20;

/// A variant with one chunk size.
struct Candidate {
  uint32_t variant;
  uint32_t chunkBytes;
};

/// What was measured of one program, and what follows.
struct ProgramReport {
  std::string description;
  Case c{};                           ///< but for the count
  int numPrograms = 0;                ///< ranks and relays
  std::vector<std::string> protocols; ///< of each variant
  std::vector<uint64_t> sizes;        ///< powers of two, ascending
  std::vector<Candidate> candidates;
  Times seconds; ///< of candidate and size, out of place and in place averaged
  sched::ProgramTuning before, after;

  /// The candidate that serves sizes[s] with the tuning.
  size_t serving(const sched::ProgramTuning &tuning, size_t s) const;
  /// The time after over the time before, at sizes[s].
  double ratio(size_t s) const;
  /// How much less time it takes after, all sizes counting alike (the geometric
  /// mean of their ratios), in per cent; negative for more.
  double gainPercent() const;
};

struct TuneSummary {
  std::vector<ProgramReport> programs;
  std::vector<int> gpus; ///< of the ranks, of a bundle
  /// Of a bundle: whose schedules these are, the job's GPUs among them.
  std::vector<std::vector<int>> allocations;
  bool changed = false;
  std::string bytes; ///< the corrected file; the file itself if not `changed`
  // Of the self-test of `bytes`:
  uint64_t channels = 0, carrying = 0, wrong = 0;
  std::string error; ///< not empty: failed, and nothing is to be written

  bool ok() const { return error.empty(); }
};

/// Told of a program as soon as it is done.
using TuneWatcher = std::function<void(const Options &, const ProgramReport &)>;

/// Measures the programs of the options' file, one after the other; of a bundle
/// those that the job plays. Throws UsageError where the call or the file is
/// wrong.
TuneSummary tune(const Options &options, const TuneWatcher &report);

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_TUNE_H
