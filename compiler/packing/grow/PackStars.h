//===- PackStars.h - one path for each pair of ranks ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_GROW_PACKSTARS_H
#define BLINK_COMPILER_PACKING_GROW_PACKSTARS_H

#include "compiler/packing/PackTrees.h"
#include "compiler/packing/lp/SymmetricProblem.h"

namespace blink {

/// Returns a packing of a routed collective over more than kFewRanks ranks in
/// which each block goes over a single path without ranks in between, if that
/// reaches the optimum, or all but `slack` of it. A linear program
/// would need many more paths to balance the links of a fat tree. Each path in
/// turn is a shortest one whose links are the least full. The certificate has
/// prices on the fullest links, at the ranks or anywhere: those between the
/// groups of a dragonfly.
/// Returns std::nullopt if it does not get there, for example on a torus, where
/// ranks forward, or for phases, relays or a sendrecv. The result has passed
/// PackingProblem::verify.
std::optional<PackedTrees> packStars(const SymmetricProblem &problem,
                                     double slack);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_GROW_PACKSTARS_H
