//===- PackPairs.h - the paths of point to point ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_PAIRS_PACKPAIRS_H
#define BLINK_COMPILER_PACKING_PAIRS_PACKPAIRS_H

#include "compiler/packing/PackTrees.h"

namespace blink {

/// Solves a sendrecv. Each ordered pair of ranks is a linear program of its
/// own, of all paths that join the two with no GPU between, and the links are
/// its alone; pairs whose links look the same are solved once. The forest has k
/// equal stars for each rank: of a pair's k hops each path gets as many as its
/// part of the pair's optimum says, rounded (Hamilton's method), with the least
/// k up to 8 that leaves every pair 95 % of its own; so all ranks have as many
/// trees, whose shares are exact. The certificate is that of the slowest pair.
/// The result has passed PackingProblem::verify. Errors: those of check() and
/// of the solver.
llvm::Expected<PackedTrees> packPairs(const PackingProblem &problem);

/// Stars of one hop a pair, over the paths that cost least at `prices`, one a
/// link: for small messages. Weights are those of the rate that they have.
/// Errors: those of check().
llvm::Expected<Packing> packNearestPairs(const PackingProblem &problem,
                                         const std::vector<double> &prices);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_PAIRS_PACKPAIRS_H
