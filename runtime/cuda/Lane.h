//===- Lane.h - a lane on a device ------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The interpreter of the CUDA back end: one block of threads runs one lane from
// its first fold to its last. Written against a Block, which on devices is the
// thread block and in tests a few host threads, so that the very code that runs
// on a GPU is tested, and checked for races, without one.
//
//   struct Block {
//     uint32_t thread(), size();       // this thread among the block's
//     void sync();                     // a barrier of the block's threads
//     LaneState &state();              // memory that they share
//     uint64_t nanoseconds();          // a clock
//     void relax();                    // between two looks at a word
//   };
//
// Order of accesses. A thread that waits for a tag or a credit loads it with
// acquire, then the block's barrier orders the other threads behind it. After
// a fold the barrier orders all threads' reads and writes before the thread
// that announces them, with a release at system scope: one fence a slice, since
// the announcing threads are one warp and fence together. Barriers at block
// scope and fences at system scope compose: causality order is transitive.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_LANE_H
#define BLINK_RUNTIME_CUDA_LANE_H

#include "runtime/core/LaneCursor.h"
#include "runtime/core/Memory.h"
#include "runtime/core/Ring.h"
#include "runtime/cuda/DeviceFold.h"
#include "runtime/cuda/Launch.h"
#include "runtime/cuda/LowLatency.h"

namespace blink::runtime {

/// What the threads of a lane share.
struct LaneState {
  /// Steps whose parts are kept; those of longer lanes are computed each time.
  static constexpr uint32_t kKeptSteps = 64;

