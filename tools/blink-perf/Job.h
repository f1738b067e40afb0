//===- Job.h - the programs that a job has ----------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Finds the programs of the files that serve the measured ranks. It uses the
// runtime's own code, so that a line describes the program that really runs.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKPERF_JOB_H
#define BLINK_TOOLS_BLINKPERF_JOB_H

#include "runtime/plan/ProgramLookup.h"
#include "tools/blink-perf/Options.h"

namespace blink::perf {

struct JobProgram {
  runtime::ResolvedProgram choice;
  std::string description; ///< a sentence, by the job's names
};

/// The files of a job, and its ranks.
class Job {
public:
  /// Opens the options' files. The ranks and their GPUs are those of the
  /// options; without these, those of the first program of the first file, or
  /// of its machine if it is a bundle. Throws UsageError: a file or a GPU is
  /// wrong; all files are bundles, and none of them has a program for the GPUs.
  explicit Job(const Options &options);
  /// Makes a job with the same ranks, and with `bytes` in place of the only
  /// file.
  Job(const Job &job, const std::vector<uint8_t> &bytes);

  const runtime::ScheduleSet &files() const { return files_; }
  int numPrograms() const { return numPrograms_; } ///< ranks and relays
  /// The machine's GPU of each rank; empty if no file is a bundle.
  const std::vector<int> &gpus() const { return gpus_; }

  /// Returns the programs of files()[number] for the job. If it is a bundle
  /// without any, `reason` becomes a sentence. Throws UsageError: a member is
  /// damaged.
  std::vector<JobProgram> programs(size_t number, std::string &reason) const;

private:
  runtime::ScheduleSet files_;
  int numPrograms_ = 0;
  std::vector<int> gpus_;
};

/// Returns "allreduce on dgx1, GPUs 1,4,5,6, at most 65.750 GB/s there", about
/// a program of the file `path` whose job has `gpus` and the rank `root`.
std::string describe(const std::string &path, const std::string &machine,
                     const std::vector<int> &gpus,
                     const sched::Program &program, int root);

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_JOB_H
