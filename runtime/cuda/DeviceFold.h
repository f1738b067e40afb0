//===- DeviceFold.h - a fold by the threads of a block ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// 16 bytes per access, several accesses in flight, any number of sources and
// destinations. Packs are aligned like a destination. A source that is aligned
// differently is loaded by words or by aligned packs, which are shifted if its
// elements do not begin at a word.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_DEVICEFOLD_H
#define BLINK_RUNTIME_CUDA_DEVICEFOLD_H

#include "runtime/cuda/Pack.h"
#include "runtime/cuda/Quotient.h"

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

//===-- Copies -----------------------------------------------------------===//

/// Copies to destinations that are aligned alike.
template <typename Block>
BLINK_DEVICE inline void copyAlike(const Block &block, const char *source,
                                   SharedPointers<char> destinations,
                                   uint32_t numDestinations, char *first,
                                   uint64_t size) {
  const uint32_t above = misalignment(source - misalignment(first));
  const PackRange range = PackRange::of<char>(first, above != 0, size);
  const uint64_t resume = range.numPacks * Pack::kBytes;
  BLINK_ROLLED
  for (uint64_t i = block.thread(); i + resume < size; i += block.size()) {
    const uint64_t at = i < range.head ? i : i + resume;
    const char byte = source[at];
    BLINK_ROLLED
    for (uint32_t d = 0; d < numDestinations; ++d)
      if (char *destination = destinations[d])
        destination[at] = byte;
  }
  Turns turns = Turns::of(block, range.head, range.numPacks);
  const auto toAll = [&](const auto &turn, const auto &packs) {
    // With one destination its pointer stays in a register.
    if (numDestinations == 1)
      return turn.store(first, packs);
    BLINK_ROLLED
    for (uint32_t d = 0; d < numDestinations; ++d)
      if (char *destination = destinations[d])
        turn.store(destination, packs);
  };
  const auto run = [&](auto packs, auto load) {
    turns.run<packs.value>([&](const auto &turn) {
      Pack packs[turn.kNum];
      load(turn, packs);
      toAll(turn, packs);
    });
  };
  // Packs in flight; half as many if each takes two loads.
  constexpr std::integral_constant<int, 8> all;
  constexpr std::integral_constant<int, 4> half;
  if (above == 0)
    run(all, [&](const auto &turn, auto &packs) { turn.load(source, packs); });
  else if (above == 8)
    run(all, [&](const auto &turn, auto &packs) {
      turn.template loadByParts<8>(source, packs);
    });
  else if (above % 4 == 0)
    run(all, [&](const auto &turn, auto &packs) {
      turn.template loadByParts<4>(source, packs);
    });
  else
    withWord(above, [&](auto word) {
      run(half, [&](const auto &turn, auto &packs) {
        turn.loadShifted(source, above, word, packs);
      });
    });
}

/// Copies bits, whatever they mean. Consecutive destinations that are aligned
/// alike are written together.
template <typename Block>
BLINK_DEVICE inline void copyRange(const Block block, const char *source,
                                   SharedPointers<char> destinations,
                                   uint32_t numDestinations, uint64_t size) {
  BLINK_ROLLED
  for (uint32_t d = 0; d < numDestinations;) {
    char *const first = destinations[d];
    uint32_t end = d + 1;
    BLINK_ROLLED
    for (; first && end < numDestinations; ++end)
      if (char *next = destinations[end])
        if (misalignment(next) != misalignment(first))
          break;
    if (first)
      copyAlike(block, source, destinations.from(d), end - d, first, size);
    d = end;
  }
}

//===-- Folds ------------------------------------------------------------===//

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
    Pack packs[kNum];
    bool divided = true;
    BLINK_UNROLL
    for (int u = 0; u < kNum; ++u) {
      if constexpr (kSums<Operator>)
        if (divisor != 0) {
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
    if (!divided) {
      // Nothing has been written yet: fold these packs again, the slow way.
      BLINK_ROLLED
      for (int u = 0; u < kNum; ++u) {
        const uint64_t first =
            (turn.offset + uint64_t(u) * turn.stride) / sizeof(T);
        foldElements(*this, first, first + kCount, 1);
      }
      return;
    }
    BLINK_ROLLED
    for (uint32_t d = 0; d < numDestinations; ++d) {
      char *destination = destinations[d];
      if (!destination)
        continue;
      if (kLoose && misalignment(destination + turn.offset) != 0) {
        BLINK_UNROLL
        for (int u = 0; u < kNum; ++u)
          storeElements<T>(destination + turn.offset + u * turn.stride,
                           packs[u]);
      } else {
        turn.store(destination, packs);
      }
    }
  }

  template <bool kLoose, typename Block>
  BLINK_DEVICE static void foldPacks(const DeviceFold fold, const Block block,
                                     uint64_t begin, uint64_t numPacks) {
    const Reciprocal inverse = reciprocal<Accumulator<T>>(fold.divisor);
    Turns turns = Turns::of(block, begin, numPacks);
    turns.run<kLoose ? kLoosePacks : kPacks>([&](const auto &turn) {
      fold.template foldTurn<kLoose>(turn, inverse);
    });
  }
};

/// Runs the fold of host/Fold.h with all threads of `block`, skipping null
/// destinations. `sources` and `destinations` lie in the block's shared memory.
/// `divisor` is 0 unless the operator is Sum. A thread writes the same elements
/// of all ranges and uses no others; the caller synchronises.
template <typename T, typename Operator, typename Block>
BLINK_DEVICE inline void foldRange(const Block &block, const T *const *sources,
                                   uint32_t numSources, T *const *destinations,
                                   uint32_t numDestinations, uint64_t count,
                                   uint32_t divisor) {
  const DeviceFold<T, Operator> fold{
      SharedPointers<const char>(
          reinterpret_cast<const char *const *>(sources)),
      numSources,
      SharedPointers<char>(reinterpret_cast<char *const *>(destinations)),
      numDestinations, divisor};
  if (numSources == 1 && divisor == 0)
    return copyRange(block, fold.sources[0], fold.destinations, numDestinations,
                     count * sizeof(T));
  const char *first = nullptr;
  uint32_t differences = 0;
  BLINK_ROLLED
  for (uint32_t d = 0; d < numDestinations; ++d)
    if (const char *destination = fold.destinations[d]) {
      first = first ? first : destination;
      differences |= misalignment(destination) ^ misalignment(first);
    }
  BLINK_ROLLED
  for (uint32_t s = 0; s < numSources; ++s)
    differences |= misalignment(fold.sources[s]) ^ misalignment(first);
  const bool loose = differences != 0;
  const PackRange range = PackRange::of<T>(first, loose, count);
  const uint64_t resume = range.head + range.numPacks * kPackCount<T>;
  if (range.head != 0)
    fold.foldElements(fold, block.thread(), range.head, block.size());
  if (resume != count)
    fold.foldElements(fold, resume + block.thread(), count, block.size());
  const uint64_t begin = range.head * sizeof(T);
  if (loose)
    fold.template foldPacks<true>(fold, block, begin, range.numPacks);
  else
    fold.template foldPacks<false>(fold, block, begin, range.numPacks);
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_DEVICEFOLD_H
