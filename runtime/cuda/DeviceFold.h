//===- DeviceFold.h - a fold by the threads of a block ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// 16 bytes an access, several accesses in flight, any number of sources and
// destinations. Peels what is not aligned; ranges that are aligned differently
// go element by element, still coalesced.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_DEVICEFOLD_H
#define BLINK_RUNTIME_CUDA_DEVICEFOLD_H

#include "runtime/core/Operators.h"

namespace blink::runtime {

/// 16 bytes of elements.
template <typename T> struct alignas(16) Pack {
  static constexpr uint32_t kCount = 16 / sizeof(T);
  T elements[kCount];
};

template <typename T> BLINK_DEVICE inline Pack<T> loadPack(const T *address) {
  return *reinterpret_cast<const Pack<T> *>(address);
}

/// kUnroll packs, the first at element `first`, `stride` elements apart: all
/// loads of a source are issued before the first is used.
template <typename T, typename Operator, int kUnroll>
BLINK_DEVICE inline void foldPacks(const T *const *sources, uint32_t numSources,
                                   T *const *destinations,
                                   uint32_t numDestinations, uint64_t first,
                                   uint64_t stride, uint32_t divisor) {
  constexpr uint32_t kCount = Pack<T>::kCount;
  Pack<T> packs[kUnroll];
  BLINK_UNROLL
  for (int u = 0; u < kUnroll; ++u)
    packs[u] = loadPack(sources[0] + first + u * stride);
  if (numSources != 1 || divisor != 0) {
    Accumulator<T> sums[kUnroll][kCount];
    BLINK_UNROLL
    for (int u = 0; u < kUnroll; ++u)
      BLINK_UNROLL
    for (uint32_t i = 0; i < kCount; ++i)
      sums[u][i] = loadElement(packs[u].elements[i]);
    BLINK_ROLLED
    for (uint32_t s = 1; s < numSources; ++s) {
      BLINK_UNROLL
      for (int u = 0; u < kUnroll; ++u)
        packs[u] = loadPack(sources[s] + first + u * stride);
      BLINK_UNROLL
      for (int u = 0; u < kUnroll; ++u)
        BLINK_UNROLL
      for (uint32_t i = 0; i < kCount; ++i)
        sums[u][i] =
            Operator::combine(sums[u][i], loadElement(packs[u].elements[i]));
    }
    BLINK_UNROLL
    for (int u = 0; u < kUnroll; ++u)
      BLINK_UNROLL
    for (uint32_t i = 0; i < kCount; ++i) {
      if (divisor != 0)
        sums[u][i] = divideByRanks(sums[u][i], divisor);
      packs[u].elements[i] = storeElement<T>(sums[u][i]);
    }
  }
  BLINK_ROLLED
  for (uint32_t d = 0; d < numDestinations; ++d) {
    if (!destinations[d])
      continue;
    BLINK_UNROLL
    for (int u = 0; u < kUnroll; ++u)
      *reinterpret_cast<Pack<T> *>(destinations[d] + first + u * stride) =
          packs[u];
  }
}

/// Elements [begin, end), one a thread and turn.
template <typename T, typename Operator, typename Block>
BLINK_DEVICE_CALL void foldElements(const Block &block, const T *const *sources,
                                    uint32_t numSources, T *const *destinations,
                                    uint32_t numDestinations, uint64_t begin,
                                    uint64_t end, uint32_t divisor) {
  BLINK_ROLLED
  for (uint64_t i = begin + block.thread(); i < end; i += block.size()) {
    const T result = foldElement<T, Operator>(sources, numSources, i, divisor);
    BLINK_ROLLED
    for (uint32_t d = 0; d < numDestinations; ++d)
      if (destinations[d])
        destinations[d][i] = result;
  }
}

/// The fold of host/Fold.h by all threads of `block`; null destinations are
/// passed over. A thread reads and writes the same elements of all ranges: it
/// is the caller who synchronises.
template <typename T, typename Operator, typename Block>
BLINK_DEVICE inline void foldRange(const Block &block, const T *const *sources,
                                   uint32_t numSources, T *const *destinations,
                                   uint32_t numDestinations, uint64_t count,
                                   uint32_t divisor) {
  constexpr uint32_t kCount = Pack<T>::kCount;
  // Packs of 1-byte types hold 16 accumulators: fewer of them at once.
  constexpr int kUnroll = sizeof(T) == 1 ? 2 : 4;
  const uint64_t misalignment = reinterpret_cast<uint64_t>(sources[0]) % 16;
  bool alike = true;
  BLINK_ROLLED
  for (uint32_t s = 1; s < numSources; ++s)
    alike &= reinterpret_cast<uint64_t>(sources[s]) % 16 == misalignment;
  BLINK_ROLLED
  for (uint32_t d = 0; d < numDestinations; ++d)
    alike &= !destinations[d] ||
             reinterpret_cast<uint64_t>(destinations[d]) % 16 == misalignment;
  if (!alike)
    return foldElements<T, Operator>(block, sources, numSources, destinations,
                                     numDestinations, 0, count, divisor);

  const uint64_t toAligned = (16 - misalignment) % 16 / sizeof(T);
  const uint64_t head = toAligned < count ? toAligned : count;
  foldElements<T, Operator>(block, sources, numSources, destinations,
                            numDestinations, 0, head, divisor);
  // Turns of kUnroll packs a thread, then of one, then what is left.
  const uint64_t stride = uint64_t(block.size()) * kCount;
  const uint64_t packsEnd = count - (count - head) % kCount;
  uint64_t i = head + uint64_t(block.thread()) * kCount;
  BLINK_ROLLED
  for (; i + (kUnroll - 1) * stride < packsEnd; i += kUnroll * stride)
    foldPacks<T, Operator, kUnroll>(sources, numSources, destinations,
                                    numDestinations, i, stride, divisor);
  BLINK_ROLLED
  for (; i < packsEnd; i += stride)
    foldPacks<T, Operator, 1>(sources, numSources, destinations,
                              numDestinations, i, stride, divisor);
  foldElements<T, Operator>(block, sources, numSources, destinations,
                            numDestinations, packsEnd, count, divisor);
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_DEVICEFOLD_H
