//===- LaneChannels.h - a lane's way and its channels -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The work of a lane on a device around each fold, which does not depend on the
// type and the operator: the lane waits for its operands, tells the other ends,
// and keeps traces.
//
// A chunk costs the folding threads one trip to memory, for the tags of its
// sources: the threads of these operands load them at the same time. Room in a
// ring is looked for only if the last look did not show enough of it. Buffers
// that are used without slots need neither.
//
// Order of accesses. A thread that waits for a tag or a credit loads it with
// acquire; the barrier of the folding threads then orders the accesses of the
// other threads after that load. After a fold the barrier of all threads orders
// the folding threads' reads and writes before the posters' stores. The posters
// announce the chunk behind one fence at system scope, while the folding
// threads go on with the next chunk. Barriers at block scope and fences at
// system scope compose, because causality order is transitive.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_LANECHANNELS_H
#define BLINK_RUNTIME_CUDA_LANECHANNELS_H

#include "runtime/core/LaneCursor.h"
#include "runtime/cuda/LaneCall.h"
#include "runtime/cuda/LowLatency.h"

namespace blink::runtime {

/// Rewrites all lines of a ring before chunk numbers repeat in their flags
/// (LowLatency.h). The writer does so once the ring is empty, and then stores a
/// tag; the reader must not look at lines before it has seen that tag. Both
/// ends count chunks alike, so both know when.
template <typename Block>
BLINK_DEVICE_CALL void sweepLines(Block &block, LaneOperand &operand,
                                  bool reads, uint32_t fold) {
  const DeviceChannel &channel = operand.channel;
  operand.swept = operand.number;
  if (reads) {
    waitForChunk(block, operand, channel.full, operand.number, fold);
    return;
  }
  if (!waitForReader(block, operand, operand.number, fold))
    return;
  Line *lines = reinterpret_cast<Line *>(channel.slots);
  BLINK_ROLLED
  for (uint64_t l = 0; l < channel.lineBytes / sizeof(Line); ++l)
    storeLine(lines + l, 0, lineFlag(operand.number - 1, 0));
  releaseFence();
  storeBehindFence(channel.full,
                   makeTag(operand.number, block.state().signature));
}

/// All of a lane but its folds. `Block`: see LaneWaits.h.
template <typename Block, bool kSwitches = false>
class LaneChannels : protected LaneCall<Block, kSwitches> {
  using Base = LaneCall<Block, kSwitches>;

protected:
  using Base::Base;
  using Base::block_, Base::state_, Base::launch_, Base::steps, Base::operands;

  /// Goes to the first fold.
  BLINK_DEVICE void start() {
    cursor_.start(state_.numSteps, roundsOf());
    fold_ = Base::kFirstFold;
  }
  /// Goes on to the next fold.
  BLINK_DEVICE void advance() {
    cursor_.next(roundsOf());
    fold_ += 2;
  }

  BLINK_DEVICE const LaneStep &step() const { return steps()[cursor_.step()]; }
  /// The elements of the lane's current chunk.
  BLINK_DEVICE ElementRange chunk() const {
    return chunkRange(step().range, launch_.shape.elementBytes,
                      step().chunkBytes, cursor_.chunk());
  }

  /// Waits until all operands of the step can be read or written, and finds
  /// their addresses. Called by the folding threads. Returns false if the lane
  /// has to give up.
  BLINK_DEVICE bool resolveAll(const LaneStep &step) {
    BLINK_ROLLED
    for (uint32_t i = block_.thread(); i < step.numOperands();
         i += block_.size())
      resolve(operands()[step.operandsBegin + i], i, i < step.sources);
    block_.syncFold();
    return !Base::failed(fold_);
  }

  /// Tells the other ends that they may go on. Called by the posters, after the
  /// fold.
  BLINK_DEVICE void postAll(const LaneStep &step) {
    const bool last = cursor_.chunk() + 1 == step.chunks;
    if (step.posts == LaneStep::always ||
        (step.posts == LaneStep::once && last))
      releaseFence();
    BLINK_ROLLED
    for (uint32_t i = block_.poster(); i < step.numOperands();
         i += block_.posters()) {
      LaneOperand &operand = operands()[step.operandsBegin + i];
      if (operand.kind == OperandKind::channel)
        post(operand, i < step.sources, last);
    }
  }

