//===- GrowForests.cpp - forests of few low trees to choose from ----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/grow/GrowForests.h"

#include "compiler/packing/grow/GrowByIslands.h"
#include "compiler/packing/grow/GrowTrees.h"
#include "compiler/packing/grow/GrowthPaths.h"
#include "compiler/packing/grow/LeastDepth.h"
#include "compiler/packing/grow/PackGrown.h"
#include "compiler/packing/grow/RootedCut.h"
#include "compiler/packing/grow/RootedTree.h"
#include "compiler/packing/grow/SplitSwitches.h"
#include "compiler/topology/symmetry/MachineColoring.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <iterator>
#include <tuple>

using namespace blink;

namespace {

/// The most orders of edges to try, and the number of pairs of ranks that all
/// orders together may examine for the trees of a forest. One order is always
/// tried.
constexpr int kMostVariants = 16;
constexpr int kPairBudget = 1 << 21;
/// The most children of a rank in a tree; the last value allows any number.
constexpr int kChildren[] = {2, 3, RankTopology::kMaxRanks};

int variantsFor(int numRanks, int copies) {
  return std::clamp(kPairBudget / (numRanks * numRanks * copies), 1,
                    kMostVariants);
}

/// Returns `trees` with each divided into `parts` equal ones.
Packing inParts(const std::vector<Tree> &trees, int parts) {
  Packing packing;
  for (const Tree &tree : trees)
    for (int part = 0; part < parts; ++part) {
      packing.trees.push_back(tree);
      packing.trees.back().weight /= parts;
      packing.algbw += packing.trees.back().weight;
    }
  return packing;
}

/// Trees, and the criteria by which they are compared.
struct Forest {
  std::vector<Tree> trees;
  int excess = 0; ///< most children above the limit
  int depth = 0;

  bool isBetter(const Forest &other) const {
    return std::tie(excess, depth) < std::tie(other.excess, other.depth);
  }
};

Forest judged(std::vector<Tree> trees, int mostChildren, int numRanks) {
  Forest forest{std::move(trees)};
  for (const Tree &tree : forest.trees) {
    std::vector<int> children(numRanks, 0);
    for (int parent : rootedTree(tree, numRanks).parents)
      if (parent >= 0)
        forest.excess =
            std::max(forest.excess, ++children[parent] - mostChildren);
    forest.depth = std::max(forest.depth, tree.depth(numRanks));
  }
  return forest;
}

} // namespace

std::vector<Packing> blink::growForests(const PackingProblem &problem,
                                        double rate, int lanes, int maxTrees) {
  const std::optional<SplitMachine> split = splitSwitches(problem);
  const PackingProblem within = split ? split->problem(problem) : problem;
  const RankTopology &machine = *within.rankTopology;
  const int numRanks = machine.numRanks();
  const PathTable table = pathsToGrow(machine);
  const std::vector<int> ranks = classesAround(machine, problem.root);
  int mostEver = std::max(lanes, kMostSharing);
  if (maxTrees > 0) {
    lanes = std::min(lanes, maxTrees);
    mostEver = std::min(mostEver, maxTrees);
  }
  const std::vector<Islands> islands = islandsOf(machine);
  const bool entersOnce = !islands.empty() && numRanks > kMostPatiently;
  auto mayReach = [&](int copies) {
    const double unit = rate / copies;
    const std::vector<int> room = roomOf(within, unit);
    return (!entersOnce || llvm::any_of(islands,
                                        [&](const Islands &between) {
                                          return mayEnterOnce(within, between,
                                                              room, copies);
                                        })) &&
           cutsCarry(within, ranks, copies, unit);
  };
  int copies = 1;
  while (copies <= mostEver && !mayReach(copies))
    ++copies;
  if (copies > mostEver)
    return {};
  const int most = std::max(lanes, copies);
  auto mayTry = [&](int trees) { return trees <= most; };
  // More trees are mostly lower, so if there are many ranks, fewer trees are
  // not tried.
  while (mayTry(2 * copies) && variantsFor(numRanks, 2 * copies) == 1)
    copies *= 2;
  std::vector<Forest> best(std::size(kChildren));
  for (bool lower = true; lower && mayTry(copies); copies *= 2) {
    lower = false;
    const std::vector<int> room = roomOf(within, rate / copies);
    for (size_t kind = 0; kind < best.size(); ++kind) {
      const GrowRequest request{copies, rate / copies, kChildren[kind],
                                numRanks <= kMostPatiently};
      if (!best[kind].trees.empty() && best[kind].excess == 0 &&
          best[kind].depth <= leastDepth(within, request, room))
        continue; // no trees are lower
      Forest forest = judged(growTrees(within, table, islands, request,
                                       variantsFor(numRanks, copies)),
                             kChildren[kind], numRanks);
      if (forest.trees.empty() ||
          (!best[kind].trees.empty() && !forest.isBetter(best[kind])))
        continue;
      best[kind] = std::move(forest);
      lower = true;
    }
  }
  std::vector<Packing> forests;
  int least = numRanks;
  for (const Forest &forest : best) {
    // More children are of no use if they make no tree lower.
    if (forest.trees.empty() || forest.depth >= least)
      continue;
    least = forest.depth;
    Packing packing =
        inParts(forest.trees, most / static_cast<int>(forest.trees.size()));
    if (llvm::Error error = problem.verify(packing))
      llvm::consumeError(std::move(error)); // by rounding; others may pass
    else
      forests.push_back(std::move(packing));
  }
  return forests;
}
