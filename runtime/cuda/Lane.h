//===- Lane.h - a lane on a device ------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The interpreter of the CUDA back end: one block of threads runs one lane from
// its first fold to its last.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_LANE_H
#define BLINK_RUNTIME_CUDA_LANE_H

#include "runtime/cuda/DeviceFold.h"
#include "runtime/cuda/LaneChannels.h"
#include "runtime/cuda/LowLatency.h"

namespace blink::runtime {

/// `Block`: of LaneWaits.h.
template <typename T, typename Operator, typename Block>
class Lane : LaneChannels<Block> {
public:
  BLINK_DEVICE Lane(Block &block, const Launch &launch,
                    const Launch::Rank &rank, uint32_t number)
      : LaneChannels<Block>(block, launch, rank, number) {}

  /// Runs the lane to its end, or until something failed, which is reported.
  BLINK_DEVICE void run() {
    this->begin();
    for (; !cursor_.done(); this->advance()) {
      const StepCode &step = steps_[cursor_.step()];
      const ElementRange range = this->chunk();
      if (!this->resolveAll(step, range))
        return;
      const uint64_t ready = this->traceTime();
      if (launch_.lowLatency)
        foldLines(step, range.size());
      else
        fold(step, range.size());
      if (!this->announceAll(step))
        return;
      this->trace(ready, range.size() * sizeof(T));
    }
    if (launch_.direct)
      this->waitForReaders();
  }

private:
  using Base = LaneChannels<Block>;
  using Base::block_, Base::cursor_, Base::launch_, Base::program_,
      Base::state_, Base::steps_;
  using typename Base::Patience;

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
    const OperandCode &source = this->operand(step, s);
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
      } else if (this->mayWait(patience)) {
        continue;
      }
      this->report(1, patience.reason, source.index, true, number + 1,
                   patience.reason == LaneReport::otherCall ? number + 1
                                                            : number);
      return false;
    }
  }

  BLINK_DEVICE void storeDestination(const StepCode &step, uint32_t d,
                                     uint64_t line, uint32_t n, uint64_t data) {
    if (this->operand(step, d).kind == OperandKind::channel)
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
    const OperandCode &destination = this->operand(step, d);
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
