//===- PathsByPrice.h - cheapest paths for many prices ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_FABRIC_PATHSBYPRICE_H
#define BLINK_COMPILER_TOPOLOGY_FABRIC_PATHSBYPRICE_H

#include "compiler/topology/fabric/RankTopology.h"

namespace blink {

/// RankTopology::cheapestPaths for prices that change thousands of times. Most
/// pairs of ranks on a server have one drivable path or a few: these paths are
/// listed once, and then each price() only compares them. If there are many,
/// each price() runs a new search.
class PathsByPrice {
public:
  /// `machine` must outlive this object.
  explicit PathsByPrice(const RankTopology &machine);

  /// Finds the cheapest paths for `prices`, one price (>= 0) per link.
  void price(const std::vector<double> &prices);
  /// Returns the cheapest path for the last prices; on a tie, the one that
  /// cheapestPaths returns. Empty if there is none. Valid until the next
  /// price().
  const Path &path(int from, int to) const { return table_.path(from, to); }

private:
  /// The paths of a pair that has several, in the order in which they win ties.
  struct Choice {
    size_t place; ///< Index into table_.paths.
    std::vector<Path> paths;
  };
  bool listAll();

  const RankTopology &machine_;
  bool listed_ = false;
  std::vector<Choice> choices_;
  PathTable table_; ///< Its costs are not updated when paths are listed.
};

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_FABRIC_PATHSBYPRICE_H