  /// Whether this thread records when folds begin and end.
  BLINK_DEVICE bool traces() const {
    return block_.thread() == 0 && state_.trace;
  }
  BLINK_DEVICE void traceBegin(uint64_t bytes) {
    state_.bytes = bytes;
    state_.ready = block_.nanoseconds();
  }
  BLINK_DEVICE void traceEnd() {
    LaneTrace &trace = *state_.trace;
    const uint64_t end = block_.nanoseconds();
    if (trace.count < LaneTrace::kEvents) {
      const uint64_t waited =
          state_.idleSince ? state_.ready - state_.idleSince : 0;
      trace.events[trace.count] = {state_.ready,
                                   end,
                                   state_.bytes,
                                   cursor_.chunk(),
                                   cursor_.step(),
                                   waited < 0xffffffffu ? uint32_t(waited)
                                                        : 0xffffffffu,
                                   0,
                                   launch_.layout - 1};
    }
    ++trace.count;
    state_.idleSince = end;
  }

  /// Offset of a chunk's slot in the switch's memory.
  BLINK_DEVICE static uint64_t
  switchOffset(const LaneStep &step, uint64_t chunk, uint32_t slotBytes) {
    return chunk % step.inSwitch->slots * slotBytes;
  }

private:
  BLINK_DEVICE auto roundsOf() const {
    return [this](uint32_t s) {
      const LaneStep &step = steps()[s];
      return StepRounds{step.turns, step.delay};
    };
  }

  /// Waits until the operand can be read or written, and stores its address.
  BLINK_DEVICE void resolve(LaneOperand &operand, uint32_t i, bool reads) {
    char *address = nullptr;
    if (operand.kind == OperandKind::channel && Base::isSwitched(step()))
      address = step().inSwitch->own + switchOffset(step(), cursor_.chunk(),
                                                    operand.channel.slotBytes);
    else if (operand.way == Way::slots)
      address = operand.channel.slots +
                uint64_t(operand.slot) * operand.channel.slotBytes;
    else if (operand.base)
      address = operand.base + cursor_.chunk() * step().chunkBytes;
    if (operand.way == Way::none)
      address = nullptr;
    state_.pointers[i] = address;
    if (operand.kind != OperandKind::channel)
      return;
    if (launch_.lowLatency) {
      state_.flags[i] = lineFlag(operand.number, launch_.signature);
      if (operand.number - operand.swept >= kSweepAfter)
        sweepLines(block_, operand, reads, fold_);
    }
    if (reads ? operand.way != Way::borrowed && !launch_.lowLatency
              : operand.way == Way::slots ||
                    (operand.way == Way::direct && !operand.channel.quiet))
      waitFor(operand, reads);
    ++operand.number;
    operand.slot = nextSlot(operand, operand.slot);
  }

  /// Waits for the chunk, or for room for one.
  BLINK_DEVICE void waitFor(LaneOperand &operand, bool reads) {
    const DeviceChannel &channel = operand.channel;
    const uint64_t room = freedNeeded(operand.number, channel.numSlots, false);
    const uint64_t needed = room > operand.drained ? room : operand.drained;
    if (!reads && operand.credit >= needed)
      return;
    // One wait for both cases, so that threads of a warp look at their words
    // together.
    uint64_t value;
    if (runtime::waitFor(block_,
                         {reads ? channel.full + operand.slot : channel.freed,
                          reads ? operand.number + 1 : needed, reads, reads,
                          operand.step, operand.index, fold_},
                         value) &&
        !reads)
      operand.credit = value;
  }

  BLINK_DEVICE void post(LaneOperand &operand, bool reads, bool last) {
    const DeviceChannel &channel = operand.channel;
    const uint64_t number = operand.posted++;
    const uint32_t slot = operand.postedSlot;
    operand.postedSlot = nextSlot(operand, slot);
    if (reads) {
      if (operand.way != Way::borrowed || last)
        storeAfterReads(channel.freed, number + 1);
      return;
    }
    if (launch_.lowLatency || operand.way == Way::borrowed ||
        (operand.way == Way::direct && channel.quiet && !last))
      return;
    storeBehindFence(channel.full + slot, makeTag(number, launch_.signature));
  }

  BLINK_DEVICE static uint32_t nextSlot(const LaneOperand &operand,
                                        uint32_t slot) {
    return slot + 1 == operand.channel.numSlots ? 0 : slot + 1;
  }

protected:
  LaneCursor cursor_;
  /// Number of the current fold's waits for its operands (LaneCall). The fold
  /// itself, behind a barrier, has the next number.
  uint32_t fold_ = 0;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_LANECHANNELS_H
