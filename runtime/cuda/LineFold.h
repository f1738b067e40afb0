//===- LineFold.h - a fold of low-latency lines -----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A fold whose channels carry lines (LowLatency.h).
//
// If there are few lines, each thread waits for one line of one source, and
// after a barrier folds one line for one destination: what takes time then are
// the instructions of a thread, one after the other. Otherwise, and from one
// source to one destination, a thread folds the data of one line at a time. It
// loads the lines of all sources before it waits for any of them, so it pays
// for one trip to memory, not for one per source.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_LINEFOLD_H
#define BLINK_RUNTIME_CUDA_LINEFOLD_H

#include "runtime/cuda/LaneWaits.h"
#include "runtime/cuda/LowLatency.h"
#include "runtime/cuda/ScaledFold.h"

namespace blink::runtime {

/// The fold of a step by the folding threads of `block`. With `kWide` partial
/// sums are floats, two in a line, so every line has two elements.
template <typename T, typename Operator, typename Block, bool kWide = false>
struct LineFold {
  Block &block;
  const LaneStep &step;
  const LaneOperand *operands; ///< operands of the step
  /// Number of the fold, like LaneState::failedFold.
  uint32_t number;
  uint32_t divisor;

  /// Elements in a line.
  static constexpr uint32_t kCount =
      kLineData / (kWide ? sizeof(Accumulator<T>) : sizeof(T));
  /// Sources whose lines are loaded before one of them is waited for. A line of
  /// 1-byte elements has eight sums, which need the registers.
  static constexpr uint32_t kLooks = sizeof(T) == 1 && !kWide ? 4 : 8;

  /// Folds `count` elements.
  BLINK_DEVICE void fold(uint64_t count) {
    const uint64_t numLines = (count + kCount - 1) / kCount;
    const uint32_t shift = ceilLog2(step.sources);
    if (step.numOperands() > 2 && numLines <= LaneState::kLineWords >> shift)
      return foldFew(*this, uint32_t(numLines), shift, count);
    BLINK_ROLLED
    for (uint64_t l = block.thread(); l < numLines; l += block.size()) {
      const uint32_t n = elementsOf(l, count);
      uint64_t data = 0;
      if (!foldLine(l, n, data))
        return;
      BLINK_ROLLED
      for (uint32_t d = step.sources; d < step.numOperands(); ++d)
        storeDestination(d, l, n, data);
    }
  }

private:
  /// Returns the least k for which 2^k >= `number`.
  BLINK_DEVICE static uint32_t ceilLog2(uint32_t number) {
#if defined(__CUDA_ARCH__)
    return 32 - __clz(int(number - 1));
#else
    return number <= 1 ? 0 : 32 - uint32_t(__builtin_clz(number - 1));
#endif
  }
  /// Returns how many of the first `count` elements are in a line.
  BLINK_DEVICE static uint32_t elementsOf(uint64_t line, uint64_t count) {
    const uint64_t left = count - line * kCount;
    return left < kCount ? uint32_t(left) : kCount;
  }

  /// Folds so few lines that the block's shared memory holds the data of those
  /// of all sources, 2^shift words for each line. A call, since inlined it
  /// would make other folds spill on sm_75.
  BLINK_DEVICE_CALL static void foldFew(LineFold fold, uint32_t numLines,
                                        uint32_t shift, uint64_t count) {
    Block &block = fold.block;
    const LaneStep &step = fold.step;
    uint64_t *const words = block.state().lineWords;
    BLINK_ROLLED
    for (uint32_t i = block.thread(); i < numLines << shift;
         i += block.size()) {
      const uint32_t s = i & ((1u << shift) - 1), l = i >> shift;
      if (s >= step.sources)
        continue;
      Line line = fold.look(s, l, elementsOf(l, count));
      if (fold.isChannel(s))
        line = fold.complete(s, l, line);
      words[i] = dataOf(line);
    }
    block.syncFold();
    // Behind a barrier, so that all threads see the same (LaneCall::failed).
    const uint32_t failed = loadShared(&block.state().failedFold);
    if (failed != 0 && failed <= fold.number)
      return;
    const uint32_t shiftTo = ceilLog2(step.destinations);
    BLINK_ROLLED
    for (uint32_t i = block.thread(); i < numLines << shiftTo;
         i += block.size()) {
      const uint32_t d = i & ((1u << shiftTo) - 1), l = i >> shiftTo;
      if (d < step.destinations)
        fold.storeDestination(step.sources + d, l, elementsOf(l, count),
                              fold.foldWords(words + (l << shift)));
    }
  }

