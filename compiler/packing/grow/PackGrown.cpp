//===- PackGrown.cpp - the optimum without a linear program ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/grow/PackGrown.h"

#include "compiler/packing/grow/GrowTrees.h"
#include "compiler/packing/grow/GrowthPaths.h"
#include "compiler/packing/grow/RootedCut.h"
#include "compiler/packing/grow/SplitSwitches.h"
#include "compiler/packing/lp/FitWeights.h"
#include "compiler/topology/symmetry/MachineColoring.h"

#include <algorithm>
#include <cmath>
#include <iterator>

using namespace blink;

namespace {

/// Numbers of trees to try before giving up if growth gets stuck.
constexpr int kMostStuck = 4;
/// For more ranks than this a linear program takes minutes to hours. Instead,
/// these parts of the bound are tried, with trees grown over islands.
constexpr int kMostSolved = 128;
constexpr double kParts[] = {0.97, 0.95, 0.9, 0.8, 0.7,
                             0.6,  0.5,  0.4, 0.3, 0.2};

/// Returns trees of the first number for which cuts leave room at `rate` and
/// growth succeeds; none if growth gets stuck `mostStuck` times.
std::vector<Tree> growFirst(const PackingProblem &problem, double rate,
                            int mostTrees, int mostStuck, bool isPatient) {
  const RankTopology &machine = *problem.rankTopology;
  const PathTable table = pathsToGrow(machine);
  const std::vector<Islands> islands = islandsOf(machine);
  const std::vector<int> ranks = classesAround(machine, problem.root);
  int stuck = 0;
  for (int copies = 1; copies <= mostTrees && stuck < mostStuck; ++copies) {
    const double unit = rate / copies;
    if (!cutsCarry(problem, ranks, copies, unit))
      continue;
    std::vector<Tree> trees = growTrees(
        problem, table, islands, {copies, unit, machine.numRanks(), isPatient},
        /*variants=*/1);
    if (!trees.empty())
      return trees;
    ++stuck;
  }
  return {};
}

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
  const std::optional<SplitMachine> split = splitSwitches(problem);
  const PackingProblem within = split ? split->problem(problem) : problem;
  PackedTrees packed;
  packed.certificate = leastCut(problem);
  double rate = packed.certificate.bound;
  if (split) {
    rate = std::min(rate, leastCut(within).bound);
    if (rate < packed.certificate.bound * kSameRate)
      if (PackingCertificate shared = sharedCut(problem, *split);
          shared.bound < packed.certificate.bound)
        packed.certificate = std::move(shared);
  }
  if (!(rate > 0))
    return std::nullopt;
  auto reaches = [&](double part, int mostTrees, int mostStuck,
                     bool isPatient = true) {
    const std::vector<Tree> trees =
        growFirst(within, rate * part, mostTrees, mostStuck, isPatient);
    packed.packing = trees.empty() ? Packing() : fitWeights(problem, trees);
    return packed.packing.algbw >= packed.certificate.bound * part * kSameRate;
  };
  auto reachesSome = [&] {
    return std::any_of(std::begin(kParts), std::end(kParts), [&](double part) {
      return reaches(part, kMostSharing, kMostStuck, /*isPatient=*/false);
    });
  };
  const bool isMany = within.rankTopology->numRanks() > kMostSolved;
  if (!reaches(1, kMostGrown, 1) &&
      !(slack > 0 && (reaches(1 - slack, kMostSharing, kMostStuck) ||
                      (isMany && reachesSome()))))
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
