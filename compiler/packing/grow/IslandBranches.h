//===- IslandBranches.h - trees within one island ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_GROW_ISLANDBRANCHES_H
#define BLINK_COMPILER_PACKING_GROW_ISLANDBRANCHES_H

#include "compiler/packing/grow/GrowTrees.h"
#include "compiler/packing/grow/IslandBorders.h"

#include <optional>

namespace blink {

/// How trees reach the ranks of one island: each rank is the root, or has a
/// parent in the island, or is entered from outside. An edge between islands
/// costs an exit and an entry, while an edge within does not, so a tree enters
/// as rarely as the links inside allow, but as often as they require. For the
/// outside, the island is a rank that has all trees; for the island of the
/// root, the outside is a rank that lacks them. By Edmonds' theorem the trees
/// can be completed if each set of the island's ranks has room to receive them
/// (Completion.h), which is decided edge by edge.
class IslandBranches {
public:
  /// `room` is the number of trees that fit on each link. `borders` and `table`
  /// must outlive this.
  IslandBranches(const PackingProblem &problem, const Islands &islands,
                 int island, const IslandBorders &borders,
                 const PathTable &table, std::vector<int> room,
                 const GrowRequest &request);

  /// Returns false if growth got stuck.
  bool grow();

  /// The ranks of the island, ascending. Below, a rank is a place in this list.
  const std::vector<int> &ranks() const { return ranks_; }
  int room(int link) const { return within_.room(link); }

  struct Place {
    int depth = -1;  ///< below the entry or the root
    int parent = -1; ///< in this list; -1: none in the island
    Path path;       ///< between rank and parent
    int entry = -1;  ///< number of the crossing; -1: not entered here
    int children = 0;
  };
  const Place &place(int tree, size_t at) const { return places_[tree][at]; }
  /// In the island of the root: the place and the crossing by which the tree
  /// first leaves it. Room for that is taken.
  struct Exit {
    size_t at = 0;
    int crossing = -1;
  };
  const Exit &exit(int tree) const { return firstExits_[tree]; }

private:
  bool addEdge(int tree);
  bool leave(int tree);
  bool hang(int tree);
  bool enter(int tree);
  int roomOf(const Path &path) const;
  uint32_t turnOf(int tree, size_t at) const;

  const IslandBorders &borders_;
  const PathTable &table_;
  int copies_, mostChildren_;
  bool up_;
  int island_;
  bool isHome_;
  int outside_ = -1; ///< some rank of another island
  std::vector<int> ranks_;
  Completion within_;
  std::vector<std::vector<Place>> places_; // per tree
  std::vector<Exit> firstExits_;           // per tree
  std::vector<int> entered_;               // per place: trees that enter there
  std::vector<std::vector<bool>> refused_; // per tree: by parent and child
  size_t missing_;
};

} // namespace blink

#endif // BLINK_COMPILER_PACKING_GROW_ISLANDBRANCHES_H
