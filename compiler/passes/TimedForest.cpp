//===- TimedForest.cpp - a forest, and how long messages take -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/TimedForest.h"

#include "compiler/packing/FairRate.h"
#include "compiler/plan/DefaultLanes.h"
#include "compiler/plan/SpreadTrees.h"
#include "compiler/simulate/SteadyPart.h"
#include "compiler/support/Infinity.h"

using namespace blink;

llvm::Expected<TimedForest> TimedForest::create(const PackingProblem &problem,
                                                Packing packing) {
  const ScheduleLimits limits = defaultLimits(*problem.rankTopology);
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
  return TimedForest(std::move(packing), std::move(*parts),
                     std::move(*program));
}

TimedForest::TimedForest(Packing packing, std::vector<unsigned> parts,
                         FoldProgram program)
    : packing_(std::move(packing)), parts_(std::move(parts)),
      program_(std::move(program)),
      ofLinks_(cutShortMessages(timeOfLarge(program_))),
      timeOfLong_(blink::timeOfLong(ofLinks_)) {}

llvm::Expected<double> TimedForest::shortTime(size_t which) {
  std::optional<double> &known = shortTimes_[which];
  if (!known) {
    llvm::Expected<double> time =
        blink::shortTime(program_, ofLinks_.flow.sizes(), kShortSizes[which]);
    if (!time)
      return time;
    known = *time;
  }
  return *known;
}

bool TimedForest::isFair(const PackingProblem &problem) const {
  return blink::isFair(problem, packing_, parts_);
}

void TimedForest::keep(double part) {
  part_ = part;
  timeOfLong_ =
      part > 0 ? blink::timeOfLong(keptPart(ofLinks_, part)) : kInfinity;
}

llvm::Error TimedForest::simulate(double least) {
  llvm::Expected<double> part = steadyPart(program_, ofLinks_, least);
  if (!part)
    return part.takeError();
  keep(*part);
  return llvm::Error::success();
}
