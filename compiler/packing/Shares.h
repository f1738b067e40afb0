//===- Shares.h - exact shares for weights of trees -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_SHARES_H
#define BLINK_COMPILER_PACKING_SHARES_H

#include "compiler/packing/Packing.h"

namespace blink {

/// The exact share of its block that each tree carries: numerators[t] /
/// denominators[t]. The shares add up to one over the trees of a block, images
/// included (for allgather and reducescatter the trees of one root, otherwise
/// all trees). Weights that are fractions with a small denominator are
/// recognised as such. Others are rounded down to multiples of 2^-30, because a
/// small excess could be large for a slow link, and the largest share takes the
/// rest. No share is zero: weights too small for a share are an error.
struct Shares {
  std::vector<uint32_t> numerators;
  std::vector<uint32_t> denominators;
};
llvm::Expected<Shares> exactShares(const PackingProblem &problem,
                                   const Packing &packing);

/// Returns the rate in GB/s that the shares (not the weights) sustain: the
/// minimum over links of bandwidth / load per unit of algbw. Infinite for one
/// rank.
double rateOfShares(const PackingProblem &problem, const Packing &packing,
                    const Shares &shares);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_SHARES_H
