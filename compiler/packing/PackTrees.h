//===- PackTrees.h - the packing solvers' front door ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Usage:
//
//     PackingProblem problem{&rankTopology, Collective::allreduce, 0};
//     Expected<PackedTrees> packed = packTrees(problem);        // the optimum
//     Expected<Packing> few = selectTrees(problem, *packed, {}); //
//     SelectTrees.h Expected<Shares> shares = exactShares(problem, *few); //
//     Shares.h
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_PACKTREES_H
#define BLINK_COMPILER_PACKING_PACKTREES_H

#include "compiler/packing/Packing.h"

#include <functional>
#include <optional>

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

/// What packTrees gives up at most.
inline constexpr double kMostSlack = 0.01;

/// Solves `problem` to optimality, with low trees: multiplicative weights for a
/// first set of trees, then column generation with GLPK (see
/// ColumnGeneration.h) until the dual bound meets the rate within 1e-9
/// relative. Where rounding stops it before (bandwidths many orders of
/// magnitude apart), up to 1e-6 is accepted, and when `watcher` stops it, any
/// gap: the certificate states what it proves. Works modulo the symmetry of the
/// machine (SymmetricProblem.h). A broadcast or reduce over many ranks is grown
/// instead, without a program, where that reaches the optimum, or all but
/// `slack` of it, up to kMostSlack, over as many (PackGrown.h).
/// The result has passed PackingProblem::verify.
/// Errors: those of check(); a solver that failed, stalled or lost precision.
llvm::Expected<PackedTrees> packTrees(const PackingProblem &problem,
                                      const SolveWatcher &watcher = nullptr,
                                      double slack = 0);

/// packTrees of a problem with switches, if there are any and that is faster
/// than `plain`, the trees of the same problem without. A switch that
/// multicasts does not let a broadcast go faster, for example.
llvm::Expected<std::optional<PackedTrees>>
packWithSwitches(const PackingProblem &problem, const PackedTrees &plain,
                 const SolveWatcher &watcher = nullptr);

/// The certificate's bound alone, without keeping trees: of as many ranks as
/// are grown it may be kMostSlack more than the optimum.
llvm::Expected<PackingCertificate>
boundRate(const PackingProblem &problem, const SolveWatcher &watcher = nullptr);

/// What `prices` >= 0, one a link, prove of `problem`, whatever they are from,
/// as of another problem on the same links; infinity, if nothing. They are
/// averaged over links that are alike, and otherwise stay.
llvm::Expected<PackingCertificate> boundAt(const PackingProblem &problem,
                                           std::vector<double> prices);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_PACKTREES_H
