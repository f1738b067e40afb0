//===- PartialSums.cpp - channels that carry partial sums -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "schedules/PartialSums.h"

#include <utility>

namespace blink::sched {
namespace {

constexpr uint32_t kNone = ~0u;

/// Returns the channel that the step's result is a copy of, or kNone.
uint32_t copiedChannel(const RankProgram &rank, const Step &step) {
  const Operand &first = *rank.operands()->Get(step.operands_begin());
  return step.sources() == 1 && !step.completes() &&
                 first.kind() == OperandKind::channel
             ? first.index()
             : kNone;
}

bool adds(const Step &step) { return step.sources() > 1 && !step.completes(); }

} // namespace

std::vector<bool> partialSums(const Variant &variant) {
  const uint32_t numChannels = variant.channels()->size();
  std::vector<bool> partial(numChannels, false);
  std::vector<uint32_t> copied(numChannels, kNone);
  for (const RankProgram *rank : *variant.ranks())
    for (const Step *step : *rank->steps())
      for (uint32_t i = 0; i < step->destinations(); ++i) {
        const Operand &to = *rank->operands()->Get(step->operands_begin() +
                                                   step->sources() + i);
        if (to.kind() != OperandKind::channel)
          continue;
        partial[to.index()] = adds(*step);
        copied[to.index()] = copiedChannel(*rank, *step);
      }
  // A channel that has been resolved is marked as a copy of nothing, so that
  // each is visited once.
  std::vector<uint32_t> way;
  for (uint32_t channel = 0; channel < numChannels; ++channel) {
    way.clear();
    uint32_t at = channel;
    while (copied[at] != kNone) {
      way.push_back(at);
      at = std::exchange(copied[at], kNone);
    }
    for (uint32_t copy : way)
      partial[copy] = partial[at];
  }
  return partial;
}

bool isPartialSum(const RankProgram &rank, const Step &step,
                  const std::vector<bool> &partial) {
  const uint32_t copied = copiedChannel(rank, step);
  return copied == kNone ? adds(step) : bool(partial[copied]);
}

} // namespace blink::sched
