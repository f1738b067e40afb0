//===- FairRate.h - trees on links that share themselves fairly -*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_FAIRRATE_H
#define BLINK_COMPILER_PACKING_FAIRRATE_H

#include "compiler/packing/Packing.h"

namespace blink {

/// GB/s of a large message where nobody holds a tree to its weight: links are
/// divided max-min fairly among the trees on their way, and a tree goes as fast
/// as its slowest hop. Tree t goes in `parts[t]` equal ones. What has less to
/// carry is through early, and links that it leaves may have nothing else to
/// do. At most `packing.algbw`, and as much where weights are fair already,
/// above all where trees that meet are equal, or where only links of a network
/// are full: windows share these by weight. A fluid: what buffers and lanes
/// do to keep trees together is not in it. In routed collectives each chain of
/// a tree goes for itself; not for those without a root.
double fairRate(const PackingProblem &problem, const Packing &packing,
                const std::vector<unsigned> &parts);

/// Into how many equal trees each tree of `packing` goes so that all have one
/// weight; all 1 where fairRate is the packing's rate without that, where
/// weights are no small multiples of one. In gather and scatter among few ranks
/// nearly one, if links keep to the weights then, or 2 % more than without; in
/// other routed collectives all 1.
std::vector<unsigned> evenParts(const PackingProblem &problem,
                                const Packing &packing);

/// Links that share themselves fairly keep to the weights of these parts, or
/// without them of evenParts, to 1 %. So they do in routed collectives, in
/// which each chain is a tree.
bool isFair(const PackingProblem &problem, const Packing &packing,
            const std::vector<unsigned> &parts);
bool isFair(const PackingProblem &problem, const Packing &packing);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_FAIRRATE_H
