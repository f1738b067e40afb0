//===- LatencyTree.h - trees for small messages -----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// One tree for each block, which reaches its last rank as early as possible in
// the model of TimeModel.h.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_LATENCYTREE_H
#define BLINK_COMPILER_PLAN_LATENCYTREE_H

#include "compiler/packing/Packing.h"
#include "compiler/packing/trees/MinArborescence.h"
#include "compiler/plan/TimeModel.h"

namespace blink {

/// An arborescence and the time that it takes.
struct TimedTree {
  /// The vertices except the root: parents before children, and siblings in the
  /// order in which their parent serves them.
  std::vector<int> order;
  Parents parents;
  double time = 0; ///< at which the last vertex is reached
};

/// Finds spanning arborescences over one graph that reach their last vertex
/// early. A hop takes its edge's cost in `costs`. A vertex serves its children
/// one by one, and each child delays the next one by its edge's cost in `gaps`,
/// which has the same edges.
class LatencyTrees {
public:
  LatencyTrees(CostGraph costs, CostGraph gaps);
  LatencyTrees(const CostMatrix &costs, int n, double gap)
      : LatencyTrees(CostGraph(costs, n),
                     CostGraph(CostMatrix(costs.size(), gap), n)) {}

  /// Returns the tree out of `root`. The tree is grown by the hop that ends
  /// first (Bhat, Raghavendra and Prasanna, 1999; optimal if all hops are
  /// alike). Up to 32 vertices, it is then improved by attaching vertices of
  /// the slowest route under other parents as long as that helps. The problem
  /// is NP-hard, so this is a heuristic. On a tie the smaller number wins.
  /// Returns an empty tree if some vertex cannot be reached. Without the
  /// improvement it takes time linear in the edges, up to a logarithm.
  TimedTree find(int root) const;
  /// Returns the tree of the chains that reach each vertex first when it is
  /// served alone, since a block for one vertex is of no use to others on the
  /// way. Returns an empty tree if some vertex cannot be reached.
  TimedTree findChains(int root) const;

private:
  CostGraph costs_, gaps_;
  std::vector<std::vector<CostGraph::Edge>>
      nearest_; // edges by vertex, cheapest first
};

/// Returns the time of an arborescence in which each vertex first serves the
/// child behind which the most is left to do; this order is optimal.
TimedTree timeTree(const CostGraph &costs, const Parents &parents, int root,
                   const CostGraph &gaps);

/// Returns the forest for small messages: one tree for each root that needs
/// one. If the root is free there is a single tree, with the root that gives
/// the least time (the first one on a tie). The in-tree and out-tree of a tree
/// have the same root but need not mirror each other. If sums have an order,
/// which is then `chain`, the root adds the contributions of all ranks. The
/// weights are those of the rate that the shares sustain. In routed collectives
/// each root has its findChains(). `bytes` is the size of a message that goes
/// whole over each hop: its narrowest link delays the hop, and the vertex's
/// next hop as well, by its transfer time. The result has passed
/// PackingProblem::verify. Errors: ranks that cannot reach each other.
llvm::Expected<Packing> packLatencyTrees(const PackingProblem &problem,
                                         Protocol protocol, uint64_t bytes = 0);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_LATENCYTREE_H
