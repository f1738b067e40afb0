//===- ClusterProof.h - proof that a cluster is what is said ----*- C++ -*-===//
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

/// Judges what an index says of its cluster, by definition: nothing is believed
/// of how it was found. The bundle must outlive it.
class ClusterProof {
public:
  explicit ClusterProof(const sched::Bundle &index);

  /// No link joins two boxes; boxes of a kind have the same nodes and links;
  /// every swap, turn and exchange leaves nodes and links as they are. Then the
  /// whole cluster stays as it is under all of them, and under any renaming of
  /// boxes of a kind, and a schedule for the part of one placement is one for
  /// all that they carry it onto.
  Failure checkSymmetries() const;

  /// Whether `machine` is the part of the cluster that `boxes` and the shared
  /// nodes are.
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

  const sched::Bundle &index_;
  const sched::Cluster &cluster_;
  const sched::Topology &topology_;
  std::vector<int> boxOf_;       // by node; -1: shared
  std::vector<Nodes> kindNodes_; // of a box of each kind
  Nodes shared_;
  std::vector<std::vector<const sched::Link *>> links_; // by node: of it
};

} // namespace blink::verify

#endif // BLINK_COMPILER_VERIFY_CLUSTERPROOF_H
