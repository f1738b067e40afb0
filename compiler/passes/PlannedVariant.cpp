//===- PlannedVariant.cpp - a variant that can be simulated ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/PlannedVariant.h"

#include "compiler/passes/FastestOrder.h"
#include "compiler/plan/ExpandForest.h"
#include "compiler/simulate/ShortTimes.h"

#include <utility>

using namespace blink;

PlannedVariant PlannedVariant::create(FoldProgram program, VariantUse use,
                                      uint32_t chunkBytes) {
  const ChannelSlots slots = chooseSlotsFor(program, use, chunkBytes);
  assignSlots(program, slots);
  return {std::move(program), use.protocol, slots.chunks};
}

bool PlannedVariant::isSoonSimulated(uint64_t bytes) const {
  return simulatedFolds(program, chunks, bytes, protocol) <= kSoonSimulated;
}

llvm::Expected<double> PlannedVariant::timeAt(uint64_t bytes) const {
  return shortTime(program, chunks, bytes, protocol);
}

llvm::Expected<OrderedVariant> blink::planVariant(const PackingProblem &problem,
                                                  const Packing &packing,
                                                  VariantUse use,
                                                  ScheduleLimits limits) {
  llvm::Expected<FoldProgram> program = expandForest(problem, packing);
  if (!program)
    return program.takeError();
  llvm::Expected<TreeOrder> order =
      assignFastestOrder(*program, use, limits.maxLanes, [](FoldProgram &) {});
  if (!order)
    return order.takeError();
  return OrderedVariant{
      PlannedVariant::create(std::move(*program), use, limits.chunkBytes),
      *order};
}
