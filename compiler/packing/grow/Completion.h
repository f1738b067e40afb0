//===- Completion.h - can trees that were begun be completed? ---*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_GROW_COMPLETION_H
#define BLINK_COMPILER_PACKING_GROW_COMPLETION_H

#include "compiler/packing/Packing.h"

namespace blink {

/// Trees of one root and one weight while they grow, over links with room for
/// so many of them, and for each rank the flow which proves that they can still
/// be completed.
///
/// Let tree i have the ranks U_i. Edmonds' theorem on branchings, in the form
/// of Lovasz (1976) and Frank (1978): without switches, all trees can be
/// completed if and only if every set X of ranks is entered by as much free
/// room as there are trees i of which no rank of U_i is in X. By max-flow and
/// min-cut: for each rank t there are disjoint paths over free room, one to t
/// from some rank of U_i for each tree i that lacks t. And while that holds,
/// some edge can be added to each tree that is not complete such that it still
/// does. Switches that give on as much as they get change nothing (Bang-Jensen,
/// Frank and Jackson, 1995). Where the paths that can be driven are fewer than
/// those of the graph, the condition is necessary and may not suffice.
///
/// Nodes of one *class* are looked at as one, so that only sets X count that
/// hold all nodes of a class or none: fewer and smaller flows, and a condition
/// that is necessary.
class Completion {
public:
  /// `problem` is a broadcast or reduce and has passed check(). `room`: how
  /// many trees fit on each link of the topology. `classes`: of each node, from
  /// 0 without gaps, or -1 for nodes to be left out; empty: each node is one.
  /// `roots`: of each tree the rank where it begins; empty: the problem's.
  Completion(const PackingProblem &problem, std::vector<int> room, int trees,
             std::vector<int> classes = {}, const std::vector<int> &roots = {});

  /// Whether trees of their roots alone can be completed; to be asked first.
  bool begin();
  /// Gives `rank` to `tree`, which lacks it, by `path` from or to a rank that
  /// it has, if all trees can be completed then. Else nothing changes.
  bool take(int tree, int rank, const Path &path);
  /// Takes back what the last take() did, which took.
  void takeBack();

  /// Free trees of a link.
  int room(int link) const { return room_[link]; }

private:
  struct Arc {
    int arc, node; ///< an index, a class
  };
  /// The paths to one class: how often they use each arc, and the class where
  /// that of each tree begins, -1 for trees that have it.
  struct Flow {
    int target = 0;
    std::vector<int> uses;
    std::vector<int> entries;
  };
  /// How a search came to a class: over an arc, forwards or backwards, or by
  /// beginning the path of a tree there.
  struct Step {
    int before = -1, arc = -1, tree = -1;
    bool forward = false;
    unsigned search = 0; ///< of which it is
  };
  /// What a flow was before: of an arc, or of a tree's entry.
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
  std::vector<int> tails_, heads_; // of arcs, as seen from the root
  std::vector<std::vector<Arc>> out_, in_;
  std::vector<std::vector<int>> members_; // per tree: classes of U_i
  std::vector<std::vector<bool>> has_;    // likewise
  std::vector<bool> isTarget_;            // per class: it has ranks
  std::vector<int> entering_;             // per class: room to get there
  std::vector<int> lacking_;              // per class: trees that lack it
  std::vector<Flow> flows_;               // per target
  std::vector<Step> steps_;               // of a search, per class
  std::vector<int> queue_;
  unsigned search_ = 0;
  std::vector<unsigned> begins_; // per class: the last search that has entries
  // Of the last take().
  std::vector<Change> changes_;
  std::vector<int> pathArcs_;
  const Path *path_ = nullptr;
  int taker_ = -1, added_ = -1;
};

} // namespace blink

#endif // BLINK_COMPILER_PACKING_GROW_COMPLETION_H
