//===- Completion.h - can trees that were begun be completed? ---*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_GROW_COMPLETION_H
#define BLINK_COMPILER_PACKING_GROW_COMPLETION_H

#include "compiler/packing/Packing.h"

namespace blink {

/// Growing trees of one root and one weight, links with room for a number of
/// them, and for each rank the flow that proves that all trees can still be
/// completed.
///
/// Let tree i have the ranks U_i. Edmonds' theorem on branchings, in the form
/// of Lovasz (1976) and Frank (1978), says: without switches, all trees can be
/// completed if and only if every set X of ranks is entered by at least as much
/// free room as there are trees i without a rank of U_i in X. By max-flow and
/// min-cut this means that for each rank t there are disjoint paths over free
/// room, one for each tree i that lacks t, from some rank of U_i to t. While
/// that holds, each incomplete tree has an edge that can be added without
/// breaking it. Switches that send on as much as they receive change nothing
/// (Bang-Jensen, Frank and Jackson, 1995). If the paths that can be driven are
/// fewer than those of the graph, the condition is necessary but may not
/// suffice.
///
/// Nodes of one *class* are treated as one, so that only sets X count that
/// contain all nodes of a class or none. The flows are then fewer and smaller,
/// but the condition is only necessary.
class Completion {
public:
  /// `problem` is a broadcast or reduce that has passed check(). `room` is the
  /// number of trees that fit on each link of the topology. `classes` gives the
  /// class of each node, from 0 without gaps, or -1 for nodes to be left out;
  /// if it is empty, each node is a class. `roots` gives the rank where each
  /// tree begins; if it is empty, all begin at the problem's root.
  Completion(const PackingProblem &problem, std::vector<int> room, int trees,
             std::vector<int> classes = {}, const std::vector<int> &roots = {});

  /// Returns true if trees that consist of their roots alone can be completed;
  /// must be called first.
  bool begin();
  /// Adds `rank`, which `tree` lacks, to `tree` by `path` from or to a rank
  /// that it has, if all trees can still be completed then. Otherwise changes
  /// nothing and returns false.
  bool take(int tree, int rank, const Path &path);
  /// Undoes the last take(), which must have returned true.
  void takeBack();

  /// The number of trees that still fit on a link.
  int room(int link) const { return room_[link]; }

private:
  struct Arc {
    int arc, node; ///< arc index, class
  };
  /// The paths to one class: how often they use each arc, and the class where
  /// the path of each tree begins (-1 for trees that have the target).
  struct Flow {
    int target = 0;
    std::vector<int> uses;
    std::vector<int> entries;
  };
  /// How a search reached a class: over an arc, forwards or backwards, or by
  /// beginning the path of a tree there.
  struct Step {
    int before = -1, arc = -1, tree = -1;
    bool forward = false;
    unsigned search = 0; ///< number of the search that set it
  };
  /// The former value of a flow: of an arc's use or of a tree's entry.
  struct Change {
    size_t flow;
    bool isEntry;
    int index, former;
  };

  int classOf(int rank) const;
  void setUse(size_t flow, int arc, int uses);
  void setEntry(size_t flow, int tree, int node);
  bool augment(size_t flow, int from, int to);
  bool removePath(size_t flow, int from, int to);
  bool adapt(size_t flow, int tree, int node);
  bool hasRoom() const;
  bool adaptAll(int tree, int node);
  void startSearch(int from);
  bool isReached(int node) const { return steps_[node].search == search_; }
  void reach(int node, const Step &step);

  const PackingProblem &problem_;
  std::vector<int> room_;
  std::vector<int> classes_;       // per node
  std::vector<int> arcOf_;         // per link; -1: none
  std::vector<int> free_;          // per arc
  std::vector<int> tails_, heads_; // of arcs, which lead away from the root
  std::vector<std::vector<Arc>> out_, in_;
  std::vector<std::vector<int>> members_; // per tree: classes of U_i
  std::vector<std::vector<bool>> has_;    // per tree: whether it has a class
  std::vector<bool> isTarget_;            // per class: whether it has ranks
  std::vector<int> entering_;             // per class: room into it
  std::vector<int> lacking_;              // per class: trees that lack it
  std::vector<Flow> flows_;               // per target
  std::vector<Step> steps_;               // per class, of the searches
  std::vector<int> queue_;
  unsigned search_ = 0;
  std::vector<unsigned> begins_; // per class: last search with an entry here
  // Of the last take():
  std::vector<Change> changes_;
  std::vector<int> pathArcs_;
  const Path *path_ = nullptr;
  int taker_ = -1, added_ = -1;
};

} // namespace blink

#endif // BLINK_COMPILER_PACKING_GROW_COMPLETION_H
