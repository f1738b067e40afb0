//===- Cases.h - the cases to measure ---------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The programs of the files, combined with the options. Every worker goes
// through the same list in the same order.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKPERF_CASES_H
#define BLINK_TOOLS_BLINKPERF_CASES_H

#include "schedules/ScheduleFile.h"
#include "tools/blink-perf/Options.h"
#include "tools/ranks/Handles.h"
#include "tools/replay/SampledCall.h"

#include <memory>

namespace blink::perf {

/// A line of a table: a call of one size, measured out of place and in place.
struct Case : SampledCall {
  double bound;       ///< by the certificate, GB/s
  int iterations = 0; ///< timed; limits the warm-up; 0: the options'
  // In a self-test:
  uint32_t variant = 0;  ///< its number among the variants of all programs
  uint32_t channels = 0; ///< of the variant
  uint32_t carrying = 0; ///< of these, those that have data at this count

  /// Returns busbw / algbw by the convention of nccl-tests.
  double busFactor() const;
};

/// The lines of one collective.
struct Section {
  std::string collective;
  /// A sentence for each program, and in a self-test for each variant.
  std::vector<std::string> schedules;
  std::vector<Case> cases;
};

struct Plan {
  OwnedSchedule schedule;           ///< from all files
  int numPrograms = 0;              ///< ranks and relays
  std::vector<int> gpus;            ///< of the ranks, if a file is a bundle
  int numLeftOut = 0;               ///< programs for other numbers of ranks
  std::vector<std::string> leftOut; ///< bundles, with the reason why
  // In a self-test, over all programs:
  uint32_t numVariants = 0;
  uint64_t numChannels = 0;
  std::vector<Section> sections;
  std::vector<Case> cases; ///< of all sections, in order
};

/// Returns a case of the program in a job where its root is `root`, without
/// type, operator and count.
Case caseOf(const sched::Program &program, int root);
/// Returns the operators to measure with the type: a single one if the
/// collective does not reduce; of several in the options, those that the type
/// supports.
std::vector<blinkRedOp_t> opsOf(const Case &c, blinkDataType_t type,
                                const Options &options);

/// Whether the options ask for the program, in a job where its root is `root`.
bool isWanted(const sched::Program &program, int root, const Options &options);

/// Throws UsageError unless the name is that of a collective, or empty.
void checkCollective(const std::string &name);

/// Opens the files and plans what to measure. Throws UsageError.
Plan makePlan(const Options &options);

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_CASES_H
