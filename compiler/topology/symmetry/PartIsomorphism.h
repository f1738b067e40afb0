//===- PartIsomorphism.h - isomorphism of machine parts ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The isomorphism search behind AllocationClasses.h.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_SYMMETRY_PARTISOMORPHISM_H
#define BLINK_COMPILER_TOPOLOGY_SYMMETRY_PARTISOMORPHISM_H

#include "compiler/topology/symmetry/TwinColoring.h"

#include <optional>
#include <utility>
#include <vector>

namespace blink {

/// A graph with colours on its nodes and arcs, prepared for comparison with
/// many others.
///
/// Nodes that can be swapped without a change anywhere else (*twins*: GPUs on
/// one switch, or GPUs each joined to all others) form groups. A map that takes
/// one member of a group somewhere can take its other members there in any
/// order. The search therefore looks at one node per group, and many equal GPUs
/// cost nothing.
class PartGraph {
public:
  /// `nodeColors` are the colours of the nodes. Each arc is listed at both of
  /// its ends, with colours that tell its direction.
  PartGraph(ColoredGraph graph, std::vector<int> nodeColors);

  int numNodes() const { return static_cast<int>(nodeColors_.size()); }

  /// Equal for isomorphic graphs, and rarely equal for others: the hashed and
  /// sorted colours of groups after refinement.
  const std::vector<uint64_t> &invariant() const { return invariant_; }

  /// Returns true if an automorphism swaps the two nodes and moves no other.
  bool areTwins(int a, int b) const { return groupOf_[a] == groupOf_[b]; }

  /// Returns an isomorphism from `left` to `right` as the image of each node;
  /// with `pin`, one that takes pin->first to pin->second. Deterministic, and
  /// exact: each returned map was checked arc by arc.
  ///
  /// The search (individualisation and refinement, McKay 1981) gives up after
  /// kMostDeadEnds dead ends and then reports that there is none. For finding
  /// classes that is safe: it splits one class into two.
  static std::optional<std::vector<int>>
  isomorphism(const PartGraph &left, const PartGraph &right,
              std::optional<std::pair<int, int>> pin = std::nullopt);

  static constexpr int kMostDeadEnds = 500;

private:
  class Search;
  bool canSwap(int a, int b) const;
  void findGroups();
  void colorGroups();
  bool isImage(const PartGraph &left, const std::vector<int> &map) const;

  ColoredGraph graph_; // arcs sorted
  std::vector<int> nodeColors_;
  std::vector<int> groupOf_;
  std::vector<std::vector<int>> groups_; // members ascending
  ColoredGraph groupGraph_;              // of the groups' first members
  std::vector<int> groupColors_; // indices into the sorted distinct hashes
  std::vector<uint64_t> invariant_;
};

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_SYMMETRY_PARTISOMORPHISM_H
