//===- PackInOrder.cpp - the best trees that add in one order -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/order/PackInOrder.h"

#include "compiler/packing/order/OrderedTrees.h"
#include "compiler/support/Error.h"

#include "llvm/ADT/STLExtras.h"

using namespace blink;

/// Rates whose ratio is at least this are the same.
static constexpr double kSameRate = 1 - 1e-6;

static llvm::Error check(const PackingProblem &problem) {
  const RankTopology &machine = *problem.rankTopology;
  if (!sched::traitsOf(problem.collective).reduces)
    return makeError("--order: {0} adds nothing; leave --order out",
                     toString(problem.collective));
  if (machine.isPhased() || machine.isLimited())
    return makeError("--order cannot be combined with --phases or --max-peers; "
                     "leave one of them out");
  if (!machine.relays().empty())
    return makeError("--order cannot be combined with --relays; leave one of "
                     "them out");
  return llvm::Error::success();
}

static bool addsAtRoots(const Packing &packing) {
  return llvm::all_of(packing.trees, [](const Tree &tree) {
    return llvm::all_of(
        tree.up, [&](const TreeEdge &edge) { return edge.to == tree.root; });
  });
}

/// Returns the same trees, whose roots add in the order of ranks. Their packing
/// is in full, since in this order no tree is an image of another.
static OrderedPacking addInOrder(const PackedTrees &stars, int numRanks) {
  const Association chain(Parentheses::chain, numRanks);
  OrderedPacking ordered{Parentheses::chain, stars};
  ordered.packed.packing = stars.packing.inFull();
  for (Tree &tree : ordered.packed.packing.trees)
    tree.up = orderedStar(chain, tree);
  ordered.packed.candidates.clear();
  return ordered;
}

llvm::Expected<OrderedPacking> blink::packInOrder(const PackingProblem &problem,
                                                  const PackedTrees &any,
                                                  ReductionOrder order,
                                                  const SolveWatcher &watcher) {
  if (llvm::Error error = check(problem))
    return error;
  const int n = problem.rankTopology->numRanks();
  if (addsAtRoots(any.packing))
    return addInOrder(any, n);
  if (n > kMostOrderedRanks)
    return makeError("--order: sums over {0} ranks; the most is {1} where no "
                     "rank can add all by itself at the full rate",
                     n, kMostOrderedRanks);
  const RankTopology forwarding = problem.rankTopology->withForwarding();
  OrderedPacking best{Parentheses::chain, {}};
  for (Parentheses parentheses : {Parentheses::chain, Parentheses::halves}) {
    if (order == ReductionOrder::rank && parentheses != Parentheses::chain)
      continue;
    const Association association(parentheses, n);
    PackingProblem ordered = problem;
    ordered.rankTopology = &forwarding;
    ordered.association = &association;
    llvm::Expected<PackedTrees> packed = packTrees(ordered, watcher);
    if (!packed && best.packed.packing.trees.empty())
      return packed.takeError();
    if (!packed) { // some orders do without partial sums that others need
      llvm::consumeError(packed.takeError());
      break;
    }
    if (packed->packing.algbw * kSameRate > best.packed.packing.algbw)
      best = {parentheses, std::move(*packed)};
    if (best.packed.packing.algbw >= any.packing.algbw * kSameRate)
      break;
  }
  return best;
}
