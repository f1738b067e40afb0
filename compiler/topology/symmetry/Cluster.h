//===- Cluster.h - boxes of a cluster ---------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Servers that a network joins, each of one of a few kinds. Symmetries of such
// a machine are found on one box of each kind, however many boxes there are.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_SYMMETRY_CLUSTER_H
#define BLINK_COMPILER_TOPOLOGY_SYMMETRY_CLUSTER_H

#include "compiler/topology/Topology.h"
#include "schedules/Placement.h"

namespace blink {

/// A machine as a set of boxes. A box consists of GPUs and transit nodes that
/// are joined without crossing a nic, and of the nics that are linked to no
/// other box, nor to a nic of one. All other nodes are shared.
///
/// Two boxes are of one kind if their nodes, in the order of the topology, have
/// the same links to each other and to shared nodes, and their nics the same
/// devices. Other boxes, such as boxes at other shared nodes (in another rack),
/// are of different kinds. That can make more classes of placements than
/// necessary, but never a wrong one.
///
/// Permutations are lists of places, as in schedules/bundle.fbs: of the nodes
/// of one kind's box, or of the nodes of one box of each kind followed by the
/// shared nodes.
struct Cluster {
  struct Kind {
    int gpus = 0;
    std::vector<uint16_t> columns; ///< The column of each GPU.
    /// Permutations of a box's nodes.
    std::vector<std::vector<int>> swaps, turns;
  };
  struct Box {
    int kind = 0;
    std::vector<int> nodes; ///< GPUs, then transit nodes.
  };

  std::vector<Kind> kinds;
  std::vector<Box> boxes;
  std::vector<int> shared; ///< Nodes, ascending.
  std::vector<uint16_t> groups;
  std::vector<std::vector<int>> exchanges, turns;

  /// Returns the boxes and shared nodes alone: kinds only have their number of
  /// GPUs. There may be a single box.
  static Cluster findBoxes(const Topology &topology);

  /// Errors: a single box, or a box of more than
  /// sched::ClusterSymmetry::kMostBoxGpus GPUs.
  static llvm::Expected<Cluster> find(const Topology &topology);

  /// Returns the symmetry of the cluster in terms of GPUs only.
  sched::ClusterSymmetry symmetry(const Topology &topology) const;

  /// Returns the part of the machine that jobs on `boxes` use: the nodes of
  /// these boxes, the shared nodes, and the links among them.
  Topology part(const Topology &topology,
                const std::vector<uint16_t> &boxes) const;
};

/// A part of a topology, with its nodes and links in the same order.
struct TopologyPart {
  Topology topology;
  std::vector<int> links; ///< What each link is in the whole topology.
};

/// Returns the nodes that `kept` marks, and the links among them.
TopologyPart partOf(const Topology &topology, const std::vector<bool> &kept);

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_SYMMETRY_CLUSTER_H
