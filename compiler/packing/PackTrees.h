//===- PackTrees.h - the packing solvers' front door ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_PACKTREES_H
#define BLINK_COMPILER_PACKING_PACKTREES_H

#include "compiler/packing/Packing.h"

namespace blink {

struct PackedTrees {
  Packing packing; ///< optimal, with as many trees as the LP's basis has
  PackingCertificate certificate;
  std::vector<Tree> candidates; ///< every tree the solver met; weights 0
  int iterations = 0;           ///< of column generation
};

/// Solves `problem` to optimality: multiplicative weights for a first set of
/// trees, then column generation with GLPK (see ColumnGeneration.h) until the
/// dual bound meets the rate within 1e-9 relative. The result has passed
/// PackingProblem::verify. Errors: those of check(); a solver that failed,
/// stalled or lost precision.
llvm::Expected<PackedTrees> packTrees(const PackingProblem &problem);

/// The certificate's bound alone, without keeping trees.
llvm::Expected<PackingCertificate> boundRate(const PackingProblem &problem);

struct SelectOptions {
  double slack = 0.01; ///< most of the rate that may be given up, relative
  int maxTrees = 0;    ///< no more than this many trees; 0 means no limit
};

struct SelectedTrees {
  Packing packing;
  bool uniform = false; ///< all trees carry the same weight (integer program)
};

/// Keeps few trees: the fewest the solver finds whose rate is at least
/// (1 - slack) of the optimum, with low depth among equals. First the integer
/// program of the Blink paper over `packed.candidates` (equal weights: a unit
/// of bandwidth, then fractions of it), with a budget of branch-and-bound nodes
/// (not of seconds: same input, same bytes); then greedy elimination of trees
/// from the optimum, and whichever kept fewer trees wins. slack = 0 gives up
/// nothing. When maxTrees cannot be met within the slack, the best rate at
/// maxTrees is returned and the caller sees it in `packing.algbw`.
llvm::Expected<SelectedTrees> selectTrees(const PackingProblem &problem,
                                          const PackedTrees &packed,
                                          const SelectOptions &options);

/// The exact share of its block each tree carries: numerators[t] /
/// denominators[t], adding up to one over the trees of a block (the trees of
/// one root for allgather and reducescatter, all trees otherwise). Weights that
/// are fractions with a small denominator are recognised as such; others are
/// rounded to the denominator 2^30 by largest remainder. No share is zero:
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
