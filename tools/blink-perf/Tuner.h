//===- Tuner.h - measures and corrects one .sched ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// To time a variant at every size, including those it does not serve, it runs a
// copy of the schedule in which that variant serves all of them.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKPERF_TUNER_H
#define BLINK_TOOLS_BLINKPERF_TUNER_H

#include "tools/blink-perf/Tune.h"

namespace blink::perf {

/// A program by the names of the job.
struct TunedProgram {
  std::string description;
  int root;                 ///< in the job
  std::vector<int> devices; ///< of the program's ranks, as in Options::devices
  bool wanted;              ///< false: the program stays as it is
};

class Tuner {
public:
  /// `bytes` are a schedule that openAnySchedule accepts; `programs` has a name
  /// for each of its programs.
  Tuner(const Options &options, std::vector<uint8_t> bytes,
        std::vector<TunedProgram> programs);

  /// Measures the wanted programs, one after the other. Returns "" or a
  /// sentence about the failure. Throws UsageError.
  std::string run(const TuneWatcher &report,
                  std::vector<ProgramReport> &reports);

  bool changed() const { return after_ != before_; }
  /// Returns the schedule with the tuning; the original bytes if nothing
  /// changed.
  std::vector<uint8_t> tuned() const;

private:
  std::vector<uint8_t> bytesWith(const sched::FileTuning &tuning) const;
  std::string measure(uint32_t number, ProgramReport &report);
  std::string time(const Candidate &candidate, uint32_t number, Plan &plan,
                   std::vector<std::vector<double>> &samples);

  const Options &options_;
  const std::vector<uint8_t> bytes_;
  const std::vector<TunedProgram> programs_;
  const sched::Schedule *file_;
  sched::FileTuning before_, after_;
};

/// Makes the plan use the schedule in `bytes`. Throws std::runtime_error.
void openMemory(const std::vector<uint8_t> &bytes, Plan &plan);

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_TUNER_H
