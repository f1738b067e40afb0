//===- PackGrown.cpp - the optimum without a linear program ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/grow/PackGrown.h"

#include "compiler/packing/grow/GrowTrees.h"
#include "compiler/packing/grow/RootedCut.h"
#include "compiler/packing/lp/FitWeights.h"
#include "compiler/topology/symmetry/MachineColoring.h"

#include <algorithm>
#include <cmath>

using namespace blink;

namespace {

/// Numbers of trees that are tried where growth gets stuck.
constexpr int kMostStuck = 4;

} // namespace

bool blink::mayGrow(const PackingProblem &problem) {
  return isRooted(problem.collective) && !isRouted(problem.collective) &&
         problem.rankTopology->numRanks() > kFewRanks &&
         !problem.rankTopology->isPhased() && !problem.association &&
         problem.switches.empty();
}

std::optional<PackedTrees> blink::packGrown(const PackingProblem &problem,
                                            double slack) {
  constexpr double kSameRate = 1 - 1e-9;
  if (!mayGrow(problem))
    return std::nullopt;
  PackedTrees packed;
  packed.certificate = leastCut(problem);
  const double rate = packed.certificate.bound;
  if (!(rate > 0))
    return std::nullopt;
  const PathTable table = problem.rankTopology->cheapestPaths(
      std::vector<double>(packed.certificate.prices.size(), 1.0));
  const std::vector<int> ranks =
      classesAround(*problem.rankTopology, problem.root);
  // The first number of trees for which cuts leave room; growth may get stuck.
  auto grow = [&](double least, int mostTrees, int mostStuck) {
    int stuck = 0;
    for (int trees = 1; trees <= mostTrees; ++trees) {
      const double unit = rate * least / trees;
      if (!cutsCarry(problem, ranks, trees, unit))
        continue;
      packed.packing = fitWeights(
          problem, growTrees(problem, table,
                             {trees, unit, problem.rankTopology->numRanks()},
                             /*variants=*/1));
      if (packed.packing.algbw >= rate * least * kSameRate)
        return true;
      if (++stuck == mostStuck)
        return false;
    }
    return false;
  };
  if (!grow(1, kMostGrown, 1) &&
      !(slack > 0 && grow(1 - slack, kMostSharing, kMostStuck)))
    return std::nullopt;
  if (llvm::Error error = problem.verify(packed.packing)) {
    llvm::consumeError(std::move(error));
    return std::nullopt;
  }
  return packed;
}

bool blink::isGrown(const PackingProblem &problem, const Packing &packing,
                    int maxTrees) {
  constexpr double kSame = 1e-9;
  const int most =
      maxTrees > 0 ? std::min(maxTrees, kMostSharing) : kMostSharing;
  if (!mayGrow(problem) || packing.trees.empty() ||
      static_cast<int>(packing.trees.size()) > most)
    return false;
  const double weight = packing.trees.front().weight;
  return std::all_of(packing.trees.begin(), packing.trees.end(),
                     [&](const Tree &tree) {
                       return std::abs(tree.weight - weight) <= kSame * weight;
                     });
}
