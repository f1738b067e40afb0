//===- SelectForLanes.cpp - the fastest forest in few lanes ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/SelectForLanes.h"

#include "compiler/passes/FastestOrder.h"
#include "compiler/passes/MediumCandidates.h"
#include "compiler/passes/PlannedVariant.h"
#include "compiler/plan/DefaultLanes.h"
#include "compiler/plan/SpreadTrees.h"
#include "compiler/support/Infinity.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

using namespace blink;

/// Returns what selection may do in place of `options`, for few lanes of a
/// rank: give up more of the rate, or have few trees for each lane.
static std::vector<SelectOptions> optionsForLanes(const PackingProblem &problem,
                                                  const SelectOptions &options,
                                                  unsigned maxLanes) {
  constexpr double kSlacks[] = {kWideSlack, 0.1, 0.25};
  std::vector<SelectOptions> all;
  for (const double slack : kSlacks)
    if (slack > options.slack) {
      all.push_back(options);
      all.back().slack = slack;
    }
  if (all.empty() || options.maxTrees > 0)
    return all;
  SelectOptions few = all.back();
  const int blocks =
      numBlocks(problem.collective, problem.rankTopology->numRanks());
  for (const unsigned times : {1, 2, 4}) {
    few.maxTrees = std::max(blocks, int(times * maxLanes));
    all.push_back(few);
  }
  return all;
}

namespace {

/// Messages of 256 KiB to 256 MiB are compared. The longest ones, for which
/// pipelines are full, follow from shorter ones: 256 MiB, and all that take
/// more folds than the limit to simulate.
constexpr uint64_t kShortest = 256 << 10;
constexpr size_t kSizes = 6;
constexpr double kSoonCompared = 1 << 17;
/// The first size that is always served by all trees.
constexpr size_t kFirstLong = 3;
using SizeTimes = std::array<double, kSizes>;

struct ForestInLanes {
  SelectedForest forest;
  SizeTimes times;
};

} // namespace

/// Returns the bytes of a message of this size.
static uint64_t bytesOf(size_t size) { return kShortest << (2 * size); }

/// Returns the microseconds that messages take with the trees of `packing` as
/// they are; infinity if chunks are so short that comparing is a burden.
static llvm::Expected<SizeTimes> timesOfTrees(const PackingProblem &problem,
                                              const Packing &packing,
                                              ScheduleLimits limits) {
  llvm::Expected<OrderedVariant> large = planVariant(
      problem, packing, {sched::Protocol::simple, std::nullopt}, limits);
  if (!large)
    return large.takeError();
  SizeTimes times;
  times.fill(kInfinity);
  auto isSoon = [&](size_t size) {
    return large->variant.isSoonSimulated(bytesOf(size), kSoonCompared);
  };
  if (!isSoon(1))
    return times;
  size_t size = 0;
  for (; size + 1 < kSizes && isSoon(size); ++size) {
    llvm::Expected<double> time = large->variant.timeAt(bytesOf(size));
    if (!time)
      return time.takeError();
    times[size] = *time;
  }
  for (; size < kSizes; ++size)
    times[size] = times[size - 1] + 4 * (times[size - 1] - times[size - 2]);
  return times;
}

/// Returns how many times as long as `given` the `times` are, on average;
/// infinity if one of them is noticeably longer.
static double meanLonger(const SizeTimes &times, const SizeTimes &given) {
  constexpr double kNoticeably = 1.03, kFar = 1.08;
  double product = 1;
  for (size_t size = 0; size < kSizes; ++size) {
    const double longer = times[size] / given[size];
    if (longer > (size > 0 ? kNoticeably : kFar))
      return kInfinity;
    product *= longer;
  }
  return std::pow(product, 1.0 / double(kSizes));
}

/// Lowers the times of short messages to those with fewer of the trees, which
/// may become a variant of their own (MediumForests.h).
static llvm::Error offerFewer(const PackingProblem &problem,
                              const Packing &large, ScheduleLimits limits,
                              SizeTimes &times) {
  for (const Packing &fewer :
       mediumCandidates(large, /*others=*/{}, /*leaves=*/false)) {
    llvm::Expected<PlannedVariant> medium = planMedium(problem, fewer, limits);
    if (!medium)
      return medium.takeError();
    for (size_t size = 0; size < kFirstLong; ++size) {
      llvm::Expected<double> time = medium->timeAt(bytesOf(size));
      if (!time)
        return time.takeError();
      times[size] = std::min(times[size], *time);
    }
  }
  return llvm::Error::success();
}

/// Returns `packing` with its trees whole or in the parts that chooseParts
/// prefers by the model; whole if that takes less.
static llvm::Expected<ForestInLanes>
timed(const PackingProblem &problem, Packing packing, ScheduleLimits limits) {
  llvm::Expected<SizeTimes> whole = timesOfTrees(problem, packing, limits);
  if (!whole)
    return whole.takeError();
  llvm::Expected<std::vector<unsigned>> parts =
      chooseParts(problem, packing, limits, /*maxTrees=*/0);
  if (!parts)
    return parts.takeError();
  const std::vector<unsigned> ones(packing.trees.size(), 1);
  if (parts->empty() || *parts == ones)
    return ForestInLanes{{std::move(packing), ones}, *whole};
  const Packing split = splitPacking(packing, *parts);
  llvm::Expected<SizeTimes> inParts = timesOfTrees(problem, split, limits);
  if (!inParts)
    return inParts.takeError();
  if (inParts->back() < kInfinity)
    if (llvm::Error error = offerFewer(problem, split, limits, *inParts))
      return error;
  const bool isWhole = meanLonger(*whole, *inParts) < 1;
  return ForestInLanes{{std::move(packing), isWhole ? ones : std::move(*parts)},
                       isWhole ? *whole : *inParts};
}

bool blink::isSoonSelected(const PackingProblem &problem) {
  constexpr int kMostRanks = 128;
  return problem.rankTopology->numRanks() <=
             (isRooted(problem.collective) ? kFewRanks : kMostRanks) &&
         !isPairwise(problem.collective);
}

llvm::Expected<SelectedForest>
blink::selectForLanes(const PackingProblem &problem, SelectedForest selected,
                      const SelectOptions &options, ScheduleLimits limits,
                      Selector select) {
  constexpr double kFaster = 0.97;
  const RankTopology &machine = *problem.rankTopology;
  if (limits.maxLanes >= defaultLimits(machine).maxLanes ||
      options.slack == 0 || isRouted(problem.collective) ||
      machine.numRanks() == 1 || !isSoonSelected(problem))
    return selected;
  llvm::Expected<ForestInLanes> given =
      timed(problem, selected.packing, limits);
  if (!given)
    return given.takeError();
  if (given->times.back() == kInfinity)
    return selected;
  SelectedForest fastest = given->forest;
  std::vector<std::vector<Tree>> known{fastest.packing.trees};
  double least = kFaster;
  for (const SelectOptions &other :
       optionsForLanes(problem, options, limits.maxLanes)) {
    if (options.keepGoing && !options.keepGoing())
      break;
    llvm::Expected<SelectedForest> forest = select(other);
    if (!forest)
      return forest;
    if (llvm::is_contained(known, forest->packing.trees))
      continue;
    known.push_back(forest->packing.trees);
    llvm::Expected<ForestInLanes> time =
        timed(problem, std::move(forest->packing), limits);
    if (!time)
      return time.takeError();
    if (const double longer = meanLonger(time->times, given->times);
        longer < least) {
      least = longer;
      fastest = std::move(time->forest);
    }
  }
  return fastest;
}
