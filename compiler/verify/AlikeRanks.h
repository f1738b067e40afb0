//===- AlikeRanks.h - prices of trees if ranks are alike --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_VERIFY_ALIKERANKS_H
#define BLINK_COMPILER_VERIFY_ALIKERANKS_H

#include "compiler/verify/Repricing.h"
#include "schedules/SymmetryGroup.h"

namespace blink::verify {

/// Does the same as reprice (Repricing.h), at prices that are equal on all
/// links of each orbit of `group`, in the time that paths from the
/// representatives take. For allreduces, allgathers and reducescatters without
/// relays and without switches that work for trees.
///
/// An arborescence joins all ranks, so it costs at least as much as the
/// cheapest undirected tree, in which an edge is the cheaper one of the two
/// paths between two ranks. The cost of that tree is taken in place of the
/// arborescence's. Both are equal if all ranks are images of one: ranks that
/// edges up to some price join can then reach each other along these edges,
/// because as many of them lead into each set of ranks as out of it.
///
/// Fails if so many ranks are alike to no other that all pairs of these with
/// other ranks would take too much memory.
Repricing repriceAlike(const TopologyView &machine,
                       const sched::Program &program,
                       const std::vector<double> &prices,
                       const sched::SymmetryGroup &group);

/// Returns true if repriceAlike applies to the program and either gives the
/// same bound as reprice, or is needed because there are too many ranks for
/// reprice.
bool mayRepriceAlike(const TopologyView &machine, const sched::Program &program,
                     const sched::SymmetryGroup &group);

} // namespace blink::verify

#endif // BLINK_COMPILER_VERIFY_ALIKERANKS_H
