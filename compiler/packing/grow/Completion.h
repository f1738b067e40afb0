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
class Completion {
public:
  /// `problem` is a broadcast or reduce and has passed check(). `room`: how
  /// many trees fit on each link of the topology.
  Completion(const PackingProblem &problem, std::vector<int> room, int trees);

  /// Whether trees of the root alone can be completed; to be asked first.
  bool begin();
  /// Gives `rank` to `tree`, which lacks it, by `path` from or to a rank that
  /// it has, if all trees can be completed then. Else nothing changes.
  bool take(int tree, int rank, const Path &path);

  /// Free trees of a link.
  int room(int link) const { return room_[link]; }

private:
  struct Arc {
    int link, node;
  };
  /// The paths to one rank: how often they use each link, and the node where
  /// that of each tree begins, -1 for trees that have the rank.
  struct Flow {
    std::vector<int> uses;
    std::vector<int> entries;
  };
  /// How a search came to a node: over a link, forwards or backwards, or by
  /// beginning the path of a tree there.
  struct Step {
    int before = -1, link = -1, tree = -1;
    bool forward = false;
  };

  bool augment(Flow &flow, int from, int to);
  bool removePath(Flow &flow, int from, int to);
  bool adapt(Flow &flow, int target, int tree, int node, const Path &path);
  void startSearch(int from);
  void reach(int node, Step step);

  const PackingProblem &problem_;
  std::vector<int> room_;
  std::vector<int> tails_, heads_; // of links, as seen from the root
  std::vector<std::vector<Arc>> out_, in_;
  std::vector<std::vector<int>> members_; // per tree: nodes of U_i
  std::vector<Flow> flows_;               // per rank
  std::vector<Step> steps_;               // of a search, per node
  std::vector<int> queue_;
};

} // namespace blink

#endif // BLINK_COMPILER_PACKING_GROW_COMPLETION_H
