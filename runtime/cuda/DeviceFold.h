//===- DeviceFold.h - packs of a fold, in registers -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// 16 bytes per access, several accesses in flight, any number of sources and
// destinations. A source that is aligned differently from its pack is loaded by
// words, which are shifted if its elements do not begin at a word.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_DEVICEFOLD_H
#define BLINK_RUNTIME_CUDA_DEVICEFOLD_H

#include "runtime/cuda/Quotient.h"
#include "runtime/cuda/Turns.h"

namespace blink::runtime {

/// Packs in flight from a source that is aligned like the turn.
template <typename T, int kNum> struct AlignedPacks {
  Pack packs[kNum];

  BLINK_DEVICE void load(const Turn<kNum> &turn, const char *source) {
    turn.load(source, packs);
  }
  BLINK_DEVICE Pack get(int u) const { return packs[u]; }
};

/// The same for a source that may be aligned differently, at a multiple of T.
/// Nothing is computed from the loaded words before `get`, so no load is waited
/// for earlier.
template <typename T, int kNum, bool kShifts = sizeof(T) < 4>
struct LoosePacks : AlignedPacks<T, kNum> {
  BLINK_DEVICE void load(const Turn<kNum> &turn, const char *source) {
    if (misalignment(source + turn.offset) == 0)
      turn.load(source, this->packs);
    else
      turn.template loadByParts<sizeof(T)>(source, this->packs);
  }
};

template <typename T, int kNum> struct LoosePacks<T, kNum, true> {
  Words words[kNum];
  uint32_t bits = 0;

  BLINK_DEVICE void load(const Turn<kNum> &turn, const char *source) {
    const char *first = source + turn.offset;
    const uint32_t above = misalignment(first) % 4;
    bits = 8 * above;
    BLINK_UNROLL
    for (int u = 0; u < kNum; ++u)
      words[u] = loadWords(first - above + u * turn.stride, above);
  }
  BLINK_DEVICE Pack get(int u) const { return extract(words[u], bits); }
};

/// Whether the fold is a sum. Only sums are divided at the end, or multiplied
/// before.
template <typename Operator>
inline constexpr bool kSums = std::is_same_v<Operator, Sum>;

template <typename T, typename Operator> struct DeviceFold {
  static constexpr uint32_t kCount = kPackCount<T>;
  /// The type that the values of a pack are combined in: its elements, widened,
  /// or for bitwise operators its words.
  static constexpr bool kInWords = kBitwise<Operator>;
  using Value = std::conditional_t<kInWords, uint32_t, Register<T>>;
  static constexpr uint32_t kValues = kInWords ? 4 : kCount;
  /// A thread has the packs of two sources in flight, and the sums of its packs
  /// in registers: 32 sums for 1-byte elements. 64-bit integers take a long
  /// division, and shifting takes two registers per word. More packs than these
  /// would need more registers than a thread of a block has
  /// (tools/kernel-report). On the newest GPUs the compiler uses more
  /// registers.
  static constexpr int kPacks =
      kValues == 16 || (std::is_integral_v<T> && sizeof(T) == 8) ? 2 : 3;
  /// Packs of a turn whose loads go through a stage (StagedFold.h).
  static constexpr int kStagedPacks = kValues == 16 ? 1 : kPacks;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
  static constexpr int kLoosePacks = sizeof(T) == 2 ? 1 : 2;
#else
  static constexpr int kLoosePacks = sizeof(T) < 4 ? 2 : kPacks;
#endif

  SharedPointers<const char> sources;
  uint32_t numSources;
  SharedPointers<char> destinations;
  uint32_t numDestinations;
  uint32_t divisor; ///< 0 unless the operator is Sum

  using Reciprocal = decltype(reciprocal<Accumulator<T>>(1));

  /// Returns the same number, hidden from the compiler: what depends on it is
  /// computed where it is used, because registers are scarcer than
  /// instructions.
  BLINK_DEVICE static uint32_t opaque(uint32_t number) {
#if defined(__CUDA_ARCH__)
    asm volatile("" : "+r"(number));
#endif
    return number;
  }

  BLINK_DEVICE static void take(const Pack &pack, Value (&values)[kValues]) {
    if constexpr (kInWords)
      __builtin_memcpy(values, &pack, sizeof(pack));
    else
      widen<T>(pack, values);
  }
  BLINK_DEVICE static Pack give(const Value (&values)[kValues]) {
    Pack pack;
    if constexpr (kInWords)
      __builtin_memcpy(&pack, values, sizeof(pack));
    else
      pack = narrow<T>(values);
    return pack;
  }

  template <typename Packs, int kNum>
  BLINK_DEVICE static void combine(const Packs &packs,
                                   Value (&sums)[kNum][kValues]) {
    BLINK_UNROLL
    for (int u = 0; u < kNum; ++u) {
      Value values[kValues];
      take(packs.get(u), values);
      BLINK_UNROLL
      for (uint32_t i = 0; i < kValues; ++i)
        sums[u][i] = Operator::combine(sums[u][i], values[i]);
    }
  }

  /// Folds every `step`-th element of [begin, end).
  BLINK_DEVICE_CALL static void foldElements(const DeviceFold fold,
                                             uint64_t begin, uint64_t end,
                                             uint64_t step) {
    BLINK_ROLLED
    for (uint64_t i = begin; i < end; i += step) {
      const auto load = [&](uint32_t s) {
        return loadElement(reinterpret_cast<const T *>(fold.sources[s])[i]);
      };
      Accumulator<T> value = load(0);
      BLINK_ROLLED
      for (uint32_t s = 1; s < fold.numSources; ++s)
        value = Operator::combine(value, load(s));
      if (kSums<Operator> && fold.divisor != 0)
        value = divideByRanks(value, fold.divisor);
      const T result = storeElement<T>(value);
      BLINK_ROLLED
      for (uint32_t d = 0; d < fold.numDestinations; ++d)
        if (char *destination = fold.destinations[d])
          reinterpret_cast<T *>(destination)[i] = result;
    }
  }

  /// kLoose: sources and destinations may not be aligned like packs.
  template <bool kLoose, int kNum>
  BLINK_DEVICE void foldTurn(const Turn<kNum> &turn,
                             Reciprocal reciprocal) const {
    using Packs =
        std::conditional_t<kLoose, LoosePacks<T, kNum>, AlignedPacks<T, kNum>>;
    // While the packs of one source are combined, those of the next are in
    // flight.
    Packs even, odd;
    even.load(turn, sources[0]);
    if (numSources > 1)
      odd.load(turn, sources[1]);
    Value sums[kNum][kValues];
    BLINK_UNROLL
    for (int u = 0; u < kNum; ++u)
      take(even.get(u), sums[u]);
    BLINK_ROLLED
    for (uint32_t s = 1; s < numSources; s += 2) {
      if (s + 1 < numSources)
        even.load(turn, sources[s + 1]);
      combine(odd, sums);
      if (s + 1 == numSources)
        break;
      if (s + 2 < numSources)
        odd.load(turn, sources[s + 2]);
      combine(even, sums);
    }
    if (finishTurn<kLoose>(turn, sums, reciprocal, kNum))
      return;
    // Nothing has been written yet: fold these packs again, the slow way.
    BLINK_ROLLED
    for (int u = 0; u < kNum; ++u) {
      const uint64_t first =
          (turn.offset + uint64_t(u) * turn.stride) / sizeof(T);
      foldElements(*this, first, first + kCount, 1);
    }
  }

  /// Divides the sums of a turn's first `number` packs, and stores them.
  /// Returns false, and stores none, if a division takes the slow way.
  template <bool kLoose, int kNum>
  BLINK_DEVICE bool finishTurn(const Turn<kNum> &turn,
                               Value (&sums)[kNum][kValues],
                               Reciprocal reciprocal, uint32_t number) const {
    Pack packs[kNum];
    bool divided = true;
    BLINK_UNROLL
    for (uint32_t u = 0; u < kNum; ++u) {
      if constexpr (kSums<Operator>)
        if (divisor != 0 && u < number) {
          const Quotient<Accumulator<T>> quotient(opaque(divisor), reciprocal);
          BLINK_UNROLL
          for (uint32_t i = 0; i < kCount; ++i) {
            Accumulator<T> sum = Accumulator<T>(sums[u][i]);
            divided &= quotient.divide(sum);
            sums[u][i] = sum;
          }
        }
      packs[u] = give(sums[u]);
    }
    if (!divided)
      return false;
    BLINK_ROLLED
    for (uint32_t d = 0; d < numDestinations; ++d) {
      char *destination = destinations[d];
      if (!destination)
        continue;
      destination += turn.offset;
      const bool apart = kLoose && misalignment(destination) != 0;
      BLINK_UNROLL
      for (uint32_t u = 0; u < kNum; ++u)
        if (u < number) {
          if (apart)
            storeElements<T>(destination + u * turn.stride, packs[u]);
          else
            storePack(destination + u * turn.stride, packs[u]);
        }
    }
    return true;
  }

  /// Folds the packs of a thread.
  template <bool kLoose>
  BLINK_DEVICE static void foldPacks(const DeviceFold fold, Turns turns) {
    const Reciprocal inverse = reciprocal<Accumulator<T>>(fold.divisor);
    turns.run<kLoose ? kLoosePacks : kPacks>([&](const auto &turn) {
      fold.template foldTurn<kLoose>(turn, inverse);
    });
  }
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_DEVICEFOLD_H
