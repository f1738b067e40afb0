//===- AlikeRanks.h - prices of trees where ranks are alike -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_VERIFY_ALIKERANKS_H
#define BLINK_COMPILER_VERIFY_ALIKERANKS_H

#include "compiler/verify/Repricing.h"
#include "schedules/SymmetryGroup.h"

namespace blink::verify {

/// As reprice (Repricing.h), at prices that are the same on all links of an
/// orbit of `group`, in the time that paths from representatives take. Of an
/// allreduce, allgather or reducescatter without relays and switches' work.
///
/// An arborescence joins all ranks, so it costs at least what the cheapest tree
/// without directions does, where an edge is the cheaper path of two ranks.
/// That is what is taken for its cost, and what it does cost where all ranks
/// are images of one: ranks joined by edges up to some price then reach each
/// other along them, for as many lead into each set of them as out of it.
Repricing repriceAlike(const TopologyView &machine,
                       const sched::Program &program,
                       const std::vector<double> &prices,
                       const sched::SymmetryGroup &group);

/// Whether repriceAlike may be asked of a program, and is as good as reprice,
/// or there are more ranks than that takes.
bool mayRepriceAlike(const TopologyView &machine, const sched::Program &program,
                     const sched::SymmetryGroup &group);

} // namespace blink::verify

#endif // BLINK_COMPILER_VERIFY_ALIKERANKS_H
