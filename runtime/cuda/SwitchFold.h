//===- SwitchFold.h - a root's fold, by the switch --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//   own input -> own part of the switch's memory
//   all parts, added by the switch -> output, and all parts of the results
//
// Chunks begin at multiples of 16 bytes there, and have room for whole packs.
// What stands behind the last element is added and copied, too, but not read.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_SWITCHFOLD_H
#define BLINK_RUNTIME_CUDA_SWITCHFOLD_H

#include "runtime/cuda/Multimem.h"

namespace blink::runtime {

/// Folds `count` elements with all folding threads of the block, once the
/// contributions of all ranks are in their parts. `output` may be anywhere.
template <typename T> struct SwitchFold {
  const char *all;
  char *results;
  char *output;
  uint64_t count;
  uint32_t divisor; ///< of avg; 0: none, as always if !kSwitchDivides<T>

  /// Loads that a thread has in flight.
  static constexpr int kPacks = 4;

  /// Not inlined, so that its registers do not add to those of other folds.
  template <typename Block>
  BLINK_DEVICE_CALL static void run(const SwitchFold fold, const Block block) {
    const uint64_t bytes = fold.count * sizeof(T);
    Turns turns =
        Turns::of(block, 0, (bytes + Pack::kBytes - 1) / Pack::kBytes);
    const auto inverse = reciprocal<Accumulator<T>>(fold.divisor);
    turns.run<kPacks>(
        [&](const auto &turn) { fold.foldTurn(turn, bytes, inverse); });
  }

private:
  template <int kNum, typename Reciprocal>
  BLINK_DEVICE void foldTurn(const Turn<kNum> &turn, uint64_t bytes,
                             Reciprocal inverse) const {
    Pack packs[kNum];
    BLINK_UNROLL
    for (int u = 0; u < kNum; ++u)
      packs[u] = loadSum<T>(all + turn.offset + u * turn.stride);
    if constexpr (kSwitchDivides<T>)
      if (divisor != 0) {
        BLINK_UNROLL
        for (int u = 0; u < kNum; ++u)
          divide(packs[u], inverse);
      }
    BLINK_UNROLL
    for (int u = 0; u < kNum; ++u) {
      const uint64_t offset = turn.offset + uint64_t(u) * turn.stride;
      storeCopies(results + offset, packs[u]);
      storeOutput(offset, packs[u], bytes);
    }
  }

  template <typename Reciprocal>
  BLINK_DEVICE void divide(Pack &pack, Reciprocal inverse) const {
    const Quotient<T> quotient(divisor, inverse);
    T elements[kPackCount<T>];
    __builtin_memcpy(elements, &pack, sizeof(pack));
    BLINK_UNROLL
    for (uint32_t i = 0; i < kPackCount<T>; ++i) {
      T element = elements[i];
      elements[i] = quotient.divide(element)
                        ? element
                        : divideByRanks(elements[i], divisor);
    }
    __builtin_memcpy(&pack, elements, sizeof(pack));
  }

  BLINK_DEVICE void storeOutput(uint64_t offset, const Pack &pack,
                                uint64_t bytes) const {
    char *to = output + offset;
    if (offset + Pack::kBytes > bytes) {
      T elements[kPackCount<T>];
      __builtin_memcpy(elements, &pack, sizeof(pack));
      BLINK_ROLLED
      for (uint32_t i = 0; i < uint32_t((bytes - offset) / sizeof(T)); ++i)
        reinterpret_cast<T *>(to)[i] = elements[i];
    } else if (misalignment(to) != 0) {
      storeElements<T>(to, pack);
    } else {
      storePack(to, pack);
    }
  }
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_SWITCHFOLD_H