  /// Whether a fold has nothing to compute.
  BLINK_DEVICE bool copies() const {
    return step.sources == 1 && divisor == 0 &&
           isPartial(0) == isPartial(step.sources);
  }

  /// Computes the result of a line from the data of all sources.
  BLINK_DEVICE uint64_t foldWords(const uint64_t *words) const {
    if (copies())
      return words[0];
    Accumulator<T> sums[kCount];
    unpack(words[0], isPartial(0), sums);
    BLINK_ROLLED
    for (uint32_t s = 1; s < step.sources; ++s) {
      Accumulator<T> next[kCount];
      unpack(words[s], isPartial(s), next);
      BLINK_UNROLL
      for (uint32_t i = 0; i < kCount; ++i)
        sums[i] = Operator::combine(sums[i], next[i]);
    }
    return pack(sums, divisor, isPartial(step.sources));
  }

  /// Computes the result of line `line`, whose first `n` elements count.
  /// Returns false on failure.
  BLINK_DEVICE bool foldLine(uint64_t line, uint32_t n, uint64_t &data) {
    Accumulator<T> sums[kCount] = {};
    const bool copies = this->copies();
    BLINK_ROLLED
    for (uint32_t first = 0; first < step.sources; first += kLooks) {
      Line lines[kLooks];
      BLINK_UNROLL
      for (uint32_t j = 0; j < kLooks; ++j)
        if (first + j < step.sources)
          lines[j] = look(first + j, line, n);
      BLINK_UNROLL
      for (uint32_t j = 0; j < kLooks; ++j) {
        const uint32_t s = first + j;
        if (s >= step.sources)
          break;
        if (isChannel(s)) {
          lines[j] = complete(s, line, lines[j]);
          if (!hasFlag(lines[j], block.state().flags[s]))
            return false;
        }
        data = dataOf(lines[j]);
        if (copies)
          return true;
        if (s == 0) {
          unpack(data, isPartial(s), sums);
          continue;
        }
        Accumulator<T> next[kCount];
        unpack(data, isPartial(s), next);
        BLINK_UNROLL
        for (uint32_t i = 0; i < kCount; ++i)
          sums[i] = Operator::combine(sums[i], next[i]);
      }
    }
    data = pack(sums, divisor, isPartial(step.sources));
    return true;
  }

  /// Whether the operand's elements are floats.
  BLINK_DEVICE bool isPartial(uint32_t operand) const {
    return kWide && operands[operand].partial;
  }

  BLINK_DEVICE static void unpack(uint64_t data, bool partial,
                                  Accumulator<T> *values) {
    if constexpr (kWide)
      if (partial) {
        BLINK_UNROLL
        for (uint32_t i = 0; i < kCount; ++i)
          values[i] = bitsFloat(uint32_t(data >> (32 * i)));
        return;
      }
    BLINK_UNROLL
    for (uint32_t i = 0; i < kCount; ++i) {
      T element;
      copyBits(&element, data >> (8 * sizeof(T) * i));
      values[i] = loadElement(element);
    }
  }

