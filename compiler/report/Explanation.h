//===- Explanation.h - why a schedule is as fast as it is -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Reads the certificate as a person would. The prices mark the scarce links: a
// link of price 0 could be faster without helping. Where all scarce links have
// one price, the bound is a count: every tree must cross them so many times.
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
  double price;     ///< relative to the highest; 0: not scarce
  double percent() const { return 100 * load / bandwidth; }
};

/// What the links of one kind carry, all together.
struct KindReport {
  LinkKind kind;
  double bandwidth;
  double load;
  double percentOfTraffic;
};

/// Where one variant ends and the next begins.
struct CrossingPoint {
  uint64_t bytes;
  double before; ///< microseconds of a message of this size, PredictedTime.h
  double after;
  std::string reason; ///< what the next one loses and wins, in a sentence
};

struct Explanation {
  Summary summary;
  std::vector<LinkReport> links; ///< those the job may use, in file order
  std::vector<KindReport> kinds; ///< those that carry anything
  /// GPU numbers that no scarce link separates, largest set first. One group
  /// when the scarce links are no partition.
  std::vector<std::vector<int>> groups;
  double scarceBandwidth = 0; ///< GB/s of all scarce links
  /// Times that a unit of the collective must cross scarce links at least:
  /// scarceBandwidth / bound. Only when their prices are equal, else 0.
  double crossings = 0;
  /// Ascending; none of a program of one variant.
  std::vector<CrossingPoint> crossingPoints;
  /// The reason for the bound, in a few sentences.
  std::vector<std::string> reasons;
};

Explanation explainProgram(const sched::Schedule &file,
                           const sched::Program &program);

/// The same of a bound alone: no loads, kinds or numbers of a schedule.
Explanation explainBound(const PackingProblem &problem,
                         const PackingCertificate &certificate);

/// The bound of a file's program where no switch reduces or multicasts, in
/// GB/s: solved again. Errors: those of boundRate.
llvm::Expected<double> boundOfLinks(const sched::Schedule &file,
                                    const sched::Program &program);

} // namespace blink

#endif // BLINK_COMPILER_REPORT_EXPLANATION_H
