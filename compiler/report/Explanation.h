//===- Explanation.h - why a schedule is as fast as it is -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Explains a certificate in words. Its prices mark the scarce links: making a
// link of price 0 faster would not help. If all scarce links have the same
// price, the bound is a count: every tree must cross them so many times.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_REPORT_EXPLANATION_H
#define BLINK_COMPILER_REPORT_EXPLANATION_H

#include "compiler/packing/PackTrees.h"
#include "compiler/report/Summary.h"

namespace blink {

struct LinkReport {
  std::string from;
  std::string to;
  LinkKind kind;
  double bandwidth; ///< GB/s
  double load;      ///< GB/s at the stated rate
  double price;     ///< relative to the highest price; 0: not scarce
  double percent() const { return 100 * load / bandwidth; }
};

/// The traffic and bandwidth of all links of one kind together.
struct KindReport {
  LinkKind kind;
  double bandwidth;
  double load;
  double percentOfTraffic;
};

/// The message size at which one variant ends and the next begins.
struct CrossingPoint {
  uint64_t bytes;
  /// Microseconds for this size: simulated with the costs of the model of time
  /// (ShortTimes.h) or, if that takes too long, by PredictedTime.h.
  double before, after;
  std::string reason; ///< what the next variant costs and gains, as a sentence
};

struct Explanation {
  Summary summary;
  std::vector<LinkReport> links; ///< those the job may use, in file order
  std::vector<KindReport> kinds; ///< those that carry anything
  /// GPU numbers that no scarce link separates, largest set first. There is a
  /// single group if the scarce links do not partition the GPUs.
  std::vector<std::vector<int>> groups;
  double scarceBandwidth = 0; ///< GB/s of all scarce links
  /// How many times at least a unit of the collective must cross scarce links:
  /// scarceBandwidth / bound. 0 unless all scarce links have equal prices.
  double crossings = 0;
  /// Ascending by size; empty if the program has a single variant.
  std::vector<CrossingPoint> crossingPoints;
  /// The reason for the bound, in a few sentences.
  std::vector<std::string> reasons;
};

Explanation explainProgram(const sched::Schedule &file,
                           const sched::Program &program);

/// Explains a bound alone: without loads, link kinds and numbers of a schedule.
Explanation explainBound(const PackingProblem &problem,
                         const PackingCertificate &certificate);

/// Solves again for the bound of a file's program, in GB/s, as if no switch
/// reduced or multicast. Errors: those of boundRate.
llvm::Expected<double> boundOfLinks(const sched::Schedule &file,
                                    const sched::Program &program);

} // namespace blink

#endif // BLINK_COMPILER_REPORT_EXPLANATION_H
