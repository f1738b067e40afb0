//===- Gates.h - one rank of each server that talks to others ---*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A tree in three phases (Blink, MLSys 2020) enters and leaves each server
// through one rank, its gate: a local tree to the gate, an exchange among
// gates, a local tree back. So it is an arborescence of a graph in which ranks
// of different servers are joined only if both are gates, and every algorithm
// for arborescences finds such trees there.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_TREES_GATES_H
#define BLINK_COMPILER_PACKING_TREES_GATES_H

#include "compiler/packing/Packing.h"
#include "compiler/packing/trees/MinArborescence.h"

namespace blink {

/// The gate of each server, a rank.
using Gates = std::vector<int>;

/// What gates a tree of `root` may have, for ranks that stand on `serverOf`
/// (RankTopology::serverOf). First the i-th rank of each server, with i the
/// place of the root, then the other i, servers of fewer ranks from the front
/// again; then, where there are no more than kMostGates, all choices. With
/// `rootIsGate` those in which the root is one. If `outward` is not empty, only
/// ranks of which it says so are gates, and a root of which it does not need
/// not be one.
std::vector<Gates> gatesFor(const std::vector<int> &serverOf, int root,
                            bool rootIsGate,
                            const std::vector<bool> &outward = {});
inline constexpr size_t kMostGates = 64;

/// Which ranks have edges both to and from ranks of other servers; of a server
/// without such a rank all are said to.
std::vector<bool> outwardRanks(const std::vector<int> &serverOf,
                               const CostGraph &costs);

/// `costs` without edges between ranks of different servers that are not both
/// gates.
CostGraph throughGates(const CostGraph &costs, const std::vector<int> &serverOf,
                       const Gates &gates);

/// Does `tree` enter and leave each server through one rank, both ways?
llvm::Error checkGates(const std::vector<int> &serverOf, const Tree &tree);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_TREES_GATES_H
