//===- SpreadTrees.h - fast trees over several lanes ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A lane is one thread block on a GPU, and moves what a thread block can. A
// tree that asks for more becomes several equal trees of its shape, each with
// lanes of its own, so that together they carry what it did: loads, rate and
// bound stay the same.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_SPREADTREES_H
#define BLINK_COMPILER_PACKING_SPREADTREES_H

#include "compiler/packing/PackTrees.h"
#include "compiler/packing/TimeModel.h"

namespace blink {

/// GB/s that the busiest fold of `tree` moves.
double busiestFold(const PackingProblem &problem, const Tree &tree);

/// Into how many equal trees each tree goes; empty where all stay whole. Only
/// trees with a fold above the limit of a lane (ProtocolCosts) are split, and
/// no further than to it. Where the lanes of a rank do not suffice for that,
/// some share one: then of the splits down to equal loads the one that the
/// model of time finds the fastest for kReferenceBytes; of equal ones that of
/// the fewest trees. No more than `maxTrees` in all, unless that is 0 or there
/// are more already.
std::vector<unsigned> spreadTrees(const PackingProblem &problem,
                                  const Packing &packing, ForestTraits traits,
                                  size_t maxTrees);

/// The shares of the parts of a block's trees, which have numerators over one
/// denominator.
struct SpreadShares {
  std::vector<std::vector<uint32_t>> numerators; ///< per tree, of its parts
  uint32_t denominator = 1;
};

/// Each part of a tree gets the same; where no denominator of 32 bits can say
/// so, as near to it as the one they have allows. A tree goes into no more
/// parts than its numerator has units then. The sums are those of the trees.
SpreadShares spreadShares(const std::vector<uint32_t> &numerators,
                          uint32_t denominator,
                          const std::vector<unsigned> &parts);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_SPREADTREES_H
