//===- Cases.h - what is measured -------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The programs of the files and the options, multiplied out. Every worker goes
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

/// One line of a table: a call of one size, measured out of place and in place.
struct Case : SampledCall {
  double bound;       ///< of the certificate, GB/s
  int iterations = 0; ///< timed, and as many before at most; 0: the options'
  // Of a self-test:
  uint32_t variant = 0;  ///< number among those of all programs
  uint32_t channels = 0; ///< of the variant
  uint32_t carrying = 0; ///< of these, with data at this count

  /// busbw / algbw, nccl-tests' convention.
  double busFactor() const;
};

/// The lines of one collective.
struct Section {
  std::string collective;
  /// A sentence for each program; of a self-test, for each variant, too.
  std::vector<std::string> schedules;
  std::vector<Case> cases;
};

struct Plan {
  OwnedSchedule schedule;           ///< all the files
  int numPrograms = 0;              ///< ranks and relays
  std::vector<int> gpus;            ///< of the ranks, where a file is a bundle
  int numLeftOut = 0;               ///< programs for another number of ranks
  std::vector<std::string> leftOut; ///< bundles, with the reason
  // Of a self-test, of all programs:
  uint32_t numVariants = 0;
  uint64_t numChannels = 0;
  std::vector<Section> sections;
  std::vector<Case> cases; ///< of all sections, in order
};

/// A case of the program in a job in which it is for root `root`, but for type,
/// operator and count.
Case caseOf(const sched::Program &program, int root);
/// The operators of the options that make a difference to the type; of several
/// those that it has.
std::vector<blinkRedOp_t> opsOf(const Case &c, blinkDataType_t type,
                                const Options &options);

/// Whether the options ask for the program, in a job in which it is for `root`.
bool isWanted(const sched::Program &program, int root, const Options &options);

/// Throws UsageError, unless there is such a collective, or the name is empty.
void checkCollective(const std::string &name);

/// Opens the files and says what to measure. Throws UsageError.
Plan makePlan(const Options &options);

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_CASES_H
