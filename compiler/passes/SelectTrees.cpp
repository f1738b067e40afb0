//===- SelectTrees.cpp - collective-select-trees --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Forests become smaller forests. The solver is compiler/packing's.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/SelectTrees.h"
#include "compiler/packing/FairRate.h"
#include "compiler/packing/grow/PackGrown.h"
#include "compiler/passes/GrowFaster.h"
#include "compiler/passes/Passes.h"
#include "compiler/plan/SpreadTrees.h"
#include "compiler/simulate/SteadyPart.h"
#include "compiler/target/ForestIR.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using llvm::Error;

namespace blink {
#define GEN_PASS_DEF_SELECTTREESPASS
#include "compiler/passes/Passes.h.inc"

namespace {

/// A forest, what it keeps of its rate on links that share themselves fairly,
/// and how long messages take then.
struct TimedForest {
  Packing packing;
  double part;
  MessageTime time;
};

constexpr double kKept = 0.97, kNoticeably = 1.03, kFaster = 0.99;

/// Whether messages of 4 or 16 MiB take noticeably longer.
bool isSlowerWhenShort(const MessageTime &time, const MessageTime &other) {
  constexpr double kSlower = 1.05;
  for (uint64_t bytes : {kReferenceBytes / 16, kReferenceBytes / 4})
    if (time.at(bytes) > kSlower * other.at(bytes))
      return true;
  return false;
}

/// Whether the rate of `forest` is kept, and that of `other` is not, or is
/// noticeably lower.
bool isHigher(const TimedForest &forest, const TimedForest &other) {
  return forest.part >= kKept &&
         (other.part < kKept ||
          forest.packing.algbw > kNoticeably * other.packing.algbw);
}

/// Of two, that of a higher rate, unless long messages take noticeably longer;
/// of two such the faster one, unless it is not when they are short; of equally
/// fast ones that of the higher rate, however little.
bool isBetter(const TimedForest &forest, const TimedForest &other) {
  const double longer = timeOfLong(forest.time) / timeOfLong(other.time);
  if (isHigher(forest, other))
    return longer < kNoticeably;
  if (isHigher(other, forest))
    return longer < 1 / kNoticeably;
  const bool winsTies =
      forest.part >= kKept && forest.packing.algbw > other.packing.algbw;
  return longer < (winsTies ? 1 / kFaster : kFaster) &&
         !isSlowerWhenShort(forest.time, other.time);
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
/// simulation. What could not be better than `best` takes none, and counts as
/// if it kept nothing.
llvm::Expected<TimedForest> timedForest(const PackingProblem &problem,
                                        Packing packing,
                                        const TimedForest *best = nullptr) {
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
  TimedForest timed{std::move(packing), 1, timeOfLarge(*program)};
  if (isFair(problem, timed.packing, *parts))
    return timed;
  if (best && !isBetter(timed, *best)) {
    timed.part = 0;
    return timed;
  }
  for (FoldProgram::Channel &channel : program->channels)
    channel.slots = kSlots;
  const MessageTime ofLinks = timed.time;
  auto keep = [&](double part) {
    timed.part = part;
    timed.time =
        timeOf(*program, Protocol::simple, ofLinks.flow.chunkBytes, part);
    return !best || isBetter(timed, *best);
  };
  llvm::Expected<double> part =
      steadyPart(*program, ofLinks, best ? lastThatFails(keep) : 0);
  if (!part)
    return part.takeError();
  keep(*part);
  return timed;
}

/// Of a selection whose rate links that share themselves fairly may not keep,
/// of trees of which they keep all, and of smaller forests, the best. The
/// others have up to kMostSlack less than the optimum. Smaller forests are not
/// looked for where nearly all is kept, nor where fair trees have their rate.
llvm::Expected<Packing> selectKept(const PackingProblem &problem,
                                   const PackedTrees &packed, Packing selected,
                                   const SelectOptions &options) {
  constexpr double kMostSlack = 0.05, kNearlyAll = 0.985;
  SelectOptions others = options;
  others.slack = std::max(options.slack, kMostSlack);
  llvm::Expected<Packing> fair = selectFairTrees(problem, packed, others);
  if (!fair)
    return fair;
  const bool isFairFirst = !fair->trees.empty();
  const double rateOfFair = fair->algbw;
  // What is fair needs no simulation, and may spare one of what was selected.
  llvm::Expected<TimedForest> best = timedForest(
      problem, isFairFirst ? std::move(*fair) : std::move(selected));
  if (!best)
    return best.takeError();
  auto take = [&](Packing packing) -> Error {
    if (areAlike(packing, best->packing))
      return Error::success();
    llvm::Expected<TimedForest> timed =
        timedForest(problem, std::move(packing), &*best);
    if (!timed)
      return timed.takeError();
    if (isBetter(*timed, *best))
      best = std::move(timed);
    return Error::success();
  };
  if (isFairFirst)
    if (Error error = take(std::move(selected)))
      return error;
  for (double slack : {kMostSlack / 2, kMostSlack}) {
    if (isFairFirst ? rateOfFair >= (1 - slack) * packed.packing.algbw
                    : best->part >= kNearlyAll)
      break;
    others.slack = std::max(options.slack, slack);
    llvm::Expected<Packing> other = selectTrees(problem, packed, others);
    if (!other)
      return other;
    if (Error error = take(std::move(*other)))
      return error;
  }
  return std::move(best->packing);
}

/// What selectTrees or growFaster finds, or selectKept makes of it.
llvm::Expected<Packing> select(const PackingProblem &problem,
                               const PackedTrees &packed,
                               const SelectOptions &options) {
  if (isGrown(problem, packed.packing, options.maxTrees)) {
    llvm::Expected<Packing> grown =
        growFaster(problem, nullptr, packed.packing.algbw, options);
    if (!grown || !grown->trees.empty())
      return grown;
    return packed.packing;
  }
  llvm::Expected<Packing> selected = selectTrees(problem, packed, options);
  if (!selected)
    return selected;
  llvm::Expected<Packing> grown =
      growFaster(problem, &*selected, packed.packing.algbw, options);
  if (!grown || !grown->trees.empty())
    return grown;
  // A simulation of hundreds of ranks takes minutes: none where its result
  // could change nothing.
  if (options.slack == 0 || isFair(problem, *selected) ||
      !hasFairTrees(problem))
    return selected;
  return selectKept(problem, packed, std::move(*selected), options);
}

LogicalResult selectFrom(collective::ForestOp forest,
                         const SelectOptions &options, PeerLimits &limits) {
  if (forest.getProtocol() || forest.getMinBytes() || forest.getMaxBytes())
    return success(); // made for some sizes, not for the rate alone
  auto from = problemFromIR(forest, limits);
  if (failed(from))
    return failure();
  PackedTrees packed = readForest(forest, **from);
  llvm::Expected<Packing> selected = select((*from)->problem, packed, options);
  if (!selected)
    return forest.emitError(toString(selected.takeError()));
  OpBuilder builder(forest);
  if (failed(buildForest(builder, forest.getLoc(), forest.getTopologyAttr(),
                         **from, *selected, packed.certificate, {})))
    return failure();
  forest.erase();
  return success();
}

struct SelectTrees : impl::SelectTreesPassBase<SelectTrees> {
  using Base::Base;
  SelectTrees(const SelectTreesPassOptions &options,
              const std::function<bool()> &keepGoing)
      : Base(options), keepGoing_(keepGoing) {}

  void runOnOperation() override {
    if (!(slack >= 0 && slack < 1)) {
      getOperation().emitError() << "slack must be at least 0 and below 1";
      return signalPassFailure();
    }
    SelectOptions options;
    options.slack = slack;
    options.maxTrees = static_cast<int>(maxTrees);
    options.keepGoing = keepGoing_;
    SmallVector<collective::ForestOp> forests(
        getOperation().getOps<collective::ForestOp>());
    auto &limits = getAnalysis<PeerLimits>();
    markAnalysesPreserved<PeerLimits>();
    for (collective::ForestOp forest : forests)
      if (failed(selectFrom(forest, options, limits)))
        return signalPassFailure();
  }

  std::function<bool()> keepGoing_;
};

} // namespace

std::unique_ptr<Pass>
createSelectTreesPass(const SelectTreesPassOptions &options,
                      const std::function<bool()> &keepGoing) {
  return std::make_unique<SelectTrees>(options, keepGoing);
}

} // namespace blink
