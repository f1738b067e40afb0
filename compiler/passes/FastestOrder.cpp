//===- FastestOrder.cpp - lanes with which short messages are fast --------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/FastestOrder.h"

#include "compiler/plan/AssignLanes.h"
#include "compiler/plan/ChunkChoice.h"
#include "compiler/plan/NetworkCosts.h"
#include "compiler/simulate/ShortTimes.h"

#include "llvm/ADT/STLExtras.h"

#include <cstdint>
#include <vector>

using namespace blink;

static size_t numFolds(const FoldProgram &program) {
  size_t folds = 0;
  for (const FoldProgram::Rank &rank : program.ranks)
    folds += rank.folds.size();
  return folds;
}

/// Returns true if the order of folds in lanes is worth simulations.
static bool isWorthTrying(const FoldProgram &program, unsigned maxLanes) {
  constexpr size_t kMostFolds = 8192;
  return !program.symmetry && !leavesMachine(program) &&
         numFolds(program) <= kMostFolds &&
         llvm::any_of(program.ranks, [&](const FoldProgram::Rank &rank) {
           return rank.folds.size() > maxLanes;
         });
}

/// Returns the times of 4 MiB and, if the program is small, 16 MiB.
static llvm::Expected<std::vector<double>> timesOf(FoldProgram program,
                                                   const ChannelSlots &slots) {
  constexpr size_t kFewFolds = 2048;
  assignSlots(program, slots);
  std::vector<double> times;
  for (const uint64_t size : {kShortSizes[2], kShortSizes[3]}) {
    if (!times.empty() && numFolds(program) > kFewFolds)
      break;
    llvm::Expected<double> time = shortTime(program, slots.chunks, size);
    if (!time)
      return time.takeError();
    times.push_back(*time);
  }
  return times;
}

/// Returns the mean of the quotients of `times` and `given`.
static double meanPart(const std::vector<double> &times,
                       const std::vector<double> &given) {
  double sum = 0;
  for (auto [time, other] : llvm::zip_equal(times, given))
    sum += time / other;
  return sum / double(times.size());
}

llvm::Error
blink::assignFastestOrder(FoldProgram &program, unsigned maxLanes,
                          llvm::function_ref<void(FoldProgram &)> finish) {
  constexpr double kFaster = 0.995;
  const FoldProgram loose = program;
  auto assign = [&](TreeOrder order) {
    FoldProgram assigned = loose;
    assignLanes(assigned, sched::Protocol::simple, maxLanes, order);
    finish(assigned);
    return assigned;
  };
  program = assign(TreeOrder::asGiven);
  if (!isWorthTrying(program, maxLanes))
    return llvm::Error::success();
  const ChannelSlots slots = chooseSlots(program, 0);
  llvm::Expected<std::vector<double>> given = timesOf(program, slots);
  if (!given)
    return given.takeError();
  std::vector<std::vector<int>> tried{placesOf(loose, TreeOrder::asGiven)};
  double least = kFaster;
  for (const TreeOrder order :
       {TreeOrder::copiesInTurn, TreeOrder::rootsInTurn}) {
    std::vector<int> places = placesOf(loose, order);
    if (llvm::is_contained(tried, places))
      continue;
    tried.push_back(std::move(places));
    FoldProgram other = assign(order);
    llvm::Expected<std::vector<double>> times = timesOf(other, slots);
    if (!times)
      return times.takeError();
    if (const double part = meanPart(*times, *given); part < least) {
      least = part;
      program = std::move(other);
    }
  }
  return llvm::Error::success();
}
