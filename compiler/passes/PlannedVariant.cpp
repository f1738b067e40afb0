//===- PlannedVariant.cpp - a variant that can be simulated ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/PlannedVariant.h"

#include <utility>

using namespace blink;

PlannedVariant PlannedVariant::create(FoldProgram program, VariantUse use,
                                      uint32_t chunkBytes) {
  const ChannelSlots slots = chooseSlotsFor(program, use, chunkBytes);
  assignSlots(program, slots);
  return {std::move(program), use.protocol, slots.chunks};
}

bool PlannedVariant::isSoonSimulated(uint64_t bytes, double mostFolds) const {
  return simulatedFolds(program, chunks, bytes, protocol) <= mostFolds;
}

llvm::Expected<double> PlannedVariant::timeAt(uint64_t bytes) const {
  return shortTime(program, chunks, bytes, protocol);
}

llvm::Expected<PlannedVariant> blink::planMedium(const PackingProblem &problem,
                                                 const Packing &packing,
                                                 ScheduleLimits limits) {
  constexpr VariantUse kForMedium{Protocol::simple, 8 << 20};
  llvm::Expected<FoldProgram> program =
      planForest(problem, packing, kForMedium.protocol, limits.maxLanes);
  if (!program)
    return program.takeError();
  return PlannedVariant::create(std::move(*program), kForMedium,
                                limits.chunkBytes);
}
