//===- Tuner.h - measures and corrects one .sched ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A variant is timed at every size, its own or not, by running a copy of the
// schedule in which it serves them all.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKPERF_TUNER_H
#define BLINK_TOOLS_BLINKPERF_TUNER_H

#include "tools/blink-perf/Tune.h"

namespace blink::perf {

/// By which names the job knows a program.
struct TunedProgram {
  std::string description;
  int root;                 ///< the job's
  std::vector<int> devices; ///< of the program's ranks, as Options::devices
  bool wanted;              ///< else it is kept as it is
};

class Tuner {
public:
  /// Of `bytes`, a schedule that openAnySchedule accepts, with a name for each
  /// of its programs.
  Tuner(const Options &options, std::vector<uint8_t> bytes,
        std::vector<TunedProgram> programs);

  /// Measures the wanted programs, one after the other. Returns "" or the
  /// sentence of the failure. Throws UsageError.
  std::string run(const TuneWatcher &report,
                  std::vector<ProgramReport> &reports);

  bool changed() const { return after_ != before_; }
  /// With what was found; the same bytes if nothing changed.
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

/// Lets the plan play `bytes`. Throws std::runtime_error.
void openMemory(const std::vector<uint8_t> &bytes, Plan &plan);

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_TUNER_H
