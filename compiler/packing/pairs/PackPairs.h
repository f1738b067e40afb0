//===- PackPairs.h - the paths of messages between two ranks ----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_PAIRS_PACKPAIRS_H
#define BLINK_COMPILER_PACKING_PAIRS_PACKPAIRS_H

#include "compiler/packing/PackTrees.h"

namespace blink {

/// Solves a sendrecv. Each ordered pair of ranks is a linear program of its
/// own, over all paths between the two without a GPU on them, and has the links
/// to itself; pairs whose links look the same are solved once. The forest has k
/// equal stars for each rank, so that all ranks have equally many trees, whose
/// shares are exact. Each path of a pair gets as many of the pair's k hops as
/// its part of the pair's optimum says, rounded by Hamilton's method. k is the
/// least number up to 8 that leaves every pair 95 % of its own optimum, or else
/// the best. The certificate is that of the slowest pair. The result has passed
/// PackingProblem::verify. Errors: those of check() and of the solver.
llvm::Expected<PackedTrees> packPairs(const PackingProblem &problem);

/// Returns stars with one hop for each pair, over the paths that cost least at
/// `prices` (one per link): for small messages. Weights are those of the rate
/// that the stars reach. Errors: those of check().
llvm::Expected<Packing> packNearestPairs(const PackingProblem &problem,
                                         const std::vector<double> &prices);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_PAIRS_PACKPAIRS_H
