//===- AllocationClasses.h - allocations that are alike ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A job may be given any GPUs of a machine. Many such allocations are the same
// up to renaming, and one schedule serves all of them.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_SYMMETRY_ALLOCATIONCLASSES_H
#define BLINK_COMPILER_TOPOLOGY_SYMMETRY_ALLOCATIONCLASSES_H

#include "compiler/topology/Topology.h"

#include <memory>

namespace blink {

/// For each node of a topology the node it is renamed to; -1 for nodes outside
/// the part of the machine that is renamed.
using NodeMap = std::vector<int>;

/// The *part* of a machine that an allocation uses: its GPUs, and the links
/// that lie on drivable paths (RankTopology.h) between two of them, with their
/// ends. A PCIe switch whose GPUs belong to others is no part of it, nor is
/// anything at the end of a route that leads nowhere else. Paths that loop do
/// not count.
///
/// Two allocations are *alike* when a bijection of the nodes of their parts
/// takes GPUs to GPUs, transit nodes to such of the same kind that multicast
/// and reduce alike, links onto links of the same bandwidth, latency and kind,
/// and drivable paths onto drivable paths. So a schedule and its certificate,
/// whose prices outside the part are 0, hold under other names.
struct AllocationClass {
  /// The representative: of the classified allocations that are alike the least
  /// by size, then lexicographically. GPU numbers, ascending: rank r is the
  /// r-th of them.
  std::vector<int> gpus;
  /// Per rank: the least rank that a symmetry of the part takes to it. Rooted
  /// collectives need one program for each rank that is its own least one.
  std::vector<int> leastRank;
  /// Per rank: such a symmetry, from the part onto itself; the identity for
  /// ranks that are their own least ones.
  std::vector<NodeMap> symmetryTo;
  /// The machine that the representative is an allocation of: how many others
  /// were looked at before it. 0 where there is one machine.
  int machine = 0;
};

struct ClassifiedAllocation {
  std::vector<int> gpus; ///< ascending
  int classIndex;
  /// From the part of the class's representative onto the part of this
  /// allocation; the identity on the part for the representative itself.
  NodeMap map;
};

/// Finds the classes of allocations of a machine of which schedules may use the
/// link kinds `kinds`; or of several machines on the same nodes, one after the
/// other: a whole one, and what is left of it after failures. Classes go across
/// machines; the representative is the first that was classified. GPUs outside
/// an allocation do not relay.
///
/// The result depends on the set of allocations alone, not on their order. Maps
/// are exact. The search is bounded: where it gives up (PartIsomorphism.h),
/// which no machine known to us makes it do, or where an irrelevant link is
/// counted (DrivableLinks.h), allocations that are alike may end in different
/// classes, or ranks that a symmetry exchanges in different orbits. That costs
/// programs and is never wrong.
class AllocationClassifier {
public:
  explicit AllocationClassifier(LinkKindSet kinds);
  ~AllocationClassifier();

  /// Classifies `allocations` of the next machine: sets of GPU numbers in any
  /// order. Errors: a topology that fails its check or has more than
  /// RankTopology::kMostPaired GPUs; an allocation that is empty, names a GPU
  /// that does not exist or one twice, or appears twice. By size, then GPUs; so
  /// are classes(), by their representatives.
  llvm::Expected<std::vector<ClassifiedAllocation>>
  classify(const Topology &machine, std::vector<std::vector<int>> allocations);

  const std::vector<AllocationClass> &classes() const;

private:
  struct State;
  const std::unique_ptr<State> state_;
};

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_SYMMETRY_ALLOCATIONCLASSES_H
