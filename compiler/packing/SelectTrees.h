//===- SelectTrees.h - few and low trees of an optimum ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_SELECTTREES_H
#define BLINK_COMPILER_PACKING_SELECTTREES_H

#include "compiler/packing/PackTrees.h"

namespace blink {

/// The part of the optimal rate that may be given up for trees that are faster
/// in practice, relative. A slack of 0 forbids it.
inline constexpr double kWideSlack = 0.05;

class UnsolvedPrograms;

struct SelectOptions {
  double slack = 0.01; ///< the largest part of the rate to give up, relative
  int maxTrees = 0;    ///< limit on the number of trees; 0: none
  /// Called now and then. If it returns false, the search ends with the best
  /// packing so far.
  std::function<bool()> keepGoing = nullptr;
  /// Integer programs that other selections of the same problem failed to
  /// solve, so that they are not tried again.
  UnsolvedPrograms *unsolved = nullptr;
};

/// Keeps few and low trees whose rate is at least (1 - slack) of the optimum.
/// Of the packings that the solvers find, it keeps the one with the least
/// (trees + 8) x depth: up to about eight trees, one more lane costs little,
/// while latency counts. The solvers are greedy elimination from the optimum, a
/// router of trees of one weight (TreeRouter.h), and the integer program of the
/// Blink paper over all trees met. Their budgets are counts, not seconds: same
/// input, same bytes. slack = 0 gives up nothing. If maxTrees cannot be met
/// within the slack, the best rate found for maxTrees is returned and the
/// caller sees it in `algbw`. The result has passed PackingProblem::verify.
/// Errors: options out of range; maxTrees below the number of roots that need a
/// tree; a solver failed.
llvm::Expected<Packing> selectTrees(const PackingProblem &problem,
                                    const PackedTrees &packed,
                                    const SelectOptions &options);

/// Selects from what the router and the integer program find, as selectTrees
/// does, but keeps only fair trees (FairRate.h): links that divide themselves
/// fairly keep to their weights, as they do with trees of equal weight. Tries
/// each of `slacks`, in descending order, in place of the slack in `options`.
/// Returns the first fair packing found for each, unless one found for an
/// earlier slack has as much of the rate. Stops at the first slack for which
/// none is found. Returns nothing for routed collectives and if whole orbits
/// are selected. Needs two ranks or more, and `options` in range as for
/// selectTrees.
llvm::Expected<std::vector<Packing>>
selectFairTrees(const PackingProblem &problem, const PackedTrees &packed,
                const SelectOptions &options,
                const std::vector<double> &slacks);

/// Returns true if selectFairTrees can find fair trees at all, that is, for
/// collectives that are not routed and if single trees are selected, not whole
/// orbits.
bool hasFairTrees(const PackingProblem &problem);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_SELECTTREES_H
