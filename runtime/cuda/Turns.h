//===- Turns.h - a range as packs of a block's threads ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A range is handled as packs, of which each thread of a block takes several at
// a time, in turns. Packs are aligned like a destination.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_TURNS_H
#define BLINK_RUNTIME_CUDA_TURNS_H

#include "runtime/cuda/Pack.h"

namespace blink::runtime {

//===-- Elements of a pack -----------------------------------------------===//

template <typename T>
inline constexpr uint32_t kPackCount = Pack::kBytes / sizeof(T);

/// The type that sums of T are kept in. 8-bit integers use a whole register:
/// its low 8 bits are those of the 8-bit sum, so the sum need not be truncated
/// after each addition.
template <typename T>
using Register = std::conditional_t<std::is_integral_v<T> && sizeof(T) == 1,
                                    int32_t, Accumulator<T>>;

template <typename T>
BLINK_DEVICE inline void widen(const Pack &pack,
                               Register<T> (&values)[kPackCount<T>]) {
  if constexpr (kByInstructions<T>) {
    BLINK_UNROLL
    for (int w = 0; w < 4; ++w)
      widenWord(T(), pack.words[w], values + w * (4 / sizeof(T)));
  } else {
    T elements[kPackCount<T>];
    __builtin_memcpy(elements, &pack, sizeof(pack));
    BLINK_UNROLL
    for (uint32_t i = 0; i < kPackCount<T>; ++i)
      values[i] = loadElement(elements[i]);
  }
}

template <typename T>
BLINK_DEVICE inline Pack narrow(const Register<T> (&values)[kPackCount<T>]) {
  Pack pack;
  if constexpr (kByInstructions<T>) {
    BLINK_UNROLL
    for (int w = 0; w < 4; ++w)
      pack.words[w] = narrowWord(T(), values + w * (4 / sizeof(T)));
  } else {
    T elements[kPackCount<T>];
    BLINK_UNROLL
    for (uint32_t i = 0; i < kPackCount<T>; ++i)
      elements[i] = storeElement<T>(Accumulator<T>(values[i]));
    __builtin_memcpy(&pack, elements, sizeof(pack));
  }
  return pack;
}

//===-- The packs of one thread and turn ---------------------------------===//

/// `kPacks` packs, `stride` bytes apart.
template <int kPacks> struct Turn {
  static constexpr int kNum = kPacks;
  uint64_t offset; ///< offset of the first pack in bytes
  uint32_t stride;

  BLINK_DEVICE void load(const char *source, Pack (&packs)[kPacks]) const {
    BLINK_UNROLL
    for (int u = 0; u < kPacks; ++u)
      packs[u] = loadPack(source + offset + u * stride);
  }
  /// Loads from a source whose packs lie at multiples of kWidth bytes, 4 or 8.
  template <uint32_t kWidth>
  BLINK_DEVICE void loadByParts(const char *source,
                                Pack (&packs)[kPacks]) const {
    BLINK_UNROLL
    for (int u = 0; u < kPacks; ++u)
      packs[u] = loadParts<kWidth>(source + offset + u * stride);
  }
  /// Loads from a source whose packs lie `above` > 0 bytes above multiples of
  /// 16; they begin in word `Word` of the aligned pack.
  template <typename Word>
  BLINK_DEVICE void loadShifted(const char *source, uint32_t above, Word,
                                Pack (&packs)[kPacks]) const {
    const char *begin = source - above + offset;
    PackPair pairs[kPacks];
    BLINK_UNROLL
    for (int u = 0; u < kPacks; ++u)
      pairs[u] = loadPair(begin + u * stride, above);
    BLINK_UNROLL
    for (int u = 0; u < kPacks; ++u)
      packs[u] = extract<Word::value>(pairs[u], above % 4 * 8);
  }
  BLINK_DEVICE void store(char *destination,
                          const Pack (&packs)[kPacks]) const {
    BLINK_UNROLL
    for (int u = 0; u < kPacks; ++u)
      storePack(destination + offset + u * stride, packs[u]);
  }
};

/// The packs of one thread, which it handles several per turn.
struct Turns {
  uint64_t offset; ///< offset of the first pack in bytes
  uint32_t stride; ///< bytes from one pack to the next
  uint32_t left;

  /// Returns this thread's share of `numPacks` packs. The first pack lies
  /// `begin` bytes after the beginning of the ranges.
  template <typename Block>
  BLINK_DEVICE static Turns of(const Block &block, uint64_t begin,
                               uint64_t numPacks) {
    const uint32_t size = block.size(), thread = block.thread();
    return {begin + uint64_t(thread) * Pack::kBytes, size * Pack::kBytes,
            thread < numPacks ? uint32_t((numPacks - thread + size - 1) / size)
                              : 0};
  }

  /// Leaves out as many packs, or all that are left.
  BLINK_DEVICE void skip(uint32_t packs) {
    offset += uint64_t(packs) * stride;
    left = left > packs ? left - packs : 0;
  }

  /// Runs turns of kPacks packs while that many are left, then turns of half as
  /// many, a quarter, and so on down to one.
  template <int kPacks, typename Body> BLINK_DEVICE void run(Body body) {
    BLINK_ROLLED
    for (; left >= kPacks; left -= kPacks) {
      body(Turn<kPacks>{offset, stride});
      offset += kPacks * stride;
    }
    if constexpr (kPacks > 1)
      run<kPacks / 2>(body);
  }
};

/// The elements of a range that are handled as packs.
struct PackRange {
  uint64_t head; ///< elements before the first pack
  /// The elements after the packs are handled one by one again.
  uint64_t numPacks;

  /// Aligns packs like the range at `address`. If `loose`, other ranges are not
  /// aligned like it, and loads of their packs reach up to a pack beyond it.
  /// The first and the last elements, as far as such loads reach, are therefore
  /// handled one by one.
  template <typename T>
  BLINK_DEVICE static PackRange of(const char *address, bool loose,
                                   uint64_t count) {
    const uint64_t toAligned =
        (Pack::kBytes - misalignment(address)) % Pack::kBytes / sizeof(T);
    const uint64_t head = toAligned + (loose ? kPackCount<T> : 0);
    if (head >= count)
      return {count, 0};
    const uint64_t numPacks = (count - head) / kPackCount<T>;
    return {head, loose && numPacks ? numPacks - 1 : numPacks};
  }
};

/// Folds the elements before and after the packs of a range of `count`
/// elements, one by one, with all threads of `block`.
template <typename T, typename Fold, typename Block>
BLINK_DEVICE inline void foldBesidePacks(const Fold &fold, const Block &block,
                                         const PackRange &range,
                                         uint64_t count) {
  const uint64_t resume = range.head + range.numPacks * kPackCount<T>;
  if (range.head != 0)
    fold.foldElements(fold, block.thread(), range.head, block.size());
  if (resume != count)
    fold.foldElements(fold, resume + block.thread(), count, block.size());
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_TURNS_H
