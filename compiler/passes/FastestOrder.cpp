//===- FastestOrder.cpp - the fastest order of trees ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/FastestOrder.h"

#include "compiler/plan/AssignLanes.h"
#include "compiler/plan/ExpandForest.h"
#include "compiler/support/Infinity.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

using namespace blink;

/// The most folds of a simulation: a few milliseconds.
static constexpr size_t kMostFolds = 4096;
static constexpr size_t kMostOfFirst = 1 << 20; // a second

/// Returns sizes of messages that the variant serves, ascending.
static llvm::SmallVector<uint64_t> sizesFor(VariantUse use) {
  if (use.maxBytes)
    return {(*use.maxBytes + 63) / 64, (*use.maxBytes + 7) / 8, *use.maxBytes};
  llvm::SmallVector<uint64_t> sizes{4 << 20, 16 << 20, 64 << 20};
  while (sizes.size() > 1 && sizes.front() < use.minBytes)
    sizes.erase(sizes.begin());
  return sizes;
}

/// Returns true if the order of folds in lanes is worth simulations.
static bool isWorthTrying(const FoldProgram &program, unsigned maxLanes) {
  return program.numFolds() <= kMostFolds &&
         llvm::any_of(program.ranks, [&](const FoldProgram::Rank &rank) {
           return rank.folds.size() > maxLanes;
         });
}

/// Returns the times of sizesFor(use), or of those that take no more than
/// kMostFolds folds or waves of folds. The first may take kMostOfFirst, so
/// there may be none.
static llvm::Expected<std::vector<double>> timesOf(FoldProgram program,
                                                   VariantUse use) {
  const double folds = double(program.numFolds());
  // If folds lag more in another order, channels have more slots.
  const auto variant = PlannedVariant::create(std::move(program), use, 0);
  std::vector<double> times;
  const uint32_t wave = use.protocol == sched::Protocol::low_latency
                            ? sched::kWaveBytes
                            : variant.chunks.bytes;
  for (const uint64_t size : sizesFor(use)) {
    const double waves =
        std::ceil(double(size) * largestShare(variant.program) / wave);
    if (folds * waves > (times.empty() ? kMostOfFirst : kMostFolds))
      break;
    llvm::Expected<double> time = variant.timeAt(size);
    if (!time)
      return time.takeError();
    times.push_back(*time);
  }
  return times;
}

/// Returns the mean of the quotients of `times` and `given`; infinity if one of
/// them is too large, or there are none.
static double meanPart(const std::vector<double> &times,
                       const std::vector<double> &given) {
  constexpr double kSlower = 1.02;
  double sum = 0;
  for (auto [time, other] : llvm::zip(times, given))
    sum += time > kSlower * other ? kInfinity : time / other;
  const size_t number = std::min(times.size(), given.size());
  return number > 0 ? sum / double(number) : kInfinity;
}

/// Returns true if all lanes have the same folds in the same order.
static bool haveSameLanes(const FoldProgram &program,
                          const FoldProgram &other) {
  return llvm::equal(
      program.ranks, other.ranks,
      [](const auto &one, const auto &two) { return one.lanes == two.lanes; });
}

llvm::Expected<LaneOrder>
blink::assignFastestOrder(FoldProgram &program, VariantUse use,
                          unsigned maxLanes,
                          llvm::function_ref<void(FoldProgram &)> finish) {
  constexpr double kFaster = 0.995;
  constexpr LaneOrder kByModel{TreeOrder::asGiven, /*mayMix=*/true};
  auto assign = [&](FoldProgram &to, llvm::ArrayRef<int> places, bool mayMix) {
    assignLanes(to, use.protocol, maxLanes, places, mayMix);
    finish(to);
  };
  if (!isWorthTrying(program, maxLanes)) {
    assign(program, {}, kByModel.mayMix); // in place: it may be large
    return kByModel;
  }
  const FoldProgram loose = program;
  auto assigned = [&](llvm::ArrayRef<int> places, bool mayMix) {
    FoldProgram lanes = loose;
    assign(lanes, places, mayMix);
    return lanes;
  };
  assign(program, {}, /*mayMix=*/false);
  llvm::Expected<std::vector<double>> given = timesOf(program, use);
  if (!given)
    return given.takeError();
  if (given->empty()) {
    program = assigned({}, kByModel.mayMix);
    return kByModel;
  }
  LaneOrder fastest;
  double least = kFaster;
  auto offer = [&](FoldProgram other, LaneOrder order) -> llvm::Error {
    llvm::Expected<std::vector<double>> times = timesOf(other, use);
    if (!times)
      return times.takeError();
    if (const double part = meanPart(*times, *given); part < least) {
      least = part;
      fastest = order;
      program = std::move(other);
    }
    return llvm::Error::success();
  };
  if (FoldProgram mixed = assigned({}, true); !haveSameLanes(mixed, program))
    if (llvm::Error error =
            offer(std::move(mixed), {TreeOrder::asGiven, /*mayMix=*/true}))
      return error;
  // In symmetric form, folds are not given in the order of trees.
  std::vector<std::vector<int>> tried;
  if (!program.symmetry)
    tried.push_back(placesOf(loose, TreeOrder::asGiven));
  const bool mayMix = fastest.mayMix;
  for (const TreeOrder order :
       {TreeOrder::copiesInTurn, TreeOrder::rootsInTurn}) {
    std::vector<int> places = placesOf(loose, order);
    if (llvm::is_contained(tried, places))
      continue;
    if (llvm::Error error = offer(assigned(places, mayMix), {order, mayMix}))
      return error;
    tried.push_back(std::move(places));
  }
  return fastest;
}

llvm::Expected<OrderedVariant> blink::planVariant(const PackingProblem &problem,
                                                  const Packing &packing,
                                                  VariantUse use,
                                                  ScheduleLimits limits) {
  llvm::Expected<FoldProgram> program = expandForest(problem, packing);
  if (!program)
    return program.takeError();
  llvm::Expected<LaneOrder> order =
      assignFastestOrder(*program, use, limits.maxLanes, [](FoldProgram &) {});
  if (!order)
    return order.takeError();
  return OrderedVariant{
      PlannedVariant::create(std::move(*program), use, limits.chunkBytes),
      *order};
}
