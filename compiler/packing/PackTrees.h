//===- PackTrees.h - the packing solvers' front door ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Usage:
//
//     PackingProblem problem{&rankTopology, Collective::allreduce, 0};
//     Expected<PackedTrees> packed = packTrees(problem); // the optimum
//     // SelectTrees.h
//     Expected<Packing> few = selectTrees(problem, *packed, {});
//     // Shares.h
//     Expected<Shares> shares = exactShares(problem, *few);
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_PACKTREES_H
#define BLINK_COMPILER_PACKING_PACKTREES_H

#include "compiler/packing/Packing.h"

#include <functional>
#include <optional>

namespace blink {

struct PackedTrees {
  Packing packing; ///< the trees of the LP's basis, and their images
  PackingCertificate certificate;
  /// Every tree that the solver met, with roots from one rank per orbit; all
  /// weights are 0.
  std::vector<Tree> candidates;
  int iterations = 0; ///< of column generation
};

/// The progress of a solver.
struct SolveStatus {
  int iterations = 0;
  int maxDepth = 0; ///< depth limit of the trees now considered; 0: none
  double rate = 0;  ///< GB/s of the best packing so far
  double bound = 0; ///< GB/s; infinite at first
};

/// Called once per iteration. If it returns false, the solver ends with the
/// best packing so far.
using SolveWatcher = std::function<bool(const SolveStatus &)>;

/// The largest part of the rate that packTrees gives up.
inline constexpr double kMostSlack = 0.01;

/// Solves `problem` to optimality, with low trees. Multiplicative weights find
/// a first set of trees; column generation with GLPK (see ColumnGeneration.h)
/// then runs until the dual bound meets the rate within 1e-9 relative. If
/// rounding stops it earlier (bandwidths many orders of magnitude apart), a gap
/// of up to 1e-6 is accepted; if `watcher` stops it, any gap is. The
/// certificate states what it proves. Works modulo the symmetry of the machine
/// (SymmetricProblem.h). A broadcast or reduce over many ranks is grown
/// instead, without a linear program, if that reaches the optimum, or all but
/// `slack` of it (at most kMostSlack; over more than 128 ranks whatever growth
/// reaches if `slack` is not 0; see PackGrown.h). The result has passed
/// PackingProblem::verify. Errors: those of check(); the solver failed, stalled
/// or lost precision.
llvm::Expected<PackedTrees> packTrees(const PackingProblem &problem,
                                      const SolveWatcher &watcher = nullptr,
                                      double slack = 0);

/// Solves `problem`, which has switches, by packTrees, and returns the result
/// if it is faster than `plain`, the trees of the same problem without
/// switches. Returns std::nullopt if it is not (a switch that multicasts does
/// not make a broadcast faster, for example), or if the problem has no
/// switches.
llvm::Expected<std::optional<PackedTrees>>
packWithSwitches(const PackingProblem &problem, const PackedTrees &plain,
                 const SolveWatcher &watcher = nullptr);

/// Returns the certificate of packTrees without keeping trees. For as many
/// ranks as are grown, its bound may exceed the optimum by kMostSlack.
llvm::Expected<PackingCertificate>
boundRate(const PackingProblem &problem, const SolveWatcher &watcher = nullptr);

/// Returns the bound that `prices` prove for `problem`; infinity if they prove
/// none. There is one price per link, each >= 0. They may have any origin, such
/// as another problem on the same links. Prices are averaged over links that
/// are alike and otherwise kept.
llvm::Expected<PackingCertificate> boundAt(const PackingProblem &problem,
                                           std::vector<double> prices);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_PACKTREES_H
