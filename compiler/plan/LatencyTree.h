//===- LatencyTree.h - trees for small messages -----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// One tree a block, each as early at its last rank as can be in the model of
// TimeModel.h.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_LATENCYTREE_H
#define BLINK_COMPILER_PLAN_LATENCYTREE_H

#include "compiler/packing/Packing.h"
#include "compiler/packing/trees/MinArborescence.h"
#include "compiler/plan/TimeModel.h"

namespace blink {

/// An arborescence with the time it takes.
struct TimedTree {
  /// The vertices but the root, parents first; of siblings the one that is
  /// served first before the others.
  std::vector<int> order;
  Parents parents;
  double time = 0; ///< until the last vertex is reached
};

/// Spanning arborescences that reach their last vertex early, over one graph: a
/// hop takes what `costs` says, and each vertex serves its children one by one,
/// each so long after the one before as `gaps`, of the same edges, says of that
/// one.
class LatencyTrees {
public:
  LatencyTrees(CostGraph costs, CostGraph gaps);
  LatencyTrees(const CostMatrix &costs, int n, double gap)
      : LatencyTrees(CostGraph(costs, n),
                     CostGraph(CostMatrix(costs.size(), gap), n)) {}

  /// The tree out of `root`. Grown by the hop that ends first (Bhat,
  /// Raghavendra and Prasanna, 1999; optimal where all hops are alike), then,
  /// up to 32 vertices, improved by hanging what lies on the slowest route
  /// elsewhere, as long as that helps: the problem is NP-hard, so this is a
  /// heuristic. Ties go to smaller numbers. Empty when some vertex cannot be
  /// reached. Time with the edges, but for a logarithm and the improvement.
  TimedTree find(int root) const;
  /// The tree of the chains that reach each vertex by itself first, since a
  /// block for one vertex is of no use to another on the way. Empty likewise.
  TimedTree findChains(int root) const;

private:
  CostGraph costs_, gaps_;
  std::vector<std::vector<CostGraph::Edge>>
      nearest_; // by vertex, cheapest first
};

/// The time of an arborescence when each vertex serves first the child behind
/// which most is left to do, which is best.
TimedTree timeTree(const CostGraph &costs, const Parents &parents, int root,
                   const CostGraph &gaps);

/// The forest for small messages: one tree for each root that needs one, and
/// one in all where the root is free, of the root that gives the least time
/// (the first of equal ones). Trees that go in both directions have the same
/// root and need not mirror each other; where sums have an order, which is then
/// `chain`, the root adds all that ranks contribute. Weights are those of the
/// rate its shares sustain. Routed collectives have findChains() of each root.
/// `bytes`: of a message that goes whole over each hop, which its narrowest
/// link delays, as it does the same vertex's next hop. The result has passed
/// PackingProblem::verify. Errors: ranks that cannot reach each other.
llvm::Expected<Packing> packLatencyTrees(const PackingProblem &problem,
                                         Protocol protocol, uint64_t bytes = 0);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_LATENCYTREE_H
