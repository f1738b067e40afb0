//===- RankRunWaits.cpp - what lanes wait for -----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Readers of shared slots, wrong chunks, and, for error messages, which rank is
// late.
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Memory.h"
#include "runtime/host/RankRun.h"

#include <algorithm>
#include <cassert>

namespace blink::runtime {

//===-- Draining ----------------------------------------------------------===//

/// Begins to wait for the readers of shared slots. The rank has run `before`,
/// of the variant with these `rings`; some of its chunks are in slots of other
/// rings than their readers'.
void RankRun::drain(const RankPlan &before,
                    const std::vector<uint32_t> &rings) {
  if (!draining_.load(std::memory_order_acquire))
    drain_.clear();
  for (size_t s = 0; s < before.sharedSlots.size(); ++s) {
    if (before.sharedSlots[s] == 0)
      continue;
    const StepCode &step = before.code.steps[s];
    for (uint32_t i = step.sources; i < step.numOperands(); ++i) {
      const OperandCode &operand = before.code.operands[step.operandsBegin + i];
      if (operand.kind != OperandKind::channel || i == before.sharedSlots[s])
        continue;
      const uint32_t ring = rings[operand.index];
      const uint64_t number = rings_.writers[ring].number;
      if (loadAcquire(rings_.writers[ring].freed) < number)
        drain_.emplace_back(ring, number);
    }
  }
  draining_.store(!drain_.empty(), std::memory_order_relaxed);
}

/// Returns true if this rank must not write to slots yet. To be called if it is
/// draining, or was a moment ago.
bool RankRun::stillDraining(Need *need) {
  for (auto [ring, number] : drain_) {
    const uint64_t freed = loadAcquire(rings_.writers[ring].freed);
    if (freed >= number)
      continue;
    if (need) {
      const auto &rings = variant_->rings;
      const auto channel = std::find(rings.begin(), rings.end(), ring);
      if (channel != rings.end())
        need->channel = uint32_t(channel - rings.begin());
      need->expected = number;
      need->seen = freed;
    }
    return true;
  }
  draining_.store(false, std::memory_order_release);
  return false;
}

//===-- Messages ----------------------------------------------------------===//

/// Fails the job: a chunk has come from a rank that is in another call.
void RankRun::checkSignature(uint32_t channel, uint64_t tag) {
  const int source = plan_.rings[variant_->rings[channel]].source;
  if (call_->isMessage())
    return failJob(callsDiffer(rank_, call_->kind, source, "sent another one"));
  const CallKind other = rings_.segment.lastCall(source);
  failJob(callsDiffer(rank_, call_->kind, source,
                      signatureBits(other.hash()) == tag >> kNumberBits
                          ? other.describe()
                          : "sent what belongs to another call"));
}

void RankRun::failJob(const Status &why) {
  // Relaxed: the thread that asks has waited for this one to be quiet.
  if (rings_.segment.fail(why))
    failedJob_.store(true, std::memory_order_relaxed);
}

std::optional<Need> RankRun::needOf(const Lane &lane) {
  const StepCode &step = lane.steps[lane.cursor.step()];
  const OperandCode *operands = operandsOf(step);
  for (uint32_t i = 0; i < step.numOperands(); ++i) {
    Need need;
    need.lane = lane.number;
    need.step = lane.cursor.step();
    need.channel = operands[i].index;
    if (operands[i].kind == OperandKind::channel &&
        (i < step.sources ? chunkMissing(operands[i], &need)
                          : slotMissing(operands[i], &need)))
      return need;
  }
  return std::nullopt;
}

std::optional<Need>
RankRun::firstNeed(const std::function<bool(uint32_t ring)> &concerns) {
  // Chunks that others sent before they left or died count as arrived.
  while (rings_.remote.carriers.any() &&
         rings_.remote.carriers.progress(rank_, /*wait=*/true))
    ;
  std::optional<Need> first;
  for (uint32_t l = 0; l < numActive_; ++l) {
    Lane &lane = lanes_[l];
    if (lane.claimed.exchange(1, std::memory_order_seq_cst) != 0)
      continue;
    std::optional<Need> need;
    if (!lane.done)
      need = needOf(lane);
    lane.claimed.store(0, std::memory_order_release);
    if (!need)
      continue;
    if (!first)
      first = need;
    if (!concerns || concerns(variant_->rings[need->channel]))
      return need;
  }
  // Lanes that another thread steps write to the rings below.
  if (first || hasLanesLeft())
    return first;
  // Lanes of other calls use other rings of the variant, so only what this call
  // lent counts.
  for (uint32_t ring : borrowedRings_)
    if (loadAcquire(rings_.writers[ring].freed) < rings_.writers[ring].number)
      return needOf(ring);
  return std::nullopt;
}

uint32_t RankRun::lastWait() const {
  for (uint32_t l = 0; l < numActive_; ++l)
    if (const uint32_t code = lanes_[l].waited.load(std::memory_order_relaxed))
      return code;
  if (hasLanesLeft()) // a worker is stepping one
    return 0;
  for (uint32_t ring : borrowedRings_)
    if (loadAcquire(rings_.writers[ring].freed) < rings_.writers[ring].number)
      return kLentRing | ring;
  return 0;
}

bool RankRun::awaitsTransports() const {
  if (!rings_.remote.carriers.any() || hasWorkers_)
    return false;
  const uint64_t limit = roundLimit();
  for (uint32_t l = 0; l < numActive_; ++l) {
    if (lanes_[l].done || lanes_[l].cursor.round() >= limit)
      continue;
    const uint32_t code = lanes_[l].waited.load(std::memory_order_relaxed);
    if (code == 0 || !plan_.rings[variant_->rings[(code - 1) / 2]].apart)
      return false;
  }
  return hasLanesLeft() || lastWait() == 0;
}

int RankRun::waitedFor(uint32_t code) const {
  if (code == 0)
    return -1;
  if (code & kLentRing)
    return plan_.rings[code & ~kLentRing].destination;
  const RingPlan &ring = plan_.rings[variant_->rings[(code - 1) / 2]];
  return (code - 1) % 2 ? ring.source : ring.destination;
}

void RankRun::eachNeed(
    const std::function<void(size_t place, const Need &need)> &tell) {
  bool waits = false;
  for (uint32_t l = 0; l < numActive_; ++l) {
    Lane &lane = lanes_[l];
    if (lane.claimed.exchange(1, std::memory_order_seq_cst) != 0)
      continue; // a worker is at it, so it does not wait
    std::optional<Need> need;
    if (!lane.done)
      need = needOf(lane);
    lane.claimed.store(0, std::memory_order_release);
    waits |= need.has_value();
    if (need)
      tell(l, *need);
  }
  if (waits || hasLanesLeft())
    return;
  for (uint32_t ring : borrowedRings_)
    if (loadAcquire(rings_.writers[ring].freed) < rings_.writers[ring].number)
      return tell(0, needOf(ring));
}

std::optional<Need> RankRun::firstUnflushed() const {
  const auto ring = unflushedRing();
  return ring == carriedRings_.end() ? std::optional<Need>() : needOf(*ring);
}

Need RankRun::needOf(uint32_t ring) const {
  Need need;
  need.expected = rings_.writers[ring].number;
  need.seen = loadAcquire(rings_.writers[ring].freed);
  for (need.lane = 0; need.lane < numActive_; ++need.lane) {
    const Lane &lane = lanes_[need.lane];
    for (need.step = 0; need.step < lane.numSteps; ++need.step) {
      const StepCode &step = lane.steps[need.step];
      const OperandCode *operands = operandsOf(step);
      for (uint32_t i = step.sources; i < step.numOperands(); ++i) {
        need.channel = operands[i].index;
        if (operands[i].kind == OperandKind::channel &&
            variant_->rings[need.channel] == ring)
          return need;
      }
    }
  }
  assert(false && "the call writes to the ring");
  return need;
}

bool RankRun::hasArrived(const HostRings &rings, const Call &call) {
  const VariantPlan &variant = call.variant();
  const CallShape shape = call.shape(variant, /*borrowed=*/false);
  // The rank receives, so it has lanes.
  const RankCode &code = variant.ranks[call.rank].code;
  const LaneCode &last = code.lanes[code.numLanes - 1];
  for (uint32_t s = 0; s < last.stepsBegin + last.stepsCount; ++s) {
    const StepCode &step = code.steps[s];
    const OperandCode *operands = code.operands + step.operandsBegin;
    const OperandCode &to = operands[step.sources];
    if (to.kind != OperandKind::output || to.index != uint32_t(call.peer) ||
        operands[0].kind != OperandKind::channel ||
        shape.rangeOf(variant.trees[step.tree]).size() == 0)
      continue; // of another message, or of a tree that carries nothing of it
    const uint32_t channel = operands[0].index;
    const RingEnd &end = rings.readers[variant.rings[channel]];
    const SlotHead &head = end.heads[end.number % variant.slots[channel]];
    return loadAcquire(&head.full) ==
           makeTag(end.number, signatureBits(call.kind.hash()));
  }
  return false;
}

} // namespace blink::runtime
