//===- Pace.h - how fast lanes that keep their order are --------*- C++ -*-===//
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
  /// The part of the links' rate that lanes keep, at most 1.
  double quotient = 1;
  /// The slowest circle: folds each of which waits for the one before it, and
  /// the first one for the last. Empty if only links limit the pace.
  std::vector<uint32_t> circle;
  double interval = 0; ///< microseconds from round to round
  /// By fold: in round n it begins no later than this after n intervals.
  std::vector<double> begins;
};

/// Returns the rate at which a large message goes through lanes that take their
/// folds in order, as a part of the rate that the links sustain. The variant
/// must have passed checkProgress.
///
/// All transfers take equally long, T. Therefore the interval between rounds is
/// the greatest quotient of time and rounds of any circle of the graph
/// (Baccelli, Cohen, Olsder and Quadrat, "Synchronization and Linearity", 1992,
/// theorem 3.28), but not less than T.
///
/// It is found by policy iteration (Howard's algorithm in the form of Dasdan,
/// "Experimental Analysis of the Fastest Optimum Cycle Ratio and Mean
/// Algorithms", 2004). As long as some circle is longer than the interval, the
/// interval becomes that of the longest circle at hand. When there is no such
/// circle, the times at hand of all folds keep to the interval, which proves
/// it. This takes a few passes over the channels.
Pace paceOf(const TimedGraph &graph);

/// Returns the microseconds within which a call ends whose message is cut as in
/// the graph, over the same links. The first rounds (`clockRounds`, or as many
/// as memory allows) are simulated with a clock, fold after fold, so that short
/// calls get the time that they really take. From there on no round comes later
/// than at the pace.
double timeBound(const TimedGraph &graph, const Pace &pace,
                 int64_t clockRounds = 256);

/// Returns "rank 0 lane 1 step 2 -> rank 3 lane 0 step 0 -> rank 0 lane 1
/// step 2". A step after an arrow waits for the step before it.
std::string describePace(const FoldGraph &graph, const Pace &pace);

} // namespace blink::verify

#endif // BLINK_COMPILER_VERIFY_PACE_H
