//===- PartIsomorphism.h - are two parts of a machine alike -----*- C++ -*-===//
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

/// A graph whose nodes and arcs have colours, prepared for comparing it with
/// many others.
///
/// Nodes that can be swapped without a change anywhere else (*twins*: GPUs on
/// one switch, or each joined to all others) stand in groups. Whatever maps one
/// of a group somewhere can map the others there in any order, so the search
/// nodeColors at one node a group, and many equal GPUs cost it nothing.
class PartGraph {
public:
  /// `nodeColors` are the colours of nodes. An arc is listed at both of its
  /// ends, with colours that tell the direction.
  PartGraph(ColoredGraph graph, std::vector<int> nodeColors);

  int numNodes() const { return static_cast<int>(nodeColors_.size()); }

  /// Equal for isomorphic graphs, and for few others: colours of groups after
  /// refinement, hashed and sorted.
  const std::vector<uint64_t> &invariant() const { return invariant_; }

  /// Whether an automorphism that moves nothing else swaps two nodes.
  bool areTwins(int a, int b) const { return groupOf_[a] == groupOf_[b]; }

  /// An isomorphism from `left` to `right`, the image of each node; with `pin`
  /// one that takes pin->first to pin->second. Deterministic, and exact:
  /// whatever is returned was checked arc by arc.
  ///
  /// The search (individualisation and refinement, McKay 1981) gives up at
  /// kMostDeadEnds dead ends and then says that there is none. For finding
  /// classes that is safe: it makes one class two.
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
  ColoredGraph groupGraph_;              // of the first members
  std::vector<int> groupColors_;         // places among distinct invariants
  std::vector<uint64_t> invariant_;
};

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_SYMMETRY_PARTISOMORPHISM_H
