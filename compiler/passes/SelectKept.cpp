//===- SelectKept.cpp - the forest whose rate links keep ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/SelectKept.h"

#include "compiler/packing/FairRate.h"
#include "compiler/plan/SpreadTrees.h"
#include "compiler/simulate/ShortTimes.h"
#include "compiler/simulate/SteadyPart.h"
#include "compiler/support/Infinity.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <optional>

using namespace blink;
using llvm::Error;

namespace {

/// A forest, in parts and lanes, what it keeps of its rate on links that share
/// themselves fairly, and how long messages take then.
struct TimedForest {
  Packing packing;
  FoldProgram program;
  double part;
  MessageTime time;
  std::optional<ShortTimes> shortTimes; ///< once somebody asked
};

constexpr double kKept = 0.97, kNoticeably = 1.03, kFaster = 0.99;

/// How many times as long messages of 256 KiB to 16 MiB take, on average;
/// infinitely, if one of them takes far longer.
llvm::Expected<double> slownessWhenShort(TimedForest &forest,
                                         TimedForest &other) {
  constexpr double kFarLonger = 1.15;
  for (TimedForest *timed : {&forest, &other})
    if (!timed->shortTimes) {
      llvm::Expected<ShortTimes> times =
          shortTimes(timed->program, timed->time.flow.sizes());
      if (!times)
        return times.takeError();
      timed->shortTimes = *times;
    }
  double product = 1;
  for (auto [time, otherTime] :
       llvm::zip_equal(*forest.shortTimes, *other.shortTimes)) {
    if (time > kFarLonger * otherTime)
      return kInfinity;
    product *= time / otherTime;
  }
  return std::pow(product, 1.0 / double(kShortSizes.size()));
}

/// Whether the rate of `forest` is kept, and that of `other` is not, or is
/// noticeably lower.
bool isHigher(const TimedForest &forest, const TimedForest &other) {
  return forest.part >= kKept &&
         (other.part < kKept ||
          forest.packing.algbw > kNoticeably * other.packing.algbw);
}

/// Of two, for long messages, that of a higher rate, unless they take
/// noticeably longer; of two such the faster one; of equally fast ones either.
bool mayBeBetter(const TimedForest &forest, const TimedForest &other) {
  const double longer = timeOfLong(forest.time) / timeOfLong(other.time);
  if (isHigher(forest, other))
    return longer < kNoticeably;
  if (isHigher(other, forest))
    return longer < 1 / kNoticeably;
  return longer < (forest.part >= kKept ? 1 / kFaster : kFaster);
}

/// The same, or if it takes long messages no longer, and so could win by short
/// ones.
bool couldBeBetter(const TimedForest &forest, const TimedForest &other) {
  return mayBeBetter(forest, other) ||
         (forest.part > 0 &&
          timeOfLong(forest.time) < kNoticeably * timeOfLong(other.time));
}

/// Short messages may take so many times as long.
constexpr double kLittleSlower = 1.02;

/// The same, unless short messages take longer, or for a higher rate `slower`
/// times as long. Of equally fast ones that of the higher rate, however little,
/// or with which short messages are faster; if far faster, also one that keeps
/// less of its rate, but takes long messages no longer.
llvm::Expected<bool> isBetter(TimedForest &forest, TimedForest &other,
                              double slower) {
  constexpr double kFasterWhenShort = 0.98, kFarFaster = 0.9;
  const double longer = timeOfLong(forest.time) / timeOfLong(other.time);
  const bool may = mayBeBetter(forest, other);
  if (!couldBeBetter(forest, other))
    return false;
  const bool higher = isHigher(forest, other);
  if (may && higher && slower == kInfinity)
    return true;
  llvm::Expected<double> slowness = slownessWhenShort(forest, other);
  if (!slowness)
    return slowness.takeError();
  if (!may)
    return *slowness < kFarFaster;
  if (higher)
    return *slowness < slower;
  const bool ties =
      forest.packing.algbw <= other.packing.algbw && longer >= kFaster;
  return *slowness < (ties ? kFasterWhenShort : kLittleSlower);
}

/// Whether two forests differ in nothing but how weights were rounded.
bool areAlike(const Packing &forest, const Packing &other) {
  constexpr double kRounding = 1e-9;
  return std::equal(forest.trees.begin(), forest.trees.end(),
                    other.trees.begin(), other.trees.end(),
                    [](const Tree &a, Tree b) {
                      if (std::abs(a.weight - b.weight) <= kRounding * a.weight)
                        b.weight = a.weight;
                      return a == b;
                    });
}

/// Up to where, about, a part from 1/2 to 1 does not pass, if all do from
/// somewhere on; 0: all do.
double lastThatFails(llvm::function_ref<bool(double)> passes) {
  constexpr double kStep = 1.0 / 512;
  double fails = 0.5, next = 1;
  if (passes(fails))
    return 0;
  while (next - fails > kStep) {
    const double middle = (fails + next) / 2;
    (passes(middle) ? next : fails) = middle;
  }
  return fails;
}

/// A fluid is trusted where it keeps the rate; else slots may, which takes a
/// simulation, and so do fair trees that leave links no room, or little, with
/// which there are others: they may drift. What could not be better than `best`
/// takes none, and counts as if it kept nothing.
llvm::Expected<TimedForest> timedForest(const PackingProblem &problem,
                                        Packing packing, double optimum,
                                        TimedForest *best) {
  constexpr double kWithRoom = 0.99;
  const ScheduleLimits limits;
  llvm::Expected<std::vector<unsigned>> parts =
      chooseParts(problem, packing, limits, /*maxTrees=*/0);
  if (!parts)
    return parts.takeError();
  llvm::Expected<FoldProgram> program =
      planParts(problem, packing, *parts, limits);
  if (!program)
    return program.takeError();
  if (parts->empty())
    parts->assign(packing.trees.size(), 1);
  for (FoldProgram::Channel &channel : program->channels)
    channel.slots = kSlots;
  const MessageTime ofLinks = cutShortMessages(timeOfLarge(*program));
  TimedForest timed{std::move(packing), std::move(*program), 1, ofLinks, {}};
  if (timed.packing.algbw <= kWithRoom * optimum &&
      isFair(problem, timed.packing, *parts))
    return timed;
  if (best) {
    llvm::Expected<bool> may = isBetter(timed, *best, kInfinity);
    if (!may)
      return may.takeError();
    if (!*may) {
      timed.part = 0;
      return timed;
    }
  }
  auto keep = [&](double part) {
    timed.part = part;
    timed.time =
        timeOf(timed.program, Protocol::simple, ofLinks.flow.sizes(), part);
    return !best || couldBeBetter(timed, *best);
  };
  llvm::Expected<double> part =
      steadyPart(timed.program, ofLinks, best ? lastThatFails(keep) : 0);
  if (!part)
    return part.takeError();
  keep(*part);
  return timed;
}

} // namespace

