//===- PartOracle.h - allocations compared by definition --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What AllocationClasses.h promises, decided by listing every path and trying
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

/// An allocation with the part of the machine that it uses. For small machines:
/// lists all paths.
class PartOracle {
public:
  PartOracle(const Topology &topology, LinkKindSet kinds,
             std::vector<int> gpus);

  const std::set<int> &links() const { return links_; }
  /// Links on drivable paths from one rank to another.
  std::set<int> linksBetween(int from, int to) const;

  /// Whether `map`, one entry a node of the topology and -1 outside the part,
  /// renames this part to the other: path by path.
  bool isEmbedding(const std::vector<int> &map, const PartOracle &other) const;

  /// Whether some map does, one that takes rank `from` to rank `to` if given.
  bool isAlike(const PartOracle &other, int from = -1, int to = -1) const;

private:
  /// All ways from rank to rank over `links` that cross no GPU and visit no
  /// node twice with the same kinds of links and relays behind them.
  std::vector<Path> ways(int from, int to, const std::set<int> &links) const;
  std::string look(int node) const;
  std::string between(int from, int to) const; ///< nodes
  bool extend(const PartOracle &other, std::vector<int> &images, int from,
              int to) const;

  RankTopology rankTopology_;
  std::set<int> links_;
  std::vector<int> nodes_;               // of the part, those of ranks first
  std::set<std::pair<int, int>> barred_; // nodes of ranks with a way not to go
  // Per two places in nodes_, what joins them; what a node is where they are
  // one.
  std::vector<std::vector<std::string>> matrix_;
};

} // namespace blink::test

#endif // BLINK_TEST_UNIT_TOPOLOGY_PARTORACLE_H
