//===- Shares.h - exact shares for weights of trees -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_SHARES_H
#define BLINK_COMPILER_PACKING_SHARES_H

#include "compiler/packing/Packing.h"

namespace blink {

/// The exact share of its block each tree carries: numerators[t] /
/// denominators[t], adding up to one over the trees of a block (the trees of
/// one root for allgather and reducescatter, all trees otherwise), images
/// included. Weights that
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

#endif // BLINK_COMPILER_PACKING_SHARES_H
