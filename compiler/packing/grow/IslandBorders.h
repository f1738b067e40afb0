//===- IslandBorders.h - the ways out of and into an island -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_GROW_ISLANDBORDERS_H
#define BLINK_COMPILER_PACKING_GROW_ISLANDBORDERS_H

#include "compiler/packing/grow/Islands.h"

namespace blink {

/// The links between a rank and the first node outside its island, in the order
/// in which data crosses them.
struct Crossing {
  Path links;
  int node;  ///< the node outside
  int group; ///< Crossings of one group lead to each other.
};

/// The crossings of each rank, found once on the paths along which trees grow.
/// Trees lead away from the root; for a reduce, data goes the other way. Paths
/// between islands that are joined without a node between them have none.
class IslandBorders {
public:
  IslandBorders(const PackingProblem &problem, const Islands &islands,
                const PathTable &table);

  int islandOf(int rank) const {
    return islands_.ofNode[problem_.rankTopology->nodeOf(rank)];
  }
  /// The crossings by which a rank's children in other islands are reached.
  const std::vector<Crossing> &exits(int rank) const { return exits_[rank]; }
  /// The crossings by which a rank is reached from other islands.
  const std::vector<Crossing> &entries(int rank) const {
    return entries_[rank];
  }
  int numGroups() const { return numGroups_; }

  /// Returns the path of data between a rank and its child by these crossings;
  /// empty if there is none. If both lead to one node, the two ranks may be of
  /// one island.
  Path pathBetween(int parent, const Crossing &exit, int child,
                   const Crossing &entry) const;

private:
  struct Sections {
    Path exit, between, entry;
    int out = -1, in = -1; ///< the nodes after `exit` and before `entry`
  };
  Sections divide(int parent, int child) const;
  void add(std::vector<Crossing> &crossings, Path links, int node);
  void findGroups(const std::vector<std::pair<int, int>> &joined);

  const PackingProblem &problem_;
  const Islands &islands_;
  const PathTable &table_;
  bool up_;
  std::vector<std::vector<Crossing>> exits_, entries_; // per rank
  int numGroups_ = 0;
};

} // namespace blink

#endif // BLINK_COMPILER_PACKING_GROW_ISLANDBORDERS_H
