//===- Packing.h - the tree packing problem and its solutions ---*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The problem apart from its solvers, in the manner of CIRCT's scheduling
// library: check() judges an input, verify() judges an output, and neither
// shares code with the solvers. To know the loads of links, verify() follows
// each chain of a tree separately.
//
// Fluid limit, full duplex links. Per unit of time a forest moves w_t units of
// data along tree t. Everything rests on this inequality, for every link l:
//
//     sum over trees t of  w_t * (times t uses l)  <=  bandwidth(l)
//
// What is maximised:
//   broadcast, reduce   sum of w_t, all trees rooted at the one root
//   allreduce           sum of w_t, roots free; a tree is an in-tree and an
//                       out-tree of one root
//   allgather,          n * x, where the trees of every root carry x
//   reducescatter
//   scatter, gather     n * sum of w_t, all trees rooted at the one root; an
//                       edge carries w_t for each rank behind it
//   alltoall            n * x, where the trees of every root carry x, and an
//                       edge carries w_t for each rank behind it
//   sendrecv            the least rate x over all pairs of ranks, where each
//                       pair has the links to itself: the load of a link is
//                       not a sum but the most that any pair brings
//
// In the last four, the *routed* collectives, a tree is a choice of a chain
// from the root to each other rank (or back). Each block has different data, so
// nothing is copied or reduced on the way, and an edge is used once for each
// rank on its far side. The trees of a sendrecv are stars.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_PACKING_H
#define BLINK_COMPILER_PACKING_PACKING_H

#include "compiler/packing/order/Association.h"
#include "compiler/topology/fabric/SwitchStars.h"
#include "compiler/topology/symmetry/Symmetry.h"

namespace blink {

/// Up to this many ranks, trees are selected one by one, because a symmetric
/// selection is rarely the smallest. For more ranks a search among single trees
/// is hopeless: all images of a tree are selected together, or trees are grown.
inline constexpr int kFewRanks = 16;

/// One hop of a tree, in the direction the data moves.
struct TreeEdge {
  int from; ///< rank
  int to;   ///< rank
  Path path;

  bool operator==(const TreeEdge &other) const {
    return from == other.from && to == other.to && path == other.path;
  }
};

/// A spanning arborescence with a root and a weight. `up` carries contributions
/// to the root and lists children before their parents; `down` carries results
/// away and lists parents before their children. Allreduce has both; reduce,
/// reducescatter and gather only `up`; broadcast, allgather, scatter, alltoall
/// and sendrecv only `down`. With one rank both are empty.
///
/// If sums have an order (PackingProblem::association), `up` has one edge for
/// each node of the association but the last, in the association's order. It
/// leads from the rank that holds the node to the rank that adds it, and has no
/// path if the two are the same rank.
struct Tree {
  int root = 0; ///< rank
  std::vector<TreeEdge> up;
  std::vector<TreeEdge> down;
  double weight = 0; ///< GB/s
  /// What a switch does for this tree. In a part for which a switch works,
  /// every edge joins the root with another rank over that switch. The tree
  /// uses each link of that part once, and also once the root's own links to
  /// and from the switch.
  SwitchUse switchUse = {};

  /// Returns the most hops between the root and any rank, in either part.
  int depth(int numRanks) const;

  bool operator==(const Tree &other) const {
    return root == other.root && up == other.up && down == other.down &&
           weight == other.weight && switchUse == other.switchUse;
  }
};

/// Returns the image of `tree` under `element` of the group.
Tree imageOf(const Symmetry &symmetry, int element, const Tree &tree);

/// A solution: trees sorted by (root, content), each with a weight above zero.
struct Packing {
  /// With `symmetry`, only the trees of its representatives: the packing
  /// consists of all images of each.
  std::vector<Tree> trees;
  double algbw = 0; ///< GB/s of the whole buffer; infinite for one rank
  /// The group whose images the packing contains; null if `trees` is complete.
  /// A packing over many ranks has one if its machine has a symmetry and the
  /// job has no relays and no root.
  std::shared_ptr<const Symmetry> symmetry = nullptr;

  int numTrees() const {
    return int(trees.size()) * (symmetry ? symmetry->order() : 1);
  }
  /// Returns the same packing without `symmetry`. Each root's images come in
  /// the order of the trees that they are images of.
  Packing inFull() const;
};

/// Prices that prove a bound on the rate. See Certificate in
/// schedules/schedule.fbs.
struct PackingCertificate {
  /// Prices below this fraction of the highest one are rounding errors of the
  /// solver; their links are not scarce.
  static constexpr double kDust = 1e-7;

  std::vector<double> prices; ///< one per link of the topology, 0 if not usable
  double bound = 0;           ///< GB/s; infinite for one rank
};

struct PackingProblem {
  const RankTopology *rankTopology = nullptr; ///< not owned
  Collective collective = Collective::allreduce;
  int root = 0; ///< rank; read only if isRooted(collective)
  /// The order in which all trees add the contributions of ranks; null if each
  /// tree may use any order. Not owned. Only for collectives that reduce, over
  /// two ranks or more; `rankTopology` must then let ranks forward
  /// (RankTopology::withForwarding).
  const Association *association = nullptr;
  /// The switches that may work for trees. Must be empty if sums have an order
  /// and for routed collectives.
  std::vector<SwitchStar> switches = {};
  /// The symmetry modulo which solvers work; null for the one that
  /// Symmetry::find finds.
  std::shared_ptr<const Symmetry> symmetry = nullptr;

  /// Checks that the problem can be solved. Errors: a root outside the
  /// allocation; ranks that cannot reach each other (the error names the
  /// parts); more than RankTopology::kMostPaired ranks, unless the problem is a
  /// plain allreduce, allgather or reducescatter.
  llvm::Error check() const;

  /// Checks that `packing` is a solution: every tree spans all ranks from its
  /// root, every path is drivable, loads are within bandwidth, and the rate
  /// follows from the weights, to `tolerance` relative. The error names the
  /// tree or link.
  llvm::Error verify(const Packing &packing, double tolerance = 1e-9) const;

  /// Returns the load of each link of the topology in GB/s when the packing,
  /// images included, runs at its weights.
  std::vector<double> linkLoads(const Packing &packing) const;
};

/// Returns the links of one part of a tree for which a switch works, each once,
/// in ascending order.
std::vector<int> linksOfSwitch(const std::vector<TreeEdge> &edges,
                               const SwitchUse &use);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_PACKING_H
