//===- SingleFailures.h - failures of one link or GPU -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Single failures for which schedules can be made in advance: jobs that have
// lost one GPU, and machines that have lost one link.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_SINGLEFAILURES_H
#define BLINK_COMPILER_TOPOLOGY_SINGLEFAILURES_H

#include "compiler/topology/Topology.h"

namespace blink {

/// Two nodes, indices into Topology::nodes, ascending.
using NodePair = std::pair<int, int>;

/// Returns "gpu0:gpu3", the form in which LinkEdit names the links between two
/// nodes.
std::string endsOf(const Topology &topology, NodePair pair);

/// Returns all pairs of nodes that a link joins, whatever its kind and
/// direction, each once and ascending. A failure removes all links of one pair
/// (see removeLinks()).
std::vector<NodePair> linkedPairs(const Topology &topology);

/// Returns, for each of `allocations` (sets of GPU numbers of `topology`), the
/// pairs that have a link on a drivable path between two of its GPUs
/// (DrivableLinks) over links of `kinds`, ascending. Removing the links of any
/// other pair leaves the allocation's paths as they are. Errors: a topology
/// that fails its check or has more than RankTopology::kMostPaired GPUs.
llvm::Expected<std::vector<std::vector<NodePair>>>
pairsThatMatter(const Topology &topology, LinkKindSet kinds,
                const std::vector<std::vector<int>> &allocations);

/// Returns `allocations` together with every set that the loss of one GPU
/// leaves of one of them, if at least two GPUs are left: each set once,
/// ascending by size, then by GPUs.
std::vector<std::vector<int>>
withLostGpus(std::vector<std::vector<int>> allocations);

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_SINGLEFAILURES_H
