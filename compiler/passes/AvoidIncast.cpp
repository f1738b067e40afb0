//===- AvoidIncast.cpp - forests in which few senders meet ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/AvoidIncast.h"

#include "compiler/packing/FewPeers.h"
#include "compiler/passes/TimedForest.h"
#include "compiler/plan/NetworkCosts.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <utility>

using namespace blink;

/// The numbers of peers that are tried.
static constexpr int kPeers[] = {2, 3, 4, 8};
/// The most ranks. More have not been measured, and the trees of a single hop,
/// which are the best ones for their short messages, would get lost.
static constexpr int kMostRanks = 16;

/// Returns true if the trees send anything over TCP.
static bool sendsOverTcp(const RankTopology &machine, const Packing &packing) {
  auto isOver = [&](const TreeEdge &edge) {
    return isOverTcp(machine, edge.path);
  };
  return llvm::any_of(packing.trees, [&](const Tree &tree) {
    return llvm::any_of(tree.up, isOver) || llvm::any_of(tree.down, isOver);
  });
}

/// Returns how many times as long messages of 1 and 4 MiB take, on average. For
/// shorter ones there are other trees, if these are faster, and for longer ones
/// incasts matter little.
static llvm::Expected<double> timesLonger(TimedForest &forest,
                                          TimedForest &other) {
  constexpr size_t kFirst = 1, kEnd = 3;
  static_assert(kShortSizes[kFirst] == 1 << 20 && kEnd < kShortSizes.size());
  double product = 1;
  for (size_t which = kFirst; which < kEnd; ++which) {
    llvm::Expected<double> time = forest.shortTime(which);
    if (!time)
      return time;
    llvm::Expected<double> others = other.shortTime(which);
    if (!others)
      return others;
    product *= *time / *others;
  }
  return std::pow(product, 1.0 / double(kEnd - kFirst));
}

llvm::Expected<std::optional<Packing>>
blink::avoidIncast(const PackingProblem &problem, const PackedTrees &packed,
                   const Packing &selected, const SelectOptions &options) {
  constexpr double kFaster = 0.995;
  const RankTopology &machine = *problem.rankTopology;
  if (isPairwise(problem.collective) || isRouted(problem.collective) ||
      isRooted(problem.collective) || machine.numRanks() > kMostRanks ||
      !machine.relays().empty() || machine.isLimited() || machine.isPhased() ||
      !sendsOverTcp(machine, selected))
    return std::nullopt;
  llvm::Expected<TimedForest> before = TimedForest::create(problem, selected);
  if (!before)
    return before.takeError();
  const int all = networkPeers(machine).all;
  for (int most : kPeers) {
    if (most >= all || (options.keepGoing && !options.keepGoing()))
      break;
    llvm::Expected<RankTopology> limited = limitNetworkPeers(machine, most);
    if (!limited) { // too few to join all ranks
      llvm::consumeError(limited.takeError());
      continue;
    }
    PackingProblem few = problem;
    few.rankTopology = &*limited;
    llvm::Expected<PackedTrees> trees = packTrees(few);
    if (!trees)
      return trees.takeError();
    if (trees->packing.algbw < packed.packing.algbw * kSameRate)
      continue;
    SelectOptions ofFew = options;
    ofFew.unsolved = nullptr;
    llvm::Expected<Packing> kept = selectTrees(few, *trees, ofFew);
    if (!kept)
      return kept.takeError();
    llvm::Expected<TimedForest> forest = TimedForest::create(problem, *kept);
    if (!forest)
      return forest.takeError();
    llvm::Expected<double> longer = timesLonger(*forest, *before);
    if (!longer)
      return longer.takeError();
    if (*longer < kFaster)
      return std::move(*kept);
  }
  return std::nullopt;
}