llvm::Expected<Packing> blink::selectKept(const PackingProblem &problem,
                                          const PackedTrees &packed,
                                          Packing selected,
                                          const SelectOptions &options) {
  constexpr double kMostSlack = 0.05, kNearlyAll = 0.985;
  auto slackOf = [&](double slack) { return std::max(options.slack, slack); };
  std::optional<TimedForest> best;
  auto take = [&](Packing packing, double slower) -> Error {
    if (best && areAlike(packing, best->packing))
      return Error::success();
    llvm::Expected<TimedForest> timed =
        timedForest(problem, std::move(packing), packed.packing.algbw,
                    best ? &*best : nullptr);
    if (!timed)
      return timed.takeError();
    if (best) {
      llvm::Expected<bool> better = isBetter(*timed, *best, slower);
      if (!better)
        return better.takeError();
      if (!*better)
        return Error::success();
    }
    best = std::move(*timed);
    return Error::success();
  };
  llvm::Expected<std::vector<Packing>> fair = selectFairTrees(
      problem, packed, options,
      {slackOf(kMostSlack), slackOf(kMostSlack / 2), options.slack});
  if (!fair)
    return fair.takeError();
  // What is fair needs no simulation, and may spare one of what was selected.
  // More of the rate takes more trees, with which short messages may be slower.
  double rateOfFair = fair->empty() ? 0 : fair->front().algbw;
  if (!fair->empty()) {
    if (Error error = take(std::move(fair->front()), kInfinity))
      return error;
    if (best->part < kKept)
      rateOfFair = 0;
  }
  if (Error error = take(std::move(selected), kInfinity))
    return error;
  for (Packing &packing : llvm::drop_begin(*fair, fair->empty() ? 0 : 1))
    if (Error error = take(std::move(packing), kLittleSlower))
      return error;
  SelectOptions others = options;
  for (double slack : {kMostSlack / 2, kMostSlack}) {
    if (rateOfFair > 0 ? rateOfFair >= (1 - slack) * packed.packing.algbw
                       : best->part >= kNearlyAll)
      break;
    others.slack = slackOf(slack);
    llvm::Expected<Packing> other = selectTrees(problem, packed, others);
    if (!other)
      return other;
    if (Error error = take(std::move(*other), kInfinity))
      return error;
  }
  return std::move(best->packing);
}
