//===- AllocationClasses.h - allocations that are alike ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A job may be given any GPUs of a machine. Many allocations are the same up to
// renaming, and one schedule serves all of them.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_SYMMETRY_ALLOCATIONCLASSES_H
#define BLINK_COMPILER_TOPOLOGY_SYMMETRY_ALLOCATIONCLASSES_H

#include "compiler/topology/Topology.h"

#include <memory>

namespace blink {

/// For each node of a topology, the node that it is renamed to; -1 for nodes
/// outside the renamed part of the machine.
using NodeMap = std::vector<int>;

/// The *part* of a machine that an allocation uses: its GPUs, and the links
/// that lie on drivable paths (RankTopology.h) between two of them, with the
/// ends of these links. A PCIe switch whose GPUs all belong to others is not in
/// the part, nor is a dead end. Paths that contain a loop do not count.
///
/// Two allocations are *alike* if a bijection of the nodes of their parts takes
/// GPUs to GPUs, transit nodes to transit nodes of the same kind that multicast
/// and reduce alike, links onto links of the same bandwidth, latency and kind,
/// and drivable paths onto drivable paths. A schedule and its certificate then
/// hold under other names, since the prices outside the part are 0.
struct AllocationClass {
  /// The representative: of the allocations that are alike, the least by size,
  /// then lexicographically, on the first machine that has one. GPU numbers,
  /// ascending: rank r is the r-th.
  std::vector<int> gpus;
  /// Per rank: the least rank that a symmetry of the part takes to it. Rooted
  /// collectives need one program for each rank that is its own least rank.
  std::vector<int> leastRank;
  /// Per rank: such a symmetry, from the part onto itself; the identity for
  /// ranks that are their own least rank.
  std::vector<NodeMap> symmetryTo;
  /// The machine that the representative is an allocation of: its number in the
  /// order of calls of classify(), from 0.
  int machine = 0;
};

struct ClassifiedAllocation {
  std::vector<int> gpus; ///< Ascending.
  int classIndex;
  /// Maps the part of the class's representative onto the part of this
  /// allocation; the identity on the part for the representative itself.
  NodeMap map;
};

/// Finds the classes of allocations whose schedules may use the link kinds
/// `kinds`. The allocations are on one machine, or on several machines with the
/// same nodes, classified one after the other: a whole machine, and what
/// failures leave of it. A class may have allocations on several machines; its
/// representative is the one that was classified first. GPUs outside an
/// allocation do not relay.
///
/// The result depends on the set of allocations only, not on their order. Maps
/// are exact. The search is bounded: if it gives up (PartIsomorphism.h), which
/// happens on no machine known to us, or if DrivableLinks.h returns a link that
/// no path uses, allocations that are alike may end in different classes, or
/// ranks that a symmetry exchanges in different orbits. That costs programs but
/// is never wrong.
class AllocationClassifier {
public:
  explicit AllocationClassifier(LinkKindSet kinds);
  ~AllocationClassifier();

  /// Classifies `allocations` of the next machine, sets of GPU numbers in any
  /// order. Returns them, and extends classes(), by size, then by GPUs. Errors:
  /// a topology that fails its check or has more than RankTopology::kMostPaired
  /// GPUs; an allocation that is empty, names a GPU that does not exist or one
  /// twice, or appears twice.
  llvm::Expected<std::vector<ClassifiedAllocation>>
  classify(const Topology &machine, std::vector<std::vector<int>> allocations);

  const std::vector<AllocationClass> &classes() const;

private:
  struct State;
  const std::unique_ptr<State> state_;
};

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_SYMMETRY_ALLOCATIONCLASSES_H
