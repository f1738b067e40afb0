//===- HalfTrees.cpp - an allreduce of two ranks as an exchange -----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/HalfTrees.h"

#include "compiler/packing/lp/FitWeights.h"
#include "compiler/packing/order/OrderedTrees.h"
#include "compiler/plan/SpreadTrees.h"

#include "llvm/ADT/STLExtras.h"

using namespace blink;

/// Returns `tree`, over two ranks, with the other rank as its root: what it
/// sent up now comes down, over the same links.
static Tree fromOtherEnd(const PackingProblem &problem, const Tree &tree) {
  Tree other;
  other.root = 1 - tree.root;
  other.weight = tree.weight;
  other.up = tree.down;
  // With an order of sums the root's own contribution is an edge, too
  // (Packing.h).
  for (const TreeEdge &edge : tree.up)
    if (edge.from == other.root)
      other.down.push_back(edge);
  if (problem.association)
    other.up = orderedStar(*problem.association, other);
  return other;
}

Packing blink::halfTrees(const PackingProblem &problem,
                         const Packing &packing) {
  auto switched = [](const Tree &tree) { return tree.switchUse.works(); };
  if (problem.collective != Collective::allreduce ||
      problem.rankTopology->numRanks() != 2 || packing.symmetry ||
      llvm::any_of(packing.trees, switched))
    return {};
  std::vector<Tree> halves;
  for (const Tree &tree : packing.trees) {
    halves.push_back(tree);
    halves.push_back(fromOtherEnd(problem, tree));
  }
  for (Tree &half : halves)
    half.weight /= 2;
  return fitWeights(problem, std::move(halves));
}

llvm::Expected<Packing> blink::chooseHalves(const PackingProblem &problem,
                                            const Packing &packing,
                                            ScheduleLimits limits,
                                            size_t maxTrees) {
  constexpr double kRounding = 1 + 1e-9;
  constexpr uint64_t kLongest = uint64_t(1) << 30;
  Packing halves = halfTrees(problem, packing);
  if (halves.trees.empty() || (maxTrees > 0 && halves.trees.size() > maxTrees))
    return Packing();
  llvm::Expected<MessageTime> before =
      timeInParts(problem, packing, limits, maxTrees);
  if (!before)
    return before.takeError();
  llvm::Expected<MessageTime> after =
      timeInParts(problem, halves, limits, maxTrees);
  if (!after)
    return after.takeError();
  for (uint64_t bytes = sched::kDirectBytes; bytes <= kLongest; bytes *= 2)
    if (after->at(bytes) > before->at(bytes) * kRounding)
      return Packing();
  return halves;
}
