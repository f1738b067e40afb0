//===- Gates.h - the one rank per server that leaves it ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A tree in three phases (Blink, MLSys 2020) enters and leaves each server
// through one rank, its gate: a local tree to the gate, an exchange among
// gates, a local tree back. Such a tree is an arborescence of a graph in which
// ranks of different servers are joined only if both are gates, so every
// algorithm for arborescences can find it there.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_TREES_GATES_H
#define BLINK_COMPILER_PACKING_TREES_GATES_H

#include "compiler/packing/Packing.h"
#include "compiler/packing/trees/MinArborescence.h"

namespace blink {

/// The rank that is the gate of each server.
using Gates = std::vector<int>;

/// Returns the choices of gates for a tree of `root`, given the server of each
/// rank (RankTopology::serverOf). First come the i-th ranks of all servers,
/// with i the place of the root, then those with the other i; servers with
/// fewer ranks begin again from the front. Then, if there are no more than
/// kMostGates choices in all, come all others. With `rootIsGate`, only choices
/// in which the root is a gate. If `outward` is not empty, only ranks for which
/// it is true can be gates, and a root for which it is false need not be one.
std::vector<Gates> gatesFor(const std::vector<int> &serverOf, int root,
                            bool rootIsGate,
                            const std::vector<bool> &outward = {});
inline constexpr size_t kMostGates = 64;

/// Returns for each rank whether it has edges both to and from ranks of other
/// servers. If a server has no such rank, true for all of its ranks.
std::vector<bool> outwardRanks(const std::vector<int> &serverOf,
                               const CostGraph &costs);

/// Returns `costs` without the edges between ranks of different servers that
/// are not both gates.
CostGraph throughGates(const CostGraph &costs, const std::vector<int> &serverOf,
                       const Gates &gates);

/// Checks that `tree` enters and leaves each server through one rank, the same
/// in both parts.
llvm::Error checkGates(const std::vector<int> &serverOf, const Tree &tree);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_TREES_GATES_H
