//===- ClusterProof.h - proof of what is said of a cluster ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_VERIFY_CLUSTERPROOF_H
#define BLINK_COMPILER_VERIFY_CLUSTERPROOF_H

#include "compiler/verify/PathRules.h"
#include "schedules/BundleFile.h"

#include <map>
#include <tuple>
#include <vector>

namespace blink::verify {

/// Checks what an index says of its cluster from the definitions, without
/// relying on how it was found. The bundle must outlive it.
class ClusterProof {
public:
  explicit ClusterProof(const sched::Bundle &index);

  /// Checks that no link joins two boxes, that boxes of a kind have the same
  /// nodes and links, and that every swap, turn and exchange preserves nodes
  /// and links. Then the whole cluster is preserved by all of them and by any
  /// renaming of boxes of a kind, and a schedule for the part of one placement
  /// is right for all placements that they map it to.
  Failure checkSymmetries() const;

  /// Checks that `machine` is the part of the cluster that consists of `boxes`
  /// and the shared nodes.
  Failure checkPart(const sched::Topology &machine,
                    const std::vector<uint16_t> &boxes) const;

private:
  using Look = std::tuple<sched::LinkKind, double, double>;
  using Arc = std::tuple<uint32_t, uint32_t, Look>;
  using Nodes = std::vector<uint32_t>;

  Failure checkBoxes() const;
  Failure checkPermutation(const Nodes &nodes, const Nodes &images,
                           const std::string &what) const;
  bool alike(uint32_t a, uint32_t b) const;

  const sched::Cluster &cluster_;
  const sched::Topology &topology_;
  std::vector<int> boxOf_;       // by node; -1: shared
  std::vector<Nodes> kindNodes_; // of one box of each kind
  Nodes shared_;
  std::vector<std::vector<const sched::Link *>> links_; // by node: links at it
};

} // namespace blink::verify

#endif // BLINK_COMPILER_VERIFY_CLUSTERPROOF_H