  ElementRange ranges[kKeptSteps];
  uint64_t chunks[kKeptSteps];
  /// Of the step's operands; null for a destination that is the source.
  void *pointers[kMaxOperands];
  uint64_t numbers[kMaxOperands]; ///< of their chunks, where they are channels
  /// One for waiting and one for folding: a fast thread may set one while a
  /// slow one still looks at the other.
  uint32_t failed[2];
  uint32_t reported;
};

template <typename T, typename Operator, typename Block> class Lane {
public:
  BLINK_DEVICE Lane(Block &block, const Launch &launch,
                    const Launch::Rank &rank, uint32_t number)
      : block_(block), state_(block.state()), launch_(launch), rank_(rank),
        program_(*rank.program), number_(number),
        steps_(program_.code.steps + program_.code.lanes[number].stepsBegin),
        numSteps_(program_.code.lanes[number].stepsCount) {}

  /// Runs the lane to its end, or until something failed, which is reported.
  BLINK_DEVICE void run() {
    BLINK_ROLLED
    for (uint32_t s = block_.thread();
         s < numSteps_ && s < LaneState::kKeptSteps; s += block_.size()) {
      state_.ranges[s] = computeRange(s);
      state_.chunks[s] = launch_.shape.chunksOf(state_.ranges[s]);
    }
    if (block_.thread() == 0)
      state_.failed[0] = state_.failed[1] = state_.reported = 0;
    block_.sync();
    const auto chunksOf = [this](uint32_t s) { return this->chunks(s); };
    if (launch_.direct)
      tellPlaces();
    for (cursor_.start(numSteps_, chunksOf); !cursor_.done();
         cursor_.next(chunksOf)) {
      step_ = cursor_.step();
      const StepCode &step = steps_[step_];
      const ElementRange range =
          chunkRange(rangeOf(cursor_.step()), sizeof(T),
                     launch_.shape.chunkBytes, cursor_.chunk());
      BLINK_ROLLED
      for (uint32_t i = block_.thread(); i < step.numOperands();
           i += block_.size())
        resolve(step, i, range);
      block_.sync();
      if (state_.failed[0])
        return;
      const uint64_t ready = traceTime();
      if (launch_.lowLatency)
        foldLines(step, range.size());
      else
        fold(step, range.size());
      block_.sync();
      if (state_.failed[1])
        return;
      BLINK_ROLLED
      for (uint32_t i = block_.thread(); i < step.numOperands();
           i += block_.size())
        announce(step, i);
      trace(ready, range.size() * sizeof(T));
    }
    if (launch_.direct)
      waitForReaders();
  }

private:
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
  BLINK_DEVICE const OperandCode &operand(const StepCode &step,
                                          uint32_t i) const {
    return program_.code.operands[step.operandsBegin + i];
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

  /// Returns when nobody reads this rank's input any more.
  BLINK_DEVICE_CALL void waitForReaders() {
    BLINK_ROLLED
    for (step_ = 0; step_ < numSteps_; ++step_) {
      const StepCode &step = steps_[step_];
      if (chunks(step_) == 0)
        continue;
      BLINK_ROLLED
      for (uint32_t i = step.sources + block_.thread(); i < step.numOperands();
           i += block_.size()) {
        if (operand(step, i).kind != OperandKind::channel)
          continue;
        const uint32_t index = operand(step, i).index;
        const DeviceChannel &channel = program_.channels[index];
        if (isLent(channel))
          waitFor(channel.freed, index, false, false, channel.end->number);
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
            range.begin * sizeof(T);
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

  BLINK_DEVICE_CALL bool waitForTag(const uint64_t *word, uint64_t number,
                                    uint32_t index, bool reading) {
    if (!waitFor(word, index, reading, true, number + 1))
      return false;
    if (loadRelaxed(word) == makeTag(number, launch_.signature))
      return true;
    report(0, LaneReport::otherCall, index, reading, number + 1, number + 1);
    return false;
  }

  /// Polls `word` until it is the tag of chunk `expected` - 1, or a counter
  /// that has reached `expected`; false if that takes too long or another lane
  /// has failed.
  BLINK_DEVICE_CALL bool waitFor(const uint64_t *word, uint32_t channel,
                                 bool reading, bool isTag, uint64_t expected) {
    uint64_t value = loadAcquire(word);
    Patience patience;
    while (!(isTag ? holdsChunk(value, expected - 1) : value >= expected)) {
      if (!mayWait(patience)) {
        report(0, patience.reason, channel, reading, expected,
               value & kNumberMask);
        return false;
      }
      value = loadAcquire(word);
    }
    return true;
  }

  struct Patience {
    uint32_t looks = 0;
    uint64_t since = 0;
    LaneReport::Reason reason = LaneReport::none;
  };

  /// Waits a moment; false if enough is enough. Looks at its own device often
  /// and at the host, across the bus, seldom.
  BLINK_DEVICE_CALL bool mayWait(Patience &patience) {
    block_.relax();
    if (++patience.looks % 64 != 0)
      return true;
    const uint64_t now = block_.nanoseconds();
    if (patience.since == 0)
      patience.since = now;
    if (now - patience.since > launch_.timeoutNanoseconds)
      patience.reason = LaneReport::timeOut;
    else if (loadRelaxed(program_.abortHere) != 0 ||
             (patience.looks % 4096 == 0 &&
              loadRelaxed(program_.abortJob) != 0))
      patience.reason = LaneReport::aborted;
    return patience.reason == LaneReport::none;
  }

  /// Says what the lane waited for, and stops the other lanes of the job.
  /// `folding`: between the barriers around a fold, not before them.
  BLINK_DEVICE_CALL void report(int folding, LaneReport::Reason reason,
                                uint32_t channel, bool reading,
                                uint64_t expected, uint64_t seen) {
    exchangeOnce(&state_.failed[folding]);
    storeRelaxed(program_.abortHere, 1);
    if (!exchangeOnce(&state_.reported))
      return; // another thread of the lane reports
    LaneReport &report = program_.reports[number_];
    storeRelaxed(&report.step, step_);
    storeRelaxed(&report.channel, channel);
    storeRelaxed(&report.reading, reading);
    storeRelaxed(&report.expected, expected);
    storeRelaxed(&report.seen, seen);
    storeRelease(&report.reason, reason);
    storeRelease(program_.abortJob, 1);
  }

  /// A fold that moves bits and computes nothing.
  BLINK_DEVICE bool isCopy(const StepCode &step) const {
    return step.sources == 1 && !(step.completes && launch_.shape.divisor != 0);
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

  /// Whether a fold writes anywhere. It does not where a chunk came straight
  /// into the output, or the input is the output.
  BLINK_DEVICE bool hasDestination(const StepCode &step) const {
    bool any = false;
    BLINK_ROLLED
    for (uint32_t i = step.sources; i < step.numOperands(); ++i)
      any |= state_.pointers[i] != nullptr;
    return any;
  }

  BLINK_DEVICE void fold(const StepCode &step, uint64_t count) {
    if (!hasDestination(step))
      return; // nor does it read
    foldRange<T, Operator>(
        block_, reinterpret_cast<const T *const *>(state_.pointers),
        step.sources,
        reinterpret_cast<T *const *>(state_.pointers + step.sources),
        step.destinations, count, step.completes ? launch_.shape.divisor : 0);
  }

  //===-- Low latency -----------------------------------------------------===//

  BLINK_DEVICE void foldLines(const StepCode &step, uint64_t count) {
    constexpr uint32_t kCount = kLineData / sizeof(T);
    const uint32_t divisor = step.completes ? launch_.shape.divisor : 0;
    const uint64_t numLines = (count + kCount - 1) / kCount;
    BLINK_ROLLED
    for (uint64_t l = block_.thread(); l < numLines; l += block_.size()) {
      const uint64_t left = count - l * kCount;
      const uint32_t n = left < kCount ? uint32_t(left) : kCount;
      uint64_t data = 0;
      if (!loadSource(step, 0, l, n, data))
        return;
      if (step.sources != 1 || divisor != 0) {
        Accumulator<T> sums[kCount];
        unpack(data, sums);
        BLINK_ROLLED
        for (uint32_t s = 1; s < step.sources; ++s) {
          Accumulator<T> next[kCount];
          if (!loadSource(step, s, l, n, data))
            return;
          unpack(data, next);
          BLINK_UNROLL
          for (uint32_t i = 0; i < kCount; ++i)
            sums[i] = Operator::combine(sums[i], next[i]);
        }
        data = pack(sums, divisor);
      }
      BLINK_ROLLED
      for (uint32_t d = step.sources; d < step.numOperands(); ++d)
        storeDestination(step, d, l, n, data);
    }
    BLINK_ROLLED
    for (uint32_t d = step.sources; d < step.numOperands(); ++d)
      fillSlot(step, d, numLines);
  }

  BLINK_DEVICE static void unpack(uint64_t data, Accumulator<T> *values) {
    BLINK_UNROLL
    for (uint32_t i = 0; i < kLineData / sizeof(T); ++i) {
      T element;
      copyBits(&element, data >> (8 * sizeof(T) * i));
      values[i] = loadElement(element);
    }
  }

  BLINK_DEVICE static uint64_t pack(const Accumulator<T> *values,
                                    uint32_t divisor) {
    uint64_t data = 0;
    BLINK_UNROLL
    for (uint32_t i = 0; i < kLineData / sizeof(T); ++i) {
      Accumulator<T> value = values[i];
      if (divisor != 0)
        value = divideByRanks(value, divisor);
      data |= bitsOf(storeElement<T>(value)) << (8 * sizeof(T) * i);
    }
    return data;
  }

  /// Line `line` of a source, of which `n` elements count. False on failure.
  BLINK_DEVICE_CALL bool loadSource(const StepCode &step, uint32_t s,
                                    uint64_t line, uint32_t n, uint64_t &data) {
    const OperandCode &source = operand(step, s);
    if (source.kind != OperandKind::channel) {
      const T *from = static_cast<const T *>(state_.pointers[s]) +
                      line * (kLineData / sizeof(T));
      data = 0;
      BLINK_ROLLED
      for (uint32_t i = 0; i < n; ++i)
        data |= bitsOf(from[i]) << (8 * sizeof(T) * i);
      return true;
    }
    const Line *from = static_cast<const Line *>(state_.pointers[s]) + line;
    const uint64_t number = state_.numbers[s];
    Patience patience;
    for (;;) {
      const LineFlags flags = loadLine(from, data);
      if (lineHolds(flags.low, number) && lineHolds(flags.high, number)) {
        if (flags.low == lineFlag(number, launch_.signature))
          return true;
        patience.reason = LaneReport::otherCall;
      } else if (mayWait(patience)) {
        continue;
      }
      report(1, patience.reason, source.index, true, number + 1,
             patience.reason == LaneReport::otherCall ? number + 1 : number);
      return false;
    }
  }

  BLINK_DEVICE void storeDestination(const StepCode &step, uint32_t d,
                                     uint64_t line, uint32_t n, uint64_t data) {
    if (operand(step, d).kind == OperandKind::channel)
      return storeLine(static_cast<Line *>(state_.pointers[d]) + line, data,
                       lineFlag(state_.numbers[d], launch_.signature));
    if (!state_.pointers[d])
      return;
    T *to =
        static_cast<T *>(state_.pointers[d]) + line * (kLineData / sizeof(T));
    BLINK_ROLLED
    for (uint32_t i = 0; i < n; ++i)
      copyBits(to + i, data >> (8 * sizeof(T) * i));
  }

  /// See writesWholeSlot.
  BLINK_DEVICE void fillSlot(const StepCode &step, uint32_t d,
                             uint64_t numLines) {
    const OperandCode &destination = operand(step, d);
    if (destination.kind != OperandKind::channel ||
        !writesWholeSlot(state_.numbers[d],
                         program_.channels[destination.index].numSlots))
      return;
    Line *lines = static_cast<Line *>(state_.pointers[d]);
    const uint64_t all = launch_.shape.chunkBytes / kLineData;
    BLINK_ROLLED
    for (uint64_t l = numLines + block_.thread(); l < all; l += block_.size())
      storeLine(lines + l, 0, lineFlag(state_.numbers[d], launch_.signature));
  }

  template <typename Bits>
  BLINK_DEVICE static uint64_t asInteger(const T &element) {
    Bits bits;
    __builtin_memcpy(&bits, &element, sizeof(T));
    return bits;
  }
  BLINK_DEVICE static uint64_t bitsOf(const T &element) {
    if constexpr (sizeof(T) == 1)
      return asInteger<uint8_t>(element);
    else if constexpr (sizeof(T) == 2)
      return asInteger<uint16_t>(element);
    else if constexpr (sizeof(T) == 4)
      return asInteger<uint32_t>(element);
    else
      return asInteger<uint64_t>(element);
  }
  BLINK_DEVICE static void copyBits(T *element, uint64_t bits) {
    __builtin_memcpy(element, &bits, sizeof(T)); // little endian
  }

  //===-- Afterwards ------------------------------------------------------===//

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

  Block &block_;
  LaneState &state_;
  const Launch &launch_;
  const Launch::Rank &rank_;
  const DeviceProgram &program_;
  const uint32_t number_;
  const StepCode *const steps_;
  const uint32_t numSteps_;
  LaneCursor cursor_;
  uint32_t step_ = 0;      ///< that the lane is at, for reports
  uint64_t idleSince_ = 0; ///< of the trace: when the last fold ended
};

/// The lane of block `index` of a launch.
template <typename T, typename Operator, typename Block>
BLINK_DEVICE inline void runBlock(Block &block, const Launch &launch,
                                  uint32_t index) {
  uint32_t r = launch.numRanks - 1;
  while (launch.ranks[r].firstBlock > index)
    --r;
  const Launch::Rank &rank = launch.ranks[r];
  Lane<T, Operator, Block>(block, launch, rank, index - rank.firstBlock).run();
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_LANE_H
