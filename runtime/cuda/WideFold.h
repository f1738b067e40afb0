//===- WideFold.h - a fold whose partial sums are floats --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The folds of programs with Accumulation::f32, for types of 16 and 8 bits.
// Each source, and the result, consists of elements of the type or of floats
// (LaneOperand::partial). These folds are in kernels of their own, so that the
// others keep their code. One loop serves ranges of any alignment, products of
// kPreMulSum, and averages.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_WIDEFOLD_H
#define BLINK_RUNTIME_CUDA_WIDEFOLD_H

#include "runtime/cuda/DeviceCopy.h"
#include "runtime/cuda/Launch.h"
#include "runtime/cuda/ScaledFold.h"

namespace blink::runtime {

/// `T`: a narrow type. A thread handles one pack of T at a time, which
/// corresponds to several packs of floats. Floats lie in slots only, aligned to
/// 16 bytes.
template <typename T, typename Operator> struct WideFold {
  static constexpr uint32_t kCount = kPackCount<T>;
  static constexpr uint32_t kFloats = kPackCount<float>;

  SharedPointers<const char> sources;
  uint32_t numSources;
  SharedPointers<char> destinations;
  uint32_t numDestinations;
  /// Operands of the sources, then of the destinations.
  const LaneOperand *operands;
  uint32_t divisor; ///< 0 unless the operator is Sum
  /// Number of the source that is multiplied, or numSources.
  uint32_t scaled;
  float scalar;

  BLINK_DEVICE bool isPartial(uint32_t operand) const {
    return operands[operand].partial;
  }
  /// Whether the result is partial sums. Either all destinations are partial or
  /// none is.
  BLINK_DEVICE bool resultIsPartial() const { return isPartial(numSources); }

  /// Folds every `step`-th element of [begin, end).
  BLINK_DEVICE_CALL static void foldElements(const WideFold fold,
                                             uint64_t begin, uint64_t end,
                                             uint64_t step) {
    BLINK_ROLLED
    for (uint64_t i = begin; i < end; i += step) {
      const auto load = [&](uint32_t s) {
        if (fold.isPartial(s))
          return reinterpret_cast<const float *>(fold.sources[s])[i];
        const T element = reinterpret_cast<const T *>(fold.sources[s])[i];
        return loadElement(s == fold.scaled ? scaleElement(element, fold.scalar)
                                            : element);
      };
      float value = load(0);
      BLINK_ROLLED
      for (uint32_t s = 1; s < fold.numSources; ++s)
        value = Operator::combine(value, load(s));
      if (kSums<Operator> && fold.divisor != 0)
        value = divideByRanks(value, fold.divisor);
      const T narrow = storeElement<T>(value);
      BLINK_ROLLED
      for (uint32_t d = 0; d < fold.numDestinations; ++d) {
        char *destination = fold.destinations[d];
        if (!destination)
          continue;
        if (fold.resultIsPartial())
          reinterpret_cast<float *>(destination)[i] = value;
        else
          reinterpret_cast<T *>(destination)[i] = narrow;
      }
    }
  }

  /// Loads kCount elements of source `s`, from `first` on.
  BLINK_DEVICE void take(uint32_t s, uint64_t first,
                         float (&values)[kCount]) const {
    const char *source = sources[s];
    if (isPartial(s)) {
      Pack packs[kCount / kFloats];
      BLINK_UNROLL
      for (uint32_t p = 0; p < kCount / kFloats; ++p)
        packs[p] = loadPack(source + first * sizeof(float) + p * Pack::kBytes);
      __builtin_memcpy(values, packs, sizeof(packs));
      return;
    }
    AnyPacks<T, 1> packs;
    packs.load(Turn<1>{first * sizeof(T), 0}, source);
    widen<T>(packs.get(0), values);
    if (s != scaled)
      return;
    BLINK_UNROLL
    for (uint32_t i = 0; i < kCount; ++i)
      values[i] = Prod::combine(values[i], scalar);
    widen<T>(narrow<T>(values), values);
  }

  /// Divides if `divisor` is not 0. Returns false if that takes the slow way.
  BLINK_DEVICE bool divide(float (&values)[kCount], float inverse) const {
    bool divided = true;
    if (kSums<Operator> && divisor != 0) {
      const Quotient<float> quotient(divisor, inverse);
      BLINK_UNROLL
      for (uint32_t i = 0; i < kCount; ++i)
        divided &= quotient.divide(values[i]);
    }
    return divided;
  }

  BLINK_DEVICE void give(uint64_t first, const float (&values)[kCount]) const {
    if (resultIsPartial()) {
      Pack packs[kCount / kFloats];
      __builtin_memcpy(packs, values, sizeof(packs));
      BLINK_ROLLED
      for (uint32_t d = 0; d < numDestinations; ++d) {
        char *destination = destinations[d];
        if (!destination)
          continue;
        BLINK_UNROLL
        for (uint32_t p = 0; p < kCount / kFloats; ++p)
          storePack(destination + first * sizeof(float) + p * Pack::kBytes,
                    packs[p]);
      }
      return;
    }
    const Pack pack = narrow<T>(values);
    BLINK_ROLLED
    for (uint32_t d = 0; d < numDestinations; ++d) {
      char *destination = destinations[d];
      if (!destination)
        continue;
      destination += first * sizeof(T);
      if (misalignment(destination) != 0)
        storeElements<T>(destination, pack);
      else
        storePack(destination, pack);
    }
  }

  /// Folds kCount elements, from `first` on.
  BLINK_DEVICE void foldPack(uint64_t first, float inverse) const {
    float sums[kCount];
    take(0, first, sums);
    BLINK_ROLLED
    for (uint32_t s = 1; s < numSources; ++s) {
      float values[kCount];
      take(s, first, values);
      BLINK_UNROLL
      for (uint32_t i = 0; i < kCount; ++i)
        sums[i] = Operator::combine(sums[i], values[i]);
    }
    if (divide(sums, inverse))
      give(first, sums);
    else
      foldElements(*this, first, first + kCount, 1);
  }
};

/// Like foldRange, for `count` elements, by all threads of `block`.
template <typename T, typename Operator, typename Block>
BLINK_DEVICE inline void
foldWide(const Block block, const WideFold<T, Operator> fold, uint64_t count) {
  const bool partial = fold.resultIsPartial();
  if (fold.numSources == 1 && fold.divisor == 0 && fold.scaled != 0 &&
      fold.isPartial(0) == partial)
    return copyRange(block, fold.sources[0], fold.destinations,
                     fold.numDestinations,
                     count * (partial ? sizeof(float) : sizeof(T)));
  // Chosen as if something were aligned differently: the first and the last
  // elements are handled one by one.
  const PackRange range = PackRange::of<T>(nullptr, true, count);
  foldBesidePacks<T>(fold, block, range, count);
  const float inverse = reciprocal<float>(fold.divisor);
  BLINK_ROLLED
  for (uint64_t p = block.thread(); p < range.numPacks; p += block.size())
    fold.foldPack(range.head + p * kPackCount<T>, inverse);
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_WIDEFOLD_H
