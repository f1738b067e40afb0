//===- PackGrown.cpp - the optimum without a linear program ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/grow/PackGrown.h"

#include "compiler/packing/grow/GrowTrees.h"
#include "compiler/packing/grow/RootedCut.h"
#include "compiler/packing/lp/FitWeights.h"

#include <algorithm>
#include <cmath>

using namespace blink;

bool blink::mayGrow(const PackingProblem &problem) {
  return isRooted(problem.collective) && !isRouted(problem.collective) &&
         problem.rankTopology->numRanks() > kFewRanks &&
         !problem.rankTopology->isPhased() && !problem.association &&
         problem.switches.empty();
}

std::optional<PackedTrees> blink::packGrown(const PackingProblem &problem) {
  constexpr double kSameRate = 1 - 1e-9;
  if (!mayGrow(problem))
    return std::nullopt;
  PackedTrees packed;
  packed.certificate = leastCut(problem);
  const double rate = packed.certificate.bound;
  int copies = 1;
  while (copies <= kMostGrown && !canGrow(problem, copies, rate / copies))
    ++copies;
  if (!(rate > 0) || copies > kMostGrown)
    return std::nullopt;
  const PathTable table = problem.rankTopology->cheapestPaths(
      std::vector<double>(packed.certificate.prices.size(), 1.0));
  packed.packing = fitWeights(
      problem,
      growTrees(problem, table,
                {copies, rate / copies, problem.rankTopology->numRanks()},
                /*variants=*/1));
  if (!(packed.packing.algbw >= rate * kSameRate))
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
  const int most = maxTrees > 0 ? std::min(maxTrees, kMostGrown) : kMostGrown;
  if (!mayGrow(problem) || packing.trees.empty() ||
      static_cast<int>(packing.trees.size()) > most)
    return false;
  const double weight = packing.trees.front().weight;
  return std::all_of(packing.trees.begin(), packing.trees.end(),
                     [&](const Tree &tree) {
                       return std::abs(tree.weight - weight) <= kSame * weight;
                     });
}
