//===- Packing.h - the tree packing problem and its solutions ---*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The problem apart from its solvers, in the manner of CIRCT's scheduling
// library: check() judges an input, verify() judges an output, and neither
// shares code with the solvers: verify() follows each chain of a tree by itself
// to know the loads of links.
//
// Fluid limit, full duplex links. Per unit of time a forest moves w_t units of
// data along tree t. The inequality everything rests on, for every link l:
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
//
//   sendrecv            the least x of all pairs of ranks, where each pair has
//                       the links to itself: loads are not added, and of each
//                       link the most that a pair brings counts
//
// In the last four, the *routed* collectives, a tree is a choice of a chain
// from the root to each other rank (or back): block by block the data is
// different, nothing is copied or reduced on the way, and an edge is used as
// often as there are ranks on its far side. The trees of a sendrecv are stars.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_PACKING_H
#define BLINK_COMPILER_PACKING_PACKING_H

#include "compiler/packing/order/Association.h"
#include "compiler/topology/fabric/SwitchStars.h"
#include "compiler/topology/symmetry/Symmetry.h"

namespace blink {

/// Over no more ranks than this, trees are chosen one by one: a symmetric
/// choice is rarely the smallest. Over more, where a search among single trees
/// is hopeless, all images of a tree are taken, or trees are grown.
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

/// A spanning arborescence with a root and a weight. `up` carries
/// contributions to the root and lists children before their parents; `down`
/// carries results away and lists parents before their children. Allreduce has
/// both; reduce, reducescatter and gather only `up`; broadcast, allgather,
/// scatter, alltoall and sendrecv only `down`. With one rank both are empty.
///
/// Where sums have an order (PackingProblem::association), `up` has an edge for
/// each node of the association but the last, in its order: from the rank where
/// the node is to the one that adds it, without a path where these are one.
struct Tree {
  int root = 0; ///< rank
  std::vector<TreeEdge> up;
  std::vector<TreeEdge> down;
  double weight = 0; ///< GB/s
  /// What a switch does for it. Of the part for which it works, every edge
  /// joins the root with another rank over the switch; the tree uses each link
  /// of that part once, and the root's own to the switch and from it.
  SwitchUse switchUse = {};

  /// Most hops between the root and any rank, in either part.
  int depth(int numRanks) const;

  bool operator==(const Tree &other) const {
    return root == other.root && up == other.up && down == other.down &&
           weight == other.weight && switchUse == other.switchUse;
  }
};

/// What an element of a group makes of `tree`.
Tree imageOf(const Symmetry &symmetry, int element, const Tree &tree);

/// A solution: trees sorted by (root, content), none of weight zero.
struct Packing {
  /// With `symmetry` those of its representatives alone: the packing has all
  /// images of each.
  std::vector<Tree> trees;
  double algbw = 0; ///< GB/s of the whole buffer; infinite for one rank
  /// Null: `trees` are all there are. Jobs over many ranks, without relays and
  /// a root, have one where their machine does.
  std::shared_ptr<const Symmetry> symmetry = nullptr;

  int numTrees() const {
    return int(trees.size()) * (symmetry ? symmetry->order() : 1);
  }
  /// Likewise without `symmetry`: of each root the images in the order of the
  /// trees that they are of.
  Packing inFull() const;
};

/// Prices that prove a bound. See Certificate in schedules/schedule.fbs.
struct PackingCertificate {
  /// Prices below this part of the highest are the solver's rounding: such
  /// links are not scarce.
  static constexpr double kDust = 1e-7;

  std::vector<double> prices; ///< one a link of the topology, 0 if not usable
  double bound = 0;           ///< GB/s; infinite for one rank
};

struct PackingProblem {
  const RankTopology *rankTopology = nullptr; ///< not owned
  Collective collective = Collective::allreduce;
  int root = 0; ///< rank; only looked at when isRooted(collective)
  /// How all trees add what ranks contribute; null: each as it likes. Not
  /// owned. Only of collectives that reduce, of two ranks or more; then
  /// `rankTopology` lets ranks forward (RankTopology::withForwarding).
  const Association *association = nullptr;
  /// The switches that may work for trees; none where sums have an order. Not
  /// for routed collectives.
  std::vector<SwitchStar> switches = {};

  /// Can it be solved at all? Errors: a root outside the allocation; ranks that
  /// cannot reach each other, naming the parts; more than
  /// RankTopology::kMostPaired ranks of what is not a plain allreduce,
  /// allgather or reducescatter.
  llvm::Error check() const;

  /// Is `packing` a solution? Every tree spans all ranks from its root, every
  /// path is drivable, loads are within bandwidth and the rate is what the
  /// weights say, to `tolerance` relative. The error names the tree or link.
  llvm::Error verify(const Packing &packing, double tolerance = 1e-9) const;

  /// The load of each link of the topology, in GB/s, when the packing runs at
  /// its weights, images included.
  std::vector<double> linkLoads(const Packing &packing) const;
};

/// Each link of one part of a tree for which a switch works, once, ascending.
std::vector<int> linksOfSwitch(const std::vector<TreeEdge> &edges,
                               const SwitchUse &use);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_PACKING_H
