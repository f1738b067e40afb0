//===- PackTrees.h - the packing solvers' front door ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Usage:
//
//     PackingProblem problem{&fabric, Collective::allreduce, 0};
//     Expected<PackedTrees> packed = packTrees(problem);        // the optimum
//     Expected<SelectedTrees> few = selectTrees(problem, *packed, {});
//     Expected<Shares> shares = exactShares(problem, few->packing);
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_PACKTREES_H
#define BLINK_COMPILER_PACKING_PACKTREES_H

#include "compiler/packing/Packing.h"

#include <functional>

namespace blink {

struct PackedTrees {
  Packing packing; ///< as many trees as the LP's basis has, and their images
  PackingCertificate certificate;
  /// Every tree the solver met, of one root of each orbit; weights 0.
  std::vector<Tree> candidates;
  int iterations = 0; ///< of column generation
};

/// Where a solver stands.
struct SolveStatus {
  int iterations = 0;
  int maxDepth = 0; ///< of the trees looked at now; 0: of any depth
  double rate = 0;  ///< GB/s of the best packing so far
  double bound = 0; ///< GB/s; infinite at first
};

/// Called once an iteration; false ends the solver with what it has.
using SolveWatcher = std::function<bool(const SolveStatus &)>;

/// Solves `problem` to optimality, with low trees: multiplicative weights for a
/// first set of trees, then column generation with GLPK (see
/// ColumnGeneration.h) until the dual bound meets the rate within 1e-9
/// relative. Where rounding stops it before (bandwidths many orders of
/// magnitude apart), up to 1e-6 is accepted, and when `watcher` stops it, any
/// gap: the certificate states what it proves. Works modulo the symmetry of the
/// machine (SymmetricProblem.h). The result has passed PackingProblem::verify.
/// Errors: those of check(); a solver that failed, stalled or lost precision.
llvm::Expected<PackedTrees> packTrees(const PackingProblem &problem,
                                      const SolveWatcher &watcher = nullptr);

/// The certificate's bound alone, without keeping trees.
llvm::Expected<PackingCertificate>
boundRate(const PackingProblem &problem, const SolveWatcher &watcher = nullptr);

struct SelectOptions {
  double slack = 0.01; ///< most of the rate that may be given up, relative
  int maxTrees = 0;    ///< no more than this many trees; 0 means no limit
  /// Asked now and then; false ends the search with the best so far.
  std::function<bool()> keepGoing = nullptr;
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

/// The exact share of its block each tree carries: numerators[t] /
/// denominators[t], adding up to one over the trees of a block (the trees of
/// one root for allgather and reducescatter, all trees otherwise). Weights that
/// are fractions with a small denominator are recognised as such; others are
/// rounded down to multiples of 2^-30, for a little more could be much on a
/// slow link; the largest takes the rest. No share is zero:
/// weights too small for that are an error.
struct Shares {
  std::vector<uint32_t> numerators;
  std::vector<uint32_t> denominators;
};
llvm::Expected<Shares> exactShares(const PackingProblem &problem,
                                   const Packing &packing);

/// The rate that shares (not weights) sustain: min over links of
/// bandwidth / load per unit of algbw. Infinite for one rank.
double rateOfShares(const PackingProblem &problem, const Packing &packing,
                    const Shares &shares);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_PACKTREES_H