  BLINK_DEVICE static uint64_t pack(const Accumulator<T> *values,
                                    uint32_t divisor, bool partial) {
    uint64_t data = 0;
    if constexpr (kWide)
      if (partial) { // a partial sum is not complete, so it is not divided
        BLINK_UNROLL
        for (uint32_t i = 0; i < kCount; ++i)
          data |= uint64_t(floatBits(values[i])) << (32 * i);
        return data;
      }
    BLINK_UNROLL
    for (uint32_t i = 0; i < kCount; ++i) {
      Accumulator<T> value = values[i];
      if (divisor != 0)
        value = divideByRanks(value, divisor);
      data |= bitsOf(storeElement<T>(value)) << (8 * sizeof(T) * i);
    }
    return data;
  }

  BLINK_DEVICE_CALL static uint64_t scaleData(uint64_t data, uint64_t scalar) {
    uint64_t products = 0;
    BLINK_UNROLL
    for (uint32_t i = 0; i < kCount; ++i) {
      const T element = elementOf<T>(data >> (8 * sizeof(T) * i));
      products |=
          bitsOf(scaleElement(element, loadElement(elementOf<T>(scalar))))
          << (8 * sizeof(T) * i);
    }
    return products;
  }

  BLINK_DEVICE bool isChannel(uint32_t operand) const {
    return operands[operand].kind == OperandKind::channel;
  }
  BLINK_DEVICE const Line *lineOf(uint32_t operand, uint64_t line) const {
    return static_cast<const Line *>(block.state().pointers[operand]) + line;
  }

  /// Loads what a source's line holds now, complete or not.
  BLINK_DEVICE Line look(uint32_t s, uint64_t line, uint32_t n) const {
    if (isChannel(s))
      return loadLine(lineOf(s, line));
    const T *from =
        static_cast<const T *>(block.state().pointers[s]) + line * kCount;
    uint64_t data = 0;
    BLINK_UNROLL
    for (uint32_t i = 0; i < kCount; ++i)
      if (i < n)
        data |= bitsOf(from[i]) << (8 * sizeof(T) * i);
    if (kSums<Operator> && block.state().scales &&
        operands[s].kind == OperandKind::input)
      data = scaleData(data, block.state().scalar);
    return {{data & 0xffffffffu, data >> 32}};
  }

  /// Returns the complete line. If that takes too long, or if the line is of
  /// another call, returns it without the flag; the failure is reported.
  BLINK_DEVICE Line complete(uint32_t s, uint64_t line, const Line &seen) {
    const uint32_t flag = block.state().flags[s];
    return hasFlag(seen, flag)
               ? seen
               : waitForLine(block, operands[s], lineOf(s, line), flag, number);
  }
  BLINK_DEVICE_CALL static Line waitForLine(Block &block,
                                            const LaneOperand &operand,
                                            const Line *line, uint32_t flag,
                                            uint32_t number) {
    // The operand's number is already that of the next chunk.
    const uint64_t written = operand.number;
    const Awaited what = {nullptr,      written,       true,  true,
                          operand.step, operand.index, number};
    Patience patience;
    for (;;) {
      const Line seen = loadLine(line);
      if (hasFlag(seen, flag)) {
        endWait(block, patience, what);
        return seen;
      }
      if (isOfChunk(seen, flag)) {
        report(block, LaneReport::otherCall, what, written);
        return seen;
      }
      if (!mayWait(block, patience)) {
        report(block, patience.reason, what, written - 1);
        return seen;
      }
      if (patience.isLong)
        tellWait(block, patience, what);
    }
  }

  BLINK_DEVICE void storeDestination(uint32_t d, uint64_t line, uint32_t n,
                                     uint64_t data) const {
    void *const pointer = block.state().pointers[d];
    if (isChannel(d))
      return storeLine(static_cast<Line *>(pointer) + line, data,
                       block.state().flags[d]);
    if (!pointer)
      return;
    T *to = static_cast<T *>(pointer) + line * kCount;
    BLINK_UNROLL
    for (uint32_t i = 0; i < kCount; ++i)
      if (i < n)
        copyBits(to + i, data >> (8 * sizeof(T) * i));
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

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_LINEFOLD_H
