//===- FairRate.h - the rate of trees that share links fairly ---*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_FAIRRATE_H
#define BLINK_COMPILER_PACKING_FAIRRATE_H

#include "compiler/packing/Packing.h"

namespace blink {

/// Returns the rate of a large message in GB/s if nothing holds a tree to its
/// weight: links are divided max-min fairly among the trees that cross them,
/// and a tree moves as fast as its slowest hop. Tree t is divided into
/// `parts[t]` equal trees. A tree with less to carry ends early, and the links
/// it leaves may then stay idle. The result is at most `packing.algbw`. It
/// equals it if the weights are fair already: above all if trees that share
/// links have equal weights, or if only links of a network are full, since
/// windows divide those by weight. The model is a fluid: it ignores the buffers
/// and lanes that keep trees together. In routed collectives each chain of a
/// tree moves on its own. Must not be called for routed collectives without a
/// root.
double fairRate(const PackingProblem &problem, const Packing &packing,
                const std::vector<unsigned> &parts);

/// Returns, for each tree of `packing`, the number of equal trees to divide it
/// into so that all get the same weight. All numbers are 1 if the undivided
/// trees are fair already, or if the weights are not small multiples of a
/// common weight. In gather and scatter among few ranks nearly equal weights
/// suffice; a division is accepted if links then keep to the weights, or if it
/// is 2 % faster than the best one with fewer trees. In all other routed
/// collectives the numbers are 1.
std::vector<unsigned> evenParts(const PackingProblem &problem,
                                const Packing &packing);

/// Returns true if links that divide themselves fairly keep to the weights of
/// these parts (by default, those of evenParts) to within 1 %. Always true for
/// routed collectives, in which each chain acts as a tree.
bool isFair(const PackingProblem &problem, const Packing &packing,
            const std::vector<unsigned> &parts);
bool isFair(const PackingProblem &problem, const Packing &packing);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_FAIRRATE_H
