//===- SingleFailures.h - what may break, one thing at a time ---*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What schedules can be made for before anything fails: jobs that have lost a
// GPU, and machines that have lost a link.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_SINGLEFAILURES_H
#define BLINK_COMPILER_TOPOLOGY_SINGLEFAILURES_H

#include "compiler/topology/Topology.h"

namespace blink {

/// Two nodes, indices into Topology::nodes, ascending.
using NodePair = std::pair<int, int>;

/// "gpu0:gpu3", as LinkEdit names the links between them.
std::string endsOf(const Topology &topology, NodePair pair);

/// All pairs of nodes that links join, whatever their kind and direction, each
/// once and ascending. A failure takes away all links of one pair:
/// removeLinks().
std::vector<NodePair> linkedPairs(const Topology &topology);

/// For each of `allocations`, sets of GPU numbers of `topology`, the pairs with
/// a link on a drivable path between two of its GPUs (DrivableLinks), over
/// links of `kinds`: ascending. Without the links of any other pair, the same
/// paths are there. Errors: a topology that fails its check or has more than
/// RankTopology::kMostPaired GPUs.
llvm::Expected<std::vector<std::vector<NodePair>>>
pairsThatMatter(const Topology &topology, LinkKindSet kinds,
                const std::vector<std::vector<int>> &allocations);

/// `allocations`, and all that are left of one of them after the loss of a GPU,
/// where two are left or more: each once, ascending by size, then GPUs.
std::vector<std::vector<int>>
withLostGpus(std::vector<std::vector<int>> allocations);

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_SINGLEFAILURES_H
