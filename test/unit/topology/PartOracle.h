//===- PartOracle.h - allocations compared by definition --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Decides what AllocationClasses.h promises by listing every path and trying
// every map. Shares nothing with the library but RankTopology.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_UNIT_TOPOLOGY_PARTORACLE_H
#define BLINK_TEST_UNIT_TOPOLOGY_PARTORACLE_H

#include "compiler/topology/fabric/RankTopology.h"

#include <set>
#include <string>
#include <vector>

namespace blink::test {

/// An allocation with the part of the machine that it uses. Lists all paths, so
/// it is for small machines only.
class PartOracle {
public:
  PartOracle(const Topology &topology, LinkKindSet kinds,
             std::vector<int> gpus);

  const std::set<int> &links() const { return links_; }
  /// Returns the links on drivable paths from one rank to another.
  std::set<int> linksBetween(int from, int to) const;

  /// Returns true if `map` renames this part to the other one, path by path.
  /// `map` has one entry per node of the topology, -1 outside the part.
  bool isEmbedding(const std::vector<int> &map, const PartOracle &other) const;

  /// Whether some map does so; if given, one that maps rank `from` to rank
  /// `to`.
  bool isAlike(const PartOracle &other, int from = -1, int to = -1) const;

private:
  /// Returns all paths from rank to rank over `links` that cross no GPU and do
  /// not visit a node twice in the same state (kinds of links and relays
  /// passed).
  std::vector<Path> ways(int from, int to, const std::set<int> &links) const;
  std::string look(int node) const;
  std::string between(int from, int to) const; ///< nodes
  bool extend(const PartOracle &other, std::vector<int> &images, int from,
              int to) const;

  RankTopology rankTopology_;
  std::set<int> links_;
  std::vector<int> nodes_;               // of the part; ranks' nodes first
  std::set<std::pair<int, int>> barred_; // ranks' nodes with a forbidden path
  // What joins two nodes of nodes_; on the diagonal, what the node itself is.
  std::vector<std::vector<std::string>> matrix_;
};

} // namespace blink::test

#endif // BLINK_TEST_UNIT_TOPOLOGY_PARTORACLE_H
