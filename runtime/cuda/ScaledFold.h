//===- ScaledFold.h - a sum with one source multiplied ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The folds of kPreMulSum that read a rank's contribution. They compute as if
// the contribution had been multiplied, and rounded to its type, before the
// call. One loop serves ranges of any alignment. It is in the same kernels as
// the loops of plain sums, which keep their code, and no further kernels are
// needed.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_SCALEDFOLD_H
#define BLINK_RUNTIME_CUDA_SCALEDFOLD_H

#include "runtime/cuda/DeviceFold.h"

namespace blink::runtime {

/// Returns the element in the low-order bytes of 64 bits.
template <typename T> BLINK_DEVICE inline T elementOf(uint64_t bits) {
  T element;
  __builtin_memcpy(&element, &bits, sizeof(T)); // little endian
  return element;
}

/// Packs in flight from a source of any alignment.
template <typename T, int kNum, bool kShifts = sizeof(T) < 4>
struct AnyPacks : LoosePacks<T, kNum> {};

template <typename T, int kNum> struct AnyPacks<T, kNum, true> {
  Words words[kNum];
  uint32_t bits = 0;

  BLINK_DEVICE void load(const Turn<kNum> &turn, const char *source) {
    const char *first = source + turn.offset;
    const uint32_t above = misalignment(first) % 4;
    bits = 8 * above;
    if (misalignment(first) == 0) {
      BLINK_UNROLL
      for (int u = 0; u < kNum; ++u) {
        const Pack pack = loadPack(first + u * turn.stride);
        words[u] = {
            {pack.words[0], pack.words[1], pack.words[2], pack.words[3], 0}};
      }
      return;
    }
    BLINK_UNROLL
    for (int u = 0; u < kNum; ++u)
      words[u] = loadWords(first - above + u * turn.stride, above);
  }
  BLINK_DEVICE Pack get(int u) const { return extract(words[u], bits); }
};

template <typename T> struct ScaledFold {
  using A = Accumulator<T>;
  static constexpr uint32_t kCount = kPackCount<T>;
  /// As many packs as fit into the registers on all GPUs (tools/kernel-report).
  /// Before sm_89 the smallest types take long conversions.
  static constexpr int kPacks =
      DeviceFold<T, Sum>::kLoosePacks < 2 || sizeof(T) == 1 ? 1 : 2;

  SharedPointers<const char> sources;
  uint32_t numSources;
  SharedPointers<char> destinations;
  uint32_t numDestinations;
  uint32_t scaled; ///< number of the source that is multiplied
  A scalar;

  /// Folds every `step`-th element of [begin, end).
  BLINK_DEVICE_CALL static void foldElements(const ScaledFold fold,
                                             uint64_t begin, uint64_t end,
                                             uint64_t step) {
    BLINK_ROLLED
    for (uint64_t i = begin; i < end; i += step) {
      A value{};
      BLINK_ROLLED
      for (uint32_t s = 0; s < fold.numSources; ++s) {
        T element = reinterpret_cast<const T *>(fold.sources[s])[i];
        if (s == fold.scaled)
          element = scaleElement(element, fold.scalar);
        value = s == 0 ? loadElement(element)
                       : Sum::combine(value, loadElement(element));
      }
      const T result = storeElement<T>(value);
      BLINK_ROLLED
      for (uint32_t d = 0; d < fold.numDestinations; ++d)
        if (char *destination = fold.destinations[d])
          reinterpret_cast<T *>(destination)[i] = result;
    }
  }

  /// Takes a pack of source number `s`.
  BLINK_DEVICE void take(const Pack &pack, uint32_t s,
                         Register<T> (&values)[kCount]) const {
    widen<T>(pack, values);
    if (s != scaled)
      return;
    BLINK_UNROLL
    for (uint32_t i = 0; i < kCount; ++i)
      values[i] = Prod::combine(values[i], Register<T>(scalar));
    if constexpr (std::is_class_v<T>)
      widen<T>(narrow<T>(values), values);
  }

  template <int kNum> BLINK_DEVICE void foldTurn(const Turn<kNum> &turn) const {
    // One source at a time: with two in flight the other folds would no longer
    // have enough registers (tools/kernel-report).
    AnyPacks<T, kNum> packs;
    packs.load(turn, sources[0]);
    Register<T> sums[kNum][kCount];
    BLINK_UNROLL
    for (int u = 0; u < kNum; ++u)
      take(packs.get(u), 0, sums[u]);
    BLINK_ROLLED
    for (uint32_t s = 1; s < numSources; ++s) {
      packs.load(turn, sources[s]);
      BLINK_UNROLL
      for (int u = 0; u < kNum; ++u) {
        Register<T> values[kCount];
        take(packs.get(u), s, values);
        BLINK_UNROLL
        for (uint32_t i = 0; i < kCount; ++i)
          sums[u][i] = Sum::combine(sums[u][i], values[i]);
      }
    }
    Pack results[kNum];
    BLINK_UNROLL
    for (int u = 0; u < kNum; ++u)
      results[u] = narrow<T>(sums[u]);
    BLINK_ROLLED
    for (uint32_t d = 0; d < numDestinations; ++d) {
      char *destination = destinations[d];
      if (!destination)
        continue;
      if (misalignment(destination + turn.offset) != 0) {
        BLINK_UNROLL
        for (int u = 0; u < kNum; ++u)
          storeElements<T>(destination + turn.offset + u * turn.stride,
                           results[u]);
      } else {
        turn.store(destination, results);
      }
    }
  }
};

/// Sums the sources, of which number `scaled` is multiplied by the element in
/// the low-order bytes of `scalar`. Otherwise like foldRange, without a
/// division.
template <typename T, typename Block>
BLINK_DEVICE inline void foldScaled(const Block block, const T *const *sources,
                                    uint32_t numSources, T *const *destinations,
                                    uint32_t numDestinations, uint64_t count,
                                    uint32_t scaled, uint64_t scalar) {
  const ScaledFold<T> fold{
      SharedPointers<const char>(
          reinterpret_cast<const char *const *>(sources)),
      numSources,
      SharedPointers<char>(reinterpret_cast<char *const *>(destinations)),
      numDestinations,
      scaled,
      loadElement(elementOf<T>(scalar))};
  const char *first = nullptr;
  BLINK_ROLLED
  for (uint32_t d = 0; d < numDestinations && !first; ++d)
    first = fold.destinations[d];
  // Chosen as if something were aligned differently: the first and the last
  // elements are handled one by one.
  const PackRange range = PackRange::of<T>(first, true, count);
  foldBesidePacks<T>(fold, block, range, count);
  Turns turns = Turns::of(block, range.head * sizeof(T), range.numPacks);
  turns.run<ScaledFold<T>::kPacks>(
      [&](const auto &turn) { fold.foldTurn(turn); });
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_SCALEDFOLD_H
