//===- PathsByPrice.h - cheapest paths, again and again ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_FABRIC_PATHSBYPRICE_H
#define BLINK_COMPILER_TOPOLOGY_FABRIC_PATHSBYPRICE_H

#include "compiler/topology/fabric/RankTopology.h"

namespace blink {

/// RankTopology::cheapestPaths for prices that change thousands of times. Most
/// pairs of a server have one drivable path or a few: these are listed once,
/// and then compared. Where they are many, each price() searches anew.
class PathsByPrice {
public:
  /// `machine` must outlive this.
  explicit PathsByPrice(const RankTopology &machine);

  /// For one price (>= 0) a link.
  void price(const std::vector<double> &prices);
  /// The cheapest for the last prices, of equally cheap ones that of
  /// cheapestPaths. Empty if there is none. Valid until the next price().
  const Path &path(int from, int to) const { return table_.path(from, to); }

private:
  /// The paths of a pair that has several, those that win ties first.
  struct Choice {
    size_t place; ///< in table_
    std::vector<Path> paths;
  };
  bool listAll();

  const RankTopology &machine_;
  bool listed_ = false;
  std::vector<Choice> choices_;
  PathTable table_; ///< its costs are not kept up where paths are listed
};

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_FABRIC_PATHSBYPRICE_H
