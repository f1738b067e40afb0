//===- GrowFaster.cpp - grown trees if they are faster --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/GrowFaster.h"

#include "compiler/packing/BoxForests.h"
#include "compiler/packing/Boxes.h"
#include "compiler/packing/grow/GrowForests.h"
#include "compiler/packing/grow/GrowOverBoxes.h"
#include "compiler/packing/grow/PackGrown.h"
#include "compiler/packing/grow/PackOverBoxes.h"
#include "compiler/plan/DefaultLanes.h"
#include "compiler/plan/SpreadTrees.h"
#include "compiler/support/Infinity.h"
#include "compiler/topology/symmetry/BoxRotation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

using namespace blink;

namespace {

/// Returns how much longer `time` is than `other`, as a factor; see growFaster.
/// Infinite if 1 GiB takes more than `mostWhenLong` times as long.
double timesLonger(const MessageTime &time, const MessageTime &other,
                   double mostWhenLong) {
  auto longer = [&](uint64_t bytes) {
    return time.at(bytes) / other.at(bytes);
  };
  if (longer(kReferenceBytes * 16) > mostWhenLong)
    return kInfinity;
  return std::pow(longer(kReferenceBytes / 64) * longer(kReferenceBytes / 4) *
                      longer(kReferenceBytes) * longer(kReferenceBytes * 4) *
                      longer(kReferenceBytes * 16),
                  1. / 5);
}

/// Divides each tree into two equal parts, which can go into different lanes.
Packing inHalves(Packing packing) {
  for (Tree &tree : packing.trees)
    tree.weight /= 2;
  const size_t number = packing.trees.size();
  for (size_t tree = 0; tree < number; ++tree)
    packing.trees.push_back(packing.trees[tree]);
  return packing;
}

/// A forest and the factor by which it takes longer.
struct Choice {
  double longer;
  std::pair<double, int> fill; ///< Time to fill its pipeline, depth.
  Packing packing;
};

int depthOf(const Packing &packing, int numRanks) {
  int depth = 0;
  for (const Tree &tree : packing.trees)
    depth = std::max(depth, tree.depth(numRanks));
  return depth;
}

/// What makes a forest faster than what is there.
struct Terms {
  double most; ///< of timesLonger
  /// Factors that 1 GiB may take: if the rate is less than the optimum by more
  /// than kWideSlack, and otherwise.
  double whenMuchLost, whenLittle;
};

} // namespace

/// Returns the fastest of `forests` by timesLonger than `packing` on these
/// terms: of those within 0.5 % of it, the one whose pipeline fills first, or
/// the lowest of several such. Returns no trees if there is none.
static llvm::Expected<Packing> fastestOf(const PackingProblem &problem,
                                         std::vector<Packing> forests,
                                         const Packing &packing, double optimum,
                                         const Terms &terms, int maxTrees) {
  constexpr double kAlike = 1.005;
  const ScheduleLimits limits = defaultLimits(*problem.rankTopology);
  llvm::Expected<MessageTime> time =
      timeInParts(problem, packing, limits, size_t(maxTrees));
  if (!time)
    return time.takeError();
  std::vector<Choice> choices;
  double least = terms.most;
  for (Packing &forest : forests) {
    llvm::Expected<MessageTime> grown =
        timeInParts(problem, forest, limits, size_t(maxTrees));
    if (!grown)
      return grown.takeError();
    const bool losesMuch = forest.algbw < optimum * (1 - kWideSlack);
    const double longer = timesLonger(
        *grown, *time, losesMuch ? terms.whenMuchLost : terms.whenLittle);
    const int depth = depthOf(forest, problem.rankTopology->numRanks());
    choices.push_back(
        {longer, {grown->fillAt(kReferenceBytes), depth}, std::move(forest)});
    least = std::min(least, longer);
  }
  Packing fastest;
  std::pair<double, int> leastFill(kInfinity, 0);
  for (Choice &choice : choices)
    if (choice.longer <= std::min(terms.most, least * kAlike) &&
        choice.fill < leastFill) {
      leastFill = choice.fill;
      fastest = std::move(choice.packing);
    }
  return fastest;
}

/// Adds the same forests with each tree in two parts, unless they have too many
/// trees or ranks.
static void addHalved(std::vector<Packing> &forests, int numRanks,
                      int maxTrees) {
  constexpr int kMostHalved = 512; // timing more ranks takes long
  const size_t most = maxTrees > 0 ? size_t(maxTrees) : kMostSharing;
  const size_t whole = numRanks <= kMostHalved ? forests.size() : 0;
  for (size_t forest = 0; forest < whole; ++forest)
    if (2 * forests[forest].trees.size() <= most)
      forests.push_back(inHalves(forests[forest]));
}

