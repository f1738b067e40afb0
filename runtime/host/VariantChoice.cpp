//===- VariantChoice.cpp - which variant a call on the host takes ---------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/VariantChoice.h"

#include <algorithm>

namespace blink::runtime {
namespace {

/// Calls of fewer bytes exchange inputs (docs/rationale.md, R291). An exchange
/// of whole inputs makes twice the additions of one of halves, and waits once
/// less.
constexpr uint64_t kExchangeBelow = 128 << 10;

/// The most bytes of a chunk: if chunks were larger, a reader would have too
/// little to overlap with the writer's copy.
constexpr uint64_t kExchangeChunk = 64 << 10;

/// Whether the step sends anything but its rank's input.
bool passesOn(const StepCode &step, const OperandCode *operands) {
  const OperandCode *written = operands + step.sources;
  return std::any_of(written, operands + step.numOperands(),
                     [](const OperandCode &to) {
                       return to.kind == OperandKind::channel;
                     }) &&
         std::any_of(operands, written, [](const OperandCode &from) {
           return from.kind != OperandKind::input;
         });
}

bool isExchange(const VariantPlan &variant) {
  for (const RankPlan &rank : variant.ranks)
    for (uint32_t l = 0; l < rank.code.numLanes; ++l) {
      const LaneCode &lane = rank.code.lanes[l];
      for (uint32_t s = 0; s < lane.stepsCount; ++s) {
        const StepCode &step = rank.code.steps[lane.stepsBegin + s];
        if (passesOn(step, rank.code.operands + step.operandsBegin))
          return false;
      }
    }
  return true;
}

/// Returns the bytes of a chunk for which all rings of the variant have room.
uint64_t roomOf(const Plan &plan, const VariantPlan &variant) {
  constexpr uint64_t kLine = 64;
  uint64_t room = kExchangeChunk;
  for (size_t channel = 0; channel < variant.rings.size(); ++channel)
    room = std::min(room, plan.rings[variant.rings[channel]].bytes /
                              variant.slots[channel] / kLine * kLine);
  return room;
}

} // namespace

void extendExchanges(Plan &plan) {
  if (plan.numRanks != 2 || plan.numServers != 1)
    return;
  for (ProgramPlan &program : plan.programs) {
    VariantPlan &first = program.variants.front();
    if (program.program->collective() != sched::Collective::allreduce ||
        first.variant->protocol() != sched::Protocol::low_latency ||
        !isExchange(first))
      continue;
    program.exchangeBelow = kExchangeBelow;
    first.chunks.bytes =
        std::max(first.chunks.bytes, uint32_t(roomOf(plan, first)));
  }
}

} // namespace blink::runtime
