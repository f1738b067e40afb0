//===- LaneCall.h - a lane before and after its folds -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The work of a lane on a device that is done once per call. At the start the
// lane fetches its program and the state of its rings, agrees with the other
// ends about buffers that are used without slots, and finds the steps that have
// nothing to move. At the end the lane waits for lanes that still use its
// buffers, and saves the state of its rings.
//
// All threads take part, one for each operand, so a call begins after three
// dependent trips to memory: for the lane's program, its operands and its
// rings. For a short message the time of a call is that of the longest chain of
// instructions, so none of them is a loop over operands.
//
// The pointer exchange. The reader of a channel that may be direct posts where
// its output is, and the writer of a channel that may be borrowed posts where
// its input is. Pointer 0 means that the other end cannot reach the buffer:
// then both use slots. A pointer is valid for one call, because its tag holds
// the number of the call's first chunk. The words are free again when the next
// call posts. A reader's call ends after the last chunk, which the writer sends
// after it has read the pointer. A writer posts only once the reader has read
// all chunks of the calls before, and so has read their pointers.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_LANECALL_H
#define BLINK_RUNTIME_CUDA_LANECALL_H

#include "runtime/cuda/LaneWaits.h"

namespace blink::runtime {

/// A lane's call. `Block`: see LaneWaits.h.
template <typename Block, bool kSwitches> class LaneCall {
protected:
  BLINK_DEVICE LaneCall(Block &block, const LaunchedCall &launch,
                        const LaunchedRank &rank, uint32_t lane,
                        uint32_t firstLane)
      : block_(block), state_(block.state()), launch_(launch), rank_(rank),
        lane_(lane), firstLane_(firstLane) {}

  /// Prepares the first fold. When it returns, what the threads share is
  /// complete. Returns false if the lane has to give up.
  BLINK_DEVICE bool begin() {
    fetch();
    if (failed(kInFetching))
      return false;
    if (launch_.direct) {
      eachChannel(
          [this](LaneOperand &operand, const LaneStep &step, bool reads) {
            if (!isSwitched(step) &&
                (reads ? mayBeDirect(operand) : operand.channel.borrowed))
              postPtr(operand, step, reads);
          });
      eachChannel(
          [this](LaneOperand &operand, const LaneStep &step, bool reads) {
            if (!isSwitched(step) &&
                (reads ? operand.channel.borrowed : mayBeDirect(operand)))
              awaitPtr(operand, step, reads);
          });
      block_.sync();
    }
    BLINK_ROLLED
    for (uint32_t o = block_.member(); o < state_.numOperands;
         o += block_.members())
      judge(operands()[o], o);
    block_.sync();
    BLINK_ROLLED
    for (uint32_t s = block_.member(); s < state_.numSteps;
         s += block_.members())
      conclude(steps()[s]);
    block_.sync();
    return !failed(kBeforeFolds);
  }

  /// Ends the call, after the last fold.
  BLINK_DEVICE void finish() {
    eachChannel([this](LaneOperand &operand, const LaneStep &step, bool reads) {
      DeviceRingEnd &end = *operand.channel.end;
      const uint64_t behind =
          operand.number + (step.turns != 0 ? 0 : step.chunks);
      if (operand.way == Way::borrowed && !reads)
        // The input must be the caller's again.
        waitForReader(block_, operand, behind, kAfterFolds);
      if (operand.way == Way::direct && reads && step.turns == 0) {
        waitForChunk(block_, operand,
                     operand.channel.full +
                         (behind - 1) % operand.channel.numSlots,
                     behind - 1, kAfterFolds);
        storeAfterReads(operand.channel.freed, behind);
      }
      end.number = behind;
      end.credit = operand.credit;
      end.swept = operand.swept;
      if (!reads)
        end.layout = launch_.layout;
    });
    if (launch_.direct) // only then have other threads waited
      block_.sync();
    if (block_.isPoster() && block_.poster() == 0)
      leave();
  }

  BLINK_DEVICE LaneStep *steps() const { return state_.allSteps; }
  BLINK_DEVICE LaneOperand *operands() const { return state_.allOperands; }

  /// Whether the switch works for the tree of this step.
  BLINK_DEVICE static bool isSwitched(const LaneStep &step) {
    return kSwitches && step.inSwitch;
  }

  /// Returns true if what has this number, or an earlier one, has failed. To be
  /// called after a barrier that follows it.
  BLINK_DEVICE bool failed(uint32_t fold) const {
    const uint32_t at = loadShared(&state_.failedFold);
    return at != 0 && at <= fold;
  }

  /// Numbers of what may fail: one for each stretch between two barriers.
  static constexpr uint32_t kInFetching = 1;
  static constexpr uint32_t kBeforeFolds = 2;
  static constexpr uint32_t kFirstFold = 3;
  static constexpr uint32_t kAfterFolds = ~0u;

private:
  /// Fetches the lane's program and the addresses of its rings.
  BLINK_DEVICE void fetch() {
    const DeviceProgram *program = rank_.program;
    const LaneProgram lane = program->lanes()[lane_];
    const bool isKept = lane.numSteps <= LaneState::kKeptSteps &&
                        lane.numOperands <= LaneState::kKeptOperands;
    if (block_.member() == 0) {
      state_.program = program;
      state_.timeoutNanoseconds = program->timeoutNanoseconds;
      state_.signature = launch_.signature;
      state_.scales = launch_.scales;
      state_.scalar = launch_.scales ? scalar() : 0;
      state_.lane = lane_;
      state_.queue = rank_.queue;
      state_.endingLanes = endingLanes(*program);
      state_.waited = state_.shown = 0;
      state_.numSteps = lane.numSteps;
      state_.numOperands = lane.numOperands;
      state_.allSteps = isKept ? state_.steps : lane.steps;
      state_.allOperands = isKept ? state_.operands : lane.operands;
      state_.trace = program->traces ? program->traces + lane_ : nullptr;
      state_.idleSince = 0;
      state_.failedFold = state_.reported = 0;
    }
    if (isKept) {
      keep(state_.steps, lane.steps, lane.numSteps);
      keep(state_.operands, lane.operands, lane.numOperands);
    }
    block_.sync();
    // Three things at a time, mostly in different warps: taking the lane,
    // fetching the rings, and computing the ranges.
    if (block_.isPoster() && block_.poster() == 0)
      take(*program);
    BLINK_ROLLED
    for (uint32_t o = block_.member(); o < lane.numOperands;
         o += block_.members())
      if (operands()[o].kind == OperandKind::channel)
        setUpChannel(operands()[o], o);
    BLINK_ROLLED
    for (uint32_t s =
             (block_.member() + block_.members() / 2) % block_.members();
         s < lane.numSteps; s += block_.members())
      setUpStep(steps()[s]);
    block_.sync();
  }

  /// Takes the lane for this call. Called by one thread.
  BLINK_DEVICE void take(const DeviceProgram &program) {
    const bool begins = lane_ == firstLane_ && state_.endingLanes != 0;
    // With countCall() above, both atomics are on their way to the device's
    // memory at the same time.
    const uint64_t number =
        begins ? countCall(program.notes, rank_.queue) : uint64_t(0);
    if (!exchangeOnce(&program.busy[lane_], 1)) {
      // A call that ended before it was done leaves its lanes taken, and the
      // next call in the stream begins nevertheless.
      const bool ended = loadRelaxed(program.abortHere) != 0 ||
                         loadRelaxed(program.abortJob) != 0;
      report(block_, ended ? LaneReport::aborted : LaneReport::twoCalls,
             {nullptr, 0, false, false, 0, 0, kInFetching}, 0);
    } else if (begins) {
      noteBegin(block_, launch_, program.notes, rank_.queue, number);
    }
  }

  /// Releases the lane. Called by one thread, which does nothing with it
  /// afterwards.
  BLINK_DEVICE void leave() {
    const DeviceProgram &program = *state_.program;
    exchangeOnce(&program.busy[state_.lane], 0);
    if (state_.endingLanes == 0)
      return;
    if (loadShared(&state_.waited) != 0)
      addWaits(block_);
    if (!failed(kAfterFolds))
      noteEnd(block_, program.notes, state_.queue, state_.endingLanes);
  }

  /// Returns how many lanes must be done before the call has ended, the last of
  /// which says so; 0 if this lane keeps no notes. Lanes of messages may be at
  /// different messages.
  BLINK_DEVICE uint32_t endingLanes(const DeviceProgram &program) const {
    if (!program.notes.hasRecord(rank_.queue))
      return 0;
    return rank_.queue == 0      ? uint32_t(program.numLanes)
           : lane_ == firstLane_ ? 1
                                 : 0;
  }

  /// Returns the scalar of the launch, or if it is not in the launch, its
  /// present value in memory.
  BLINK_DEVICE uint64_t scalar() const {
    if (!rank_.scalar)
      return rank_.scalarBits;
    uint64_t bits = 0;
    BLINK_ROLLED
    for (uint32_t i = 0; i < launch_.shape.elementBytes; ++i)
      bits |= uint64_t(static_cast<const uint8_t *>(rank_.scalar)[i])
              << (8 * i);
    return bits;
  }

  /// Copies to shared memory with all threads, in words of 16 bytes.
  template <typename T>
  BLINK_DEVICE void keep(T *kept, const T *values, uint32_t count) {
    struct alignas(16) Word {
      uint64_t halves[2];
    };
    static_assert(sizeof(T) % sizeof(Word) == 0);
    const uint32_t words = count * uint32_t(sizeof(T) / sizeof(Word));
    BLINK_ROLLED
    for (uint32_t w = block_.member(); w < words; w += block_.members())
      reinterpret_cast<Word *>(kept)[w] =
          reinterpret_cast<const Word *>(values)[w];
  }

  BLINK_DEVICE void setUpStep(LaneStep &step) const {
    step.range = launch_.shape.rangeOf(step.share);
    step.chunkBytes = launch_.shape.chunkBytesOf(step.range);
    step.chunks =
        chunkCount(step.range, launch_.shape.elementBytes, step.chunkBytes);
    step.needs = 0;
  }
  BLINK_DEVICE void setUpChannel(LaneOperand &operand, uint32_t o) {
    const uint32_t numSlots = operand.channel.numSlots;
    const DeviceRingEnd end = *operand.channel.end;
    operand.way = Way::slots;
    operand.base = nullptr;
    operand.number = operand.posted = end.number;
    // A division of 64-bit numbers would take longer than the rest.
    operand.slot = operand.postedSlot =
        (numSlots & (numSlots - 1)) == 0 ? uint32_t(end.number) & (numSlots - 1)
                                         : uint32_t(end.number % numSlots);
    operand.credit = end.credit;
    operand.swept = end.swept;
    // The first chunk of another layout waits until the ring is empty.
    const LaneStep &step = steps()[operand.step];
    const bool reads = o - step.operandsBegin < step.sources;
    operand.drained = !reads && end.layout != launch_.layout ? end.number : 0;
  }

  //===-- The pointer exchange --------------------------------------------===//

  BLINK_DEVICE static bool mayBeDirect(const LaneOperand &operand) {
    return operand.channel.directBlock != DeviceChannel::kNotDirect;
  }

  /// Returns the offset in bytes of a tree in a block of a buffer, this rank's
  /// or another's.
  BLINK_DEVICE uint64_t offsetOf(uint32_t block, const LaneStep &step) const {
    return block * launch_.shape.blockBytes() +
           step.range.begin * launch_.shape.elementBytes;
  }
  BLINK_DEVICE char *inputAt(uint32_t block, const LaneStep &step) const {
    return const_cast<char *>(rank_.send) + offsetOf(block, step);
  }
  BLINK_DEVICE char *outputAt(uint32_t block, const LaneStep &step) const {
    return rank_.recv + offsetOf(block, step);
  }

  BLINK_DEVICE char *bufferAt(const LaneOperand &operand,
                              const LaneStep &step) const {
    return operand.kind == OperandKind::input ? inputAt(operand.index, step)
                                              : outputAt(operand.index, step);
  }

  /// Returns where the other end finds this rank's output or input, or 0 if it
  /// cannot. The table is read at this moment, because a graph may name a
  /// window that no longer exists.
  BLINK_DEVICE uint64_t whereOtherHas(const DeviceChannel &channel,
                                      bool reads) const {
    const uint64_t ptr = reads ? rank_.recvPtr : rank_.sendPtr;
    if (!channel.windows || ptr == 0)
      return ptr;
    const uint64_t window = channel.windows[(ptr >> kOffsetBits) - 1];
    return window != 0 ? window + (ptr & kOffsetMask) : 0;
  }

  /// Posts to the other end of a channel where this rank's buffer is.
  BLINK_DEVICE void postPtr(LaneOperand &operand, const LaneStep &step,
                            bool reads) {
    const DeviceChannel &channel = operand.channel;
    const uint64_t ptr = whereOtherHas(channel, reads);
    if (reads) {
      if (ptr != 0)
        use(operand, Way::direct, outputAt(channel.directBlock, step));
    } else {
      if (!waitForReader(block_, operand, operand.number, kBeforeFolds))
        return;
      if (ptr != 0)
        use(operand, Way::borrowed, nullptr);
    }
    // Points to the block: a reader that borrows does not know which block it
    // is.
    const uint64_t block =
        reads || ptr == 0
            ? 0
            : operands()[step.operandsBegin].index * launch_.shape.blockBytes();
    storeRelaxed(&channel.ptrExchange[0], ptr + block);
    storeRelease(&channel.ptrExchange[1],
                 makeTag(operand.number, launch_.signature));
  }

  /// Waits until the other end has posted where its buffer is.
  BLINK_DEVICE void awaitPtr(LaneOperand &operand, const LaneStep &step,
                             bool reads) {
    const DeviceChannel &channel = operand.channel;
    uint64_t tag;
    if (!waitFor(block_,
                 {channel.ptrExchange + 1, operand.number + 1, true, reads,
                  operand.step, operand.index, kBeforeFolds},
                 tag))
      return;
    const uint64_t ptr = loadRelaxed(&channel.ptrExchange[0]);
    if (ptr == 0)
      return;
    use(operand, reads ? Way::borrowed : Way::direct,
        reinterpret_cast<char *>(ptr) +
            offsetOf(reads ? 0 : channel.directBlock, step));
  }

  BLINK_DEVICE static void use(LaneOperand &operand, Way way, char *base) {
    operand.way = way;
    operand.base = base;
  }

  //===-- Steps that move nothing -----------------------------------------===//

  /// Finds out whether the operand is a destination that needs nothing, and
  /// otherwise tells the step what it needs.
  BLINK_DEVICE void judge(LaneOperand &operand, uint32_t o) {
    LaneStep &step = steps()[operand.step];
    if (operand.kind != OperandKind::channel) {
      operand.way = Way::buffer;
      operand.base = bufferAt(operand, step);
    }
    if (o - step.operandsBegin < step.sources)
      return;
    if (operand.way == Way::buffer && isThere(operand, step))
      operand.way = Way::none;
    uint32_t needs = 0;
    if (operand.way != Way::none && operand.way != Way::borrowed)
      needs |= LaneStep::kMoves;
    if (operand.way == Way::slots)
      needs |= LaneStep::kPostsEach;
    else if (operand.way == Way::direct)
      needs |=
          operand.channel.quiet ? LaneStep::kPostsOnce : LaneStep::kPostsEach;
    if (needs != 0)
      setBitsShared(&step.needs, needs);
  }

  /// Whether a copy to this buffer would copy from where it copies to.
  BLINK_DEVICE bool isThere(const LaneOperand &operand,
                            const LaneStep &step) const {
    const LaneOperand &first = operands()[step.operandsBegin];
    if (step.sources != 1 || (step.completes && launch_.shape.divisor != 0) ||
        (launch_.scales && first.kind == OperandKind::input))
      return false;
    // Another thread may be setting the base of a buffer.
    return operand.base == (first.kind == OperandKind::channel
                                ? first.base
                                : bufferAt(first, step));
  }

  /// Computes from the needs of the destinations whether tags have to follow
  /// chunks, and how many folds there are.
  BLINK_DEVICE void conclude(LaneStep &step) {
    const uint32_t needs = loadShared(&step.needs);
    step.posts = launch_.lowLatency ? LaneStep::never // lines carry their flags
                 : needs & LaneStep::kPostsEach ? LaneStep::always
                 : needs & LaneStep::kPostsOnce ? LaneStep::once
                                                : LaneStep::never;
    // A chunk that arrives directly in the output is waited for at the end of
    // the call, unless the writer counts on an answer to each chunk.
    const LaneOperand &first = operands()[step.operandsBegin];
    const bool answers = first.kind == OperandKind::channel &&
                         !(first.way == Way::direct && first.channel.quiet);
    step.turns = (needs & LaneStep::kMoves) != 0 || answers ? step.chunks : 0;
  }

  /// Calls `body(operand, step, reads)` for each channel that has chunks in
  /// this call, each in one thread.
  template <typename Body> BLINK_DEVICE void eachChannel(const Body &body) {
    BLINK_ROLLED
    for (uint32_t o = block_.member(); o < state_.numOperands;
         o += block_.members()) {
      LaneOperand &operand = operands()[o];
      const LaneStep &step = steps()[operand.step];
      if (operand.kind == OperandKind::channel && step.chunks != 0)
        body(operand, step, o - step.operandsBegin < step.sources);
    }
  }

protected:
  Block &block_;
  LaneState &state_;
  const LaunchedCall &launch_;
  const LaunchedRank &rank_;
  const uint32_t lane_;
  const uint32_t firstLane_; ///< the first lane of the call
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_LANECALL_H
