//===- Cluster.h - boxes that a machine is made of --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Servers that a network joins, each of a few kinds: what may change places
// there, found on one box of each kind, however many there are.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_SYMMETRY_CLUSTER_H
#define BLINK_COMPILER_TOPOLOGY_SYMMETRY_CLUSTER_H

#include "compiler/topology/Topology.h"
#include "schedules/Placement.h"

namespace blink {

/// A machine as boxes. GPUs and transit nodes that are joined without crossing
/// a nic are a box, together with the nics at no other one; all else is shared.
///
/// Two boxes are of one kind when their nodes, in the order of the topology,
/// have the same links, among each other and to shared nodes, and nics the same
/// devices. Unlike boxes, and
/// boxes at unlike shared nodes (of another rack), are of different kinds: that
/// costs classes of placements and is never wrong.
///
/// Permutations are lists of places, as in schedules/bundle.fbs: of a kind's
/// nodes, or of one box of each kind and the shared nodes behind them.
struct Cluster {
  struct Kind {
    int gpus = 0;
    std::vector<uint16_t> columns;              ///< of each GPU
    std::vector<std::vector<int>> swaps, turns; ///< of a box's nodes
  };
  struct Box {
    int kind = 0;
    std::vector<int> nodes; ///< GPUs, then transit nodes
  };

  std::vector<Kind> kinds;
  std::vector<Box> boxes;
  std::vector<int> shared; ///< nodes, ascending
  std::vector<uint16_t> groups;
  std::vector<std::vector<int>> exchanges, turns;

  /// Errors: a single box, or one of more GPUs than
  /// sched::ClusterSymmetry::kMostBoxGpus.
  static llvm::Expected<Cluster> find(const Topology &topology);

  /// Of GPUs alone.
  sched::ClusterSymmetry symmetry(const Topology &topology) const;

  /// The part of the machine that jobs on `boxes` use: all nodes of these and
  /// the shared ones, with the links among them.
  Topology part(const Topology &topology,
                const std::vector<uint16_t> &boxes) const;
};

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_SYMMETRY_CLUSTER_H
