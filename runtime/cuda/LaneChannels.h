//===- LaneChannels.h - a lane's way and its channels -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What a lane on a device does around its folds, whatever the type and the
// operator: which is next, where its operands are, telling the other ends, and
// traces.
//
// Order of accesses. A thread that waits for a tag or a credit loads it with
// acquire, then the block's barrier orders the other threads behind it. After
// a fold the barrier orders all threads' reads and writes before the thread
// that announces them, with a release at system scope: one fence a slice, since
// the announcing threads are one warp and fence together. Barriers at block
// scope and fences at system scope compose: causality order is transitive.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_LANECHANNELS_H
#define BLINK_RUNTIME_CUDA_LANECHANNELS_H

#include "runtime/core/LaneCursor.h"
#include "runtime/cuda/LaneWaits.h"

namespace blink::runtime {

/// A lane but for its folds. `Block`: of LaneWaits.h.
template <typename Block> class LaneChannels : protected LaneWaits<Block> {
  using Waits = LaneWaits<Block>;

protected:
  using Waits::block_, Waits::state_, Waits::launch_, Waits::program_,
      Waits::number_, Waits::step_;
  using Waits::waitFor, Waits::waitForTag;

  BLINK_DEVICE LaneChannels(Block &block, const Launch &launch,
                            const Launch::Rank &rank, uint32_t number)
      : Waits(block, launch, *rank.program, number), rank_(rank),
        steps_(program_.code.steps + program_.code.lanes[number].stepsBegin),
        numSteps_(program_.code.lanes[number].stepsCount) {}

  /// Before the first fold; what the threads share is complete after it.
  BLINK_DEVICE_CALL void begin() {
    BLINK_ROLLED
    for (uint32_t s = block_.thread();
         s < numSteps_ && s < LaneState::kKeptSteps; s += block_.size()) {
      state_.ranges[s] = computeRange(s);
      state_.chunks[s] = launch_.shape.chunksOf(state_.ranges[s]);
    }
    if (block_.thread() == 0)
      state_.failed[0] = state_.failed[1] = state_.reported = 0;
    block_.sync();
    if (launch_.direct)
      tellPlaces();
    cursor_.start(numSteps_, [this](uint32_t s) { return this->chunks(s); });
  }

  /// Goes on to the next fold.
  BLINK_DEVICE void advance() {
    cursor_.next([this](uint32_t s) { return this->chunks(s); });
  }

  /// Elements of the chunk that the lane is at.
  BLINK_DEVICE ElementRange chunk() const {
    return chunkRange(rangeOf(cursor_.step()), launch_.shape.elementBytes,
                      launch_.shape.chunkBytes, cursor_.chunk());
  }

  /// Waits until all operands of the step can be read and written, and finds
  /// their addresses. False if the lane has to give up.
  BLINK_DEVICE_CALL bool resolveAll(const StepCode &step, ElementRange range) {
    step_ = cursor_.step();
    BLINK_ROLLED
    for (uint32_t i = block_.thread(); i < step.numOperands();
         i += block_.size())
      resolve(step, i, range);
    block_.sync();
    return !state_.failed[0];
  }

  /// All threads have folded: the other ends may go on. False if one has failed
  /// in the fold.
  BLINK_DEVICE_CALL bool announceAll(const StepCode &step) {
    block_.sync();
    if (state_.failed[1])
      return false;
    BLINK_ROLLED
    for (uint32_t i = block_.thread(); i < step.numOperands();
         i += block_.size())
      announce(step, i);
    return true;
  }

  /// Returns when nobody reads this rank's input any more. Of each channel the
  /// thread waits that has announced its chunks: there is no barrier between.
  BLINK_DEVICE_CALL void waitForReaders() {
    BLINK_ROLLED
    for (step_ = 0; step_ < numSteps_; ++step_) {
      const StepCode &step = steps_[step_];
      if (chunks(step_) == 0)
        continue;
      BLINK_ROLLED
      for (uint32_t i = block_.thread(); i < step.numOperands();
           i += block_.size()) {
        if (i < step.sources || operand(step, i).kind != OperandKind::channel)
          continue;
        const uint32_t index = operand(step, i).index;
        const DeviceChannel &channel = program_.channels[index];
        if (isLent(channel))
          waitFor(channel.freed, index, false, false, channel.end->number);
      }
    }
  }

  BLINK_DEVICE uint64_t traceTime() {
    return program_.traces && block_.thread() == 0 ? block_.nanoseconds() : 0;
  }
  BLINK_DEVICE_CALL void trace(uint64_t ready, uint64_t bytes) {
    if (!program_.traces || block_.thread() != 0)
      return;
    LaneTrace &trace = program_.traces[number_];
    const uint64_t end = block_.nanoseconds();
    if (trace.count < LaneTrace::kEvents) {
      const uint64_t waited = idleSince_ ? ready - idleSince_ : 0;
      trace.events[trace.count] = {
          ready,
          end,
          bytes,
          cursor_.chunk(),
          cursor_.step(),
          waited < 0xffffffffu ? uint32_t(waited) : 0xffffffffu};
    }
    ++trace.count;
    idleSince_ = end;
  }

  BLINK_DEVICE const OperandCode &operand(const StepCode &step,
                                          uint32_t i) const {
    return program_.code.operands[step.operandsBegin + i];
  }
  /// A fold that moves bits and computes nothing.
  BLINK_DEVICE bool isCopy(const StepCode &step) const {
    return step.sources == 1 && !(step.completes && launch_.shape.divisor != 0);
  }

private:
  BLINK_DEVICE_CALL ElementRange computeRange(uint32_t s) const {
    return launch_.shape.rangeOf(program_.trees[steps_[s].tree]);
  }
  BLINK_DEVICE ElementRange rangeOf(uint32_t s) const {
    return s < LaneState::kKeptSteps ? state_.ranges[s] : computeRange(s);
  }
  BLINK_DEVICE uint64_t chunks(uint32_t s) const {
    return s < LaneState::kKeptSteps ? state_.chunks[s]
                                     : launch_.shape.chunksOf(computeRange(s));
  }
  BLINK_DEVICE bool mayBeDirect(const DeviceChannel &channel) const {
    return launch_.direct && channel.directBlock != DeviceChannel::kNotDirect;
  }
  BLINK_DEVICE bool isLent(const DeviceChannel &channel) const {
    return launch_.direct && channel.lent;
  }
  /// Of a channel that ends here.
  BLINK_DEVICE bool isDirect(const DeviceChannel &channel) const {
    return mayBeDirect(channel) && rank_.place != 0;
  }
  BLINK_DEVICE static char *blockAt(const char *buffer, uint32_t block,
                                    const CallShape &shape,
                                    ElementRange range) {
    return const_cast<char *>(buffer) + block * shape.blockBytes() +
           range.begin * shape.elementBytes;
  }

  BLINK_DEVICE static const char *addressOf(const DeviceChannel &channel,
                                            uint64_t place) {
    if (channel.windows)
      place =
          channel.windows[(place >> kOffsetBits) - 1] + (place & kOffsetMask);
    return reinterpret_cast<const char *>(place);
  }

  /// Tells the writers of direct channels where this rank's output is, and the
  /// readers of lent ones where its input is. That is for one call: the tag
  /// holds the number of the first chunk.
  BLINK_DEVICE_CALL void tellPlaces() {
    BLINK_ROLLED
    for (uint32_t s = 0; s < numSteps_; ++s) {
      const StepCode &step = steps_[s];
      if (chunks(s) == 0)
        continue;
      BLINK_ROLLED
      for (uint32_t i = block_.thread(); i < step.numOperands();
           i += block_.size()) {
        if (operand(step, i).kind != OperandKind::channel)
          continue;
        const DeviceChannel &channel =
            program_.channels[operand(step, i).index];
        const bool reads = i < step.sources;
        if (reads ? !mayBeDirect(channel) : !isLent(channel))
          continue;
        storeRelaxed(&channel.place[0],
                     reads ? rank_.place
                           : reinterpret_cast<uint64_t>(
                                 blockAt(rank_.send, operand(step, 0).index,
                                         launch_.shape, {0, 0})));
        storeRelease(&channel.place[1],
                     makeTag(channel.end->number, launch_.signature));
      }
    }
  }

  /// Waits until operand `i` can be read or written and finds its address.
  BLINK_DEVICE_CALL void resolve(const StepCode &step, uint32_t i,
                                 ElementRange range) {
    const OperandCode &operand = this->operand(step, i);
    if (operand.kind != OperandKind::channel) {
      char *address = bufferAt(operand, range);
      const bool same = i >= step.sources && isCopy(step) &&
                        address == bufferAt(this->operand(step, 0), range);
      state_.pointers[i] = same ? nullptr : address;
      return;
    }
    const DeviceChannel &channel = program_.channels[operand.index];
    const uint64_t number = channel.end->number;
    state_.numbers[i] = number;
    const uint64_t slotBytes =
        uint64_t(launch_.shape.chunkBytes) * (launch_.lowLatency ? 2 : 1);
    char *slot = channel.slots + number % channel.numSlots * slotBytes;
    if (isLent(channel)) {
      // Nothing goes to the slots: all chunks are where they are.
      state_.pointers[i] = nullptr;
      if (i < step.sources &&
          waitForPlace(channel, number - cursor_.chunk(), operand.index, true))
        state_.pointers[i] =
            reinterpret_cast<char *>(loadRelaxed(&channel.place[0])) +
            range.begin * launch_.shape.elementBytes;
      return;
    }
    if (i < step.sources) {
      if (!launch_.lowLatency && !waitForChunk(channel, number, operand.index))
        return;
      state_.pointers[i] = isDirect(channel) ? bufferAt(operand, range) : slot;
      return;
    }
    if (!waitForSlot(channel, number, operand.index))
      return;
    if (mayBeDirect(channel)) {
      if (!waitForPlace(channel, number - cursor_.chunk(), operand.index,
                        false))
        return;
      if (const uint64_t place = loadRelaxed(&channel.place[0]))
        slot = blockAt(addressOf(channel, place), channel.directBlock,
                       launch_.shape, range);
    }
    state_.pointers[i] = slot;
  }

  /// Until the other end has told where its buffer is in the call whose first
  /// chunk is number `first`.
  BLINK_DEVICE bool waitForPlace(const DeviceChannel &channel, uint64_t first,
                                 uint32_t index, bool reading) {
    return waitForTag(channel.place + 1, first, index, reading);
  }
  BLINK_DEVICE bool waitForChunk(const DeviceChannel &channel, uint64_t number,
                                 uint32_t index) {
    return waitForTag(channel.full + number % channel.numSlots, number, index,
                      true);
  }
  BLINK_DEVICE bool waitForSlot(const DeviceChannel &channel, uint64_t number,
                                uint32_t index) {
    const bool newLayout = channel.end->layout != launch_.layout;
    return waitFor(channel.freed, index, false, false,
                   freedNeeded(number, channel.numSlots, newLayout));
  }

  /// Where a chunk lies in this rank's buffers; null if it does not.
  BLINK_DEVICE char *bufferAt(const OperandCode &operand,
                              ElementRange range) const {
    if (operand.kind == OperandKind::input)
      return blockAt(rank_.send, operand.index, launch_.shape, range);
    if (operand.kind == OperandKind::output)
      return blockAt(rank_.recv, operand.index, launch_.shape, range);
    const DeviceChannel &channel = program_.channels[operand.index];
    if (!isDirect(channel))
      return nullptr;
    return blockAt(rank_.recv, channel.directBlock, launch_.shape, range);
  }

  /// The other end may go on with operand `i`.
  BLINK_DEVICE_CALL void announce(const StepCode &step, uint32_t i) {
    const OperandCode &operand = this->operand(step, i);
    if (operand.kind != OperandKind::channel)
      return;
    const DeviceChannel &channel = program_.channels[operand.index];
    const uint64_t number = state_.numbers[i];
    channel.end->number = number + 1;
    if (i < step.sources)
      return storeRelease(channel.freed, number + 1);
    channel.end->layout = launch_.layout;
    if (!launch_.lowLatency && !isLent(channel))
      storeRelease(channel.full + number % channel.numSlots,
                   makeTag(number, launch_.signature));
  }

protected:
  const Launch::Rank &rank_;
  const StepCode *const steps_;
  const uint32_t numSteps_;
  LaneCursor cursor_;
  uint64_t idleSince_ = 0; ///< of the trace: when the last fold ended
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_LANECHANNELS_H
