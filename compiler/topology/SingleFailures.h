//===- SingleFailures.h - what may break, one thing at a time ---*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The machines that remain after one failure, up to symmetry: those for which
// schedules can be made before anything fails.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_SINGLEFAILURES_H
#define BLINK_COMPILER_TOPOLOGY_SINGLEFAILURES_H

#include "compiler/topology/Symmetry.h"

namespace blink {

/// All bandwidth between two adjacent nodes, of every kind and in both
/// directions, is gone: removeLinks(topology, nodeA, nodeB).
struct FailedLink {
  int nodeA; ///< index into Topology::nodes; below nodeB
  int nodeB;
  /// The element of the symmetry that takes the class's representative here. It
  /// renames the ranks of a schedule for that failure to those of one for this.
  int element;
};

/// Failures that the symmetry takes to each other, ascending by nodes; the
/// first is the representative.
using FailedLinkClass = std::vector<FailedLink>;

/// Every failure of a link that some path between the fabric's GPUs can use
/// (PathLinks), in classes that ascend by their representatives.
///
/// `symmetry` is of `fabric`. Symmetry::find does where all ranks are alike; a
/// collective with a root needs Symmetry::trivial. As its group is not always
/// that of all automorphisms, two classes may be the same machine renamed.
std::vector<FailedLinkClass> failedLinkClasses(const Fabric &fabric,
                                               const Symmetry &symmetry);

/// A GPU of the allocation is gone.
struct LostGpu {
  int rank;              ///< that it had
  std::vector<int> gpus; ///< the allocation that remains, in order
};

/// Every such loss, by rank; none if there is one GPU alone. Losses of ranks
/// with the same Symmetry::representative are the same up to symmetry. The
/// fabric's relays stay what they are: a GPU that is lost must not become one.
std::vector<LostGpu> lostGpus(const Fabric &fabric);

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_SINGLEFAILURES_H