/// Returns the fastest of growThroughBoxes if it is faster than `packing` by
/// 5 %. Its rate may be a quarter less than the optimum; if it is more than a
/// twentieth less, 1 GiB may take a twentieth longer.
static llvm::Expected<Packing>
fasterThroughBoxes(const PackingProblem &problem, const Packing &packing,
                   double optimum, const SelectOptions &options) {
  constexpr double kLeastPart = 0.75;
  constexpr Terms kTerms{0.95, 1.05, 1.1};
  std::vector<Packing> forests = growThroughBoxes(
      problem, optimum, optimum * kLeastPart, options.maxTrees);
  if (forests.empty())
    return Packing();
  addHalved(forests, problem.rankTopology->numRanks(), options.maxTrees);
  return fastestOf(problem, std::move(forests), packing, optimum, kTerms,
                   options.maxTrees);
}

llvm::Expected<Packing> blink::growFaster(const PackingProblem &problem,
                                          const Packing *selected,
                                          double optimum,
                                          const SelectOptions &options) {
  constexpr double kFaster = 0.98, kWhenLong = 1.1; // as in isWorthwhile
  if (!mayGrow(problem) || (options.keepGoing && !options.keepGoing()))
    return Packing();
  const int numRanks = problem.rankTopology->numRanks();
  llvm::SmallVector<double> parts{1};
  if (numRanks > kMostPatiently && options.slack > 0) {
    // Over many boxes, trees that enter each box once are far lower and lose
    // little of the optimum.
    const double slack = std::max(options.slack, kWideSlack);
    parts.append({1 - slack / 2, 1 - slack});
  }
  std::vector<Packing> forests;
  for (double part : parts)
    if (forests.empty())
      forests =
          growForests(problem, optimum * part, kMostGrown, options.maxTrees);
  std::vector<Packing> overBoxes =
      growOverBoxes(problem, optimum, options.maxTrees);
  const bool isDirect = !overBoxes.empty();
  for (Packing &forest : overBoxes)
    forests.push_back(std::move(forest));
  if (forests.empty())
    return Packing();
  addHalved(forests, numRanks, options.maxTrees);
  const Packing first = selected ? *selected : forests.front();
  const Terms terms{selected ? kFaster : 1, kWhenLong, kWhenLong};
  llvm::Expected<Packing> fastest = fastestOf(
      problem, std::move(forests), first, optimum, terms, options.maxTrees);
  if (!fastest || isDirect || options.slack == 0)
    return fastest;
  llvm::Expected<Packing> through = fasterThroughBoxes(
      problem, fastest->trees.empty() ? first : *fastest, optimum, options);
  if (!through || !through->trees.empty())
    return through;
  return fastest;
}

/// Returns the forests over boxes that compete with `selected`: those that
/// reach the ranks of a box directly or, if none of these has enough of the
/// optimum, over trees of the box.
static std::vector<Packing> forestsOverBoxes(const PackingProblem &problem,
                                             const Packing &selected,
                                             double optimum,
                                             const SelectOptions &options) {
  constexpr double kMostLost = 0.1;
  // Optimal trees also reach GPUs of a box over the network, which trees of the
  // box do not.
  constexpr double kParts[] = {0.95, 0.9, 0.85, 0.8};
  const RankTopology &machine = *problem.rankTopology;
  std::vector<Packing> forests;
  auto add = [&](const Symmetry &symmetry, const Packing *ofBox, double loss) {
    for (Packing &forest :
         packOverBoxes(problem, symmetry, options.maxTrees, ofBox))
      if (forest.algbw >= optimum * (1 - loss) &&
          forest.numTrees() <= selected.numTrees())
        // Over few ranks, packings list all trees.
        forests.push_back(selected.symmetry ? std::move(forest)
                                            : forest.inFull());
  };
  add(selected.symmetry ? *selected.symmetry : Symmetry::find(machine), nullptr,
      options.slack > 0 ? std::max(options.slack, kMostLost) : 0);
  if (!forests.empty() || options.slack == 0)
    return forests;
  const std::optional<Symmetry> rotation = rotationOfBoxes(machine);
  if (!rotation)
    return forests;
  // An allreduce gathers as much as it scatters.
  const double inBox = problem.collective == Collective::allreduce ? 2 : 1;
  std::vector<double> rates;
  for (double part : kParts)
    rates.push_back(optimum * part * inBox);
  for (const Packing &forest : boxForests(machine, rates, options))
    add(*rotation, &forest, 1 - *std::rbegin(kParts));
  return forests;
}

llvm::Expected<Packing> blink::fasterOverBoxes(const PackingProblem &problem,
                                               const Packing &selected,
                                               double optimum,
                                               const SelectOptions &options) {
  // For messages of a few MiB the model is off by up to a fifth.
  // A forest that loses much of the rate must be faster for 1 GiB.
  constexpr Terms kTerms{0.95, 0.95, 1.02};
  if (!mayPackOverBoxes(problem) || (options.keepGoing && !options.keepGoing()))
    return Packing();
  llvm::Expected<RankTopology> direct = withAllPairs(*problem.rankTopology);
  if (!direct)
    return direct.takeError();
  PackingProblem free = problem;
  free.rankTopology = &*direct;
  std::vector<Packing> forests =
      forestsOverBoxes(free, selected, optimum, options);
  if (forests.empty())
    return Packing();
  return fastestOf(free, std::move(forests), selected, optimum, kTerms,
                   options.maxTrees);
}
