//===- Pace.h - how fast lanes that keep their order go ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_VERIFY_PACE_H
#define BLINK_COMPILER_VERIFY_PACE_H

#include "compiler/verify/TimedGraph.h"

#include <string>
#include <vector>

namespace blink::verify {

struct Pace {
  /// Of the links' rate what is left, at most 1.
  double quotient = 1;
  /// What takes longest: folds, each of which waits for the one before it, and
  /// the first for the last. Empty where nothing but links limits the pace.
  std::vector<uint32_t> circle;
  double interval = 0; ///< microseconds from round to round
  /// Of each fold: in round n it begins at most that much after n intervals.
  std::vector<double> begins;
};

/// The rate at which a large message goes through lanes that take their folds
/// in order, as a part of the rate that the links sustain. The variant must
/// have passed checkProgress.
///
/// Since all transfers take equally long, T, rounds follow each other at
/// intervals of the greatest quotient of time and rounds of any circle of the
/// graph (Baccelli, Cohen, Olsder and Quadrat, "Synchronization and Linearity",
/// 1992, theorem 3.28), but no faster than T.
///
/// Found by policy iteration (Howard's algorithm as Dasdan has it,
/// "Experimental Analysis of the Fastest Optimum Cycle Ratio and Mean
/// Algorithms", 2004): as long as some circle is longer than the interval, the
/// interval is that of the longest one at hand. Where none is, times of all
/// folds are at hand that keep to the interval, which proves it. Takes a few
/// passes over the channels.
Pace paceOf(const TimedGraph &graph);

/// Microseconds within which a call is over whose message is cut as the graph's
/// is, in the same links. The first rounds, `clockRounds` or as many as memory
/// is for, are run with a clock, fold after fold, so that short calls have the
/// time that they take; from there on no round comes later than at the pace.
double timeBound(const TimedGraph &graph, const Pace &pace,
                 int64_t clockRounds = 256);

/// "rank 0 lane 1 step 2 -> rank 3 lane 0 step 0 -> rank 0 lane 1 step 2". What
/// follows an arrow waits for what stands before it.
std::string describePace(const FoldGraph &graph, const Pace &pace);

} // namespace blink::verify

#endif // BLINK_COMPILER_VERIFY_PACE_H
