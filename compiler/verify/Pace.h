//===- Pace.h - how fast lanes that keep their order go ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_VERIFY_PACE_H
#define BLINK_COMPILER_VERIFY_PACE_H

#include "compiler/verify/FoldGraph.h"
#include "compiler/verify/PathRules.h"

#include <string>
#include <vector>

namespace blink::verify {

struct Pace {
  /// Of the links' rate what is left, at most 1.
  double quotient = 1;
  /// What takes longest: folds, each of which waits for the one before it, and
  /// the first for the last. Empty where nothing but links limits the pace.
  std::vector<uint32_t> circle;
};

/// The rate at which a large message goes through lanes that take their folds
/// in order, as a part of `algbw`, the rate (GB/s) that the links sustain. The
/// variant must have passed checkProgress.
///
/// In the marked graph of Progress.h a fold now takes time: a chunk needs that
/// of its transfer and its path's latency to get to the reader, and a free slot
/// is known to the writer a latency after the fold that freed it. Lanes
/// themselves cost nothing. Each channel has the part of its links that its
/// tree's share plans for it; since chunks are in proportion to shares
/// (schedule.fbs) all transfers take equally long, the time T of a round.
/// Rounds then follow each other at intervals of the greatest quotient of time
/// and tokens of any circle (Baccelli, Cohen, Olsder and Quadrat,
/// "Synchronization and Linearity", 1992, theorem 3.28), but no faster than T.
///
/// Found by policy iteration (Howard's algorithm as Dasdan has it,
/// "Experimental Analysis of the Fastest Optimum Cycle Ratio and Mean
/// Algorithms", 2004): as long as some circle is longer than the interval, the
/// interval is that of the longest one at hand. Where none is, times of all
/// folds are at hand that keep to the interval, which proves it. Takes a few
/// passes over the channels.
Pace paceOf(const TopologyView &machine, const Semantics &semantics,
            const FoldGraph &graph, double algbw);

/// "rank 0 lane 1 step 2 -> rank 3 lane 0 step 0 -> rank 0 lane 1 step 2". What
/// follows an arrow waits for what stands before it.
std::string describePace(const FoldGraph &graph, const Pace &pace);

} // namespace blink::verify

#endif // BLINK_COMPILER_VERIFY_PACE_H
