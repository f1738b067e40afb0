//===- SelectTrees.h - few and low trees of an optimum ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_SELECTTREES_H
#define BLINK_COMPILER_PACKING_SELECTTREES_H

#include "compiler/packing/PackTrees.h"

namespace blink {

/// Where other trees are faster, so much of the optimum may be given up for
/// them, relative, unless a slack of 0 asks for all of it.
inline constexpr double kWideSlack = 0.05;

class UnsolvedPrograms;

struct SelectOptions {
  double slack = 0.01; ///< most of the rate that may be given up, relative
  int maxTrees = 0;    ///< no more than this many trees; 0 means no limit
  /// Asked now and then; false ends the search with the best so far.
  std::function<bool()> keepGoing = nullptr;
  /// Spares what other selections of the same problem asked in vain.
  UnsolvedPrograms *unsolved = nullptr;
};

/// Keeps few and low trees whose rate is at least (1 - slack) of the optimum:
/// of what the solvers find, the packing with the least (trees + 8) x depth,
/// for up to about eight trees a lane more costs little and latency counts. The
/// solvers: greedy elimination from the optimum; a router of trees of one
/// weight (TreeRouter.h); the integer program of the Blink paper over all trees
/// met. Their budgets are counts, not seconds: same input, same bytes.
/// slack = 0 gives up nothing. When maxTrees cannot be met within the slack,
/// the best rate found for maxTrees is returned and the caller sees it in
/// `algbw`. The result has passed PackingProblem::verify. Errors:
/// options out of range; maxTrees below the number of roots that need a tree; a
/// solver that failed.
llvm::Expected<Packing> selectTrees(const PackingProblem &problem,
                                    const PackedTrees &packed,
                                    const SelectOptions &options);

/// The same of what the router and the integer program find, but only trees
/// that are fair (FairRate.h): such that links which share themselves fairly
/// keep to their weights, as do those of equal trees. For each of `slacks`, the
/// greatest first, which stand for that of `options`, the first that are found,
/// unless those before have as much of the rate; no more after one with which
/// there are none. None at all for routed collectives, and where whole orbits
/// are selected. For two ranks or more; `options` in range, as for selectTrees.
llvm::Expected<std::vector<Packing>>
selectFairTrees(const PackingProblem &problem, const PackedTrees &packed,
                const SelectOptions &options,
                const std::vector<double> &slacks);

/// Whether selectFairTrees can find any: not where whole orbits are selected,
/// nor for routed collectives.
bool hasFairTrees(const PackingProblem &problem);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_SELECTTREES_H
