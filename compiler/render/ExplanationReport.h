//===- ExplanationReport.h - reports that explain a rate --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_RENDER_EXPLANATIONREPORT_H
#define BLINK_COMPILER_RENDER_EXPLANATIONREPORT_H

#include "compiler/report/Explanation.h"
#include "compiler/report/WhatIf.h"
#include "compiler/topology/DegradeLinks.h"

namespace blink {

/// What `blinkc explain` reports about a program.
struct ExplainedProgram {
  Explanation explanation;
  std::vector<LinkEdit> edits;
  /// The gain of one more link; std::nullopt: not asked for.
  std::optional<std::vector<Improvement>> improvements;
  /// The same job compiled in three phases, for comparison.
  std::optional<Summary> phases;
};
std::string toText(const ExplainedProgram &program);
std::string toJson(const ExplainedProgram &program);

/// What `blinkc bound` reports about a collective.
struct ExplainedBound {
  Explanation explanation;
  LinkKindSet links; ///< that may be used
  std::vector<LinkEdit> edits;
  double seconds = 0;
  /// The order of sums that was asked for, if any.
  sched::ReductionOrder order = sched::ReductionOrder::none;
  double ofOrder = 0; ///< GB/s, the bound of trees with that order
  double ofLinks = 0; ///< GB/s, as if no switch reduced or multicast
  double reached = 0; ///< GB/s of a packing of trees; at most the bound
};
std::string toText(const ExplainedBound &bound);
std::string toJson(const ExplainedBound &bound);

} // namespace blink

#endif // BLINK_COMPILER_RENDER_EXPLANATIONREPORT_H
