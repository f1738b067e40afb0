//===- FoldLoops.cpp - folds on the host ----------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Plain loops, for the compiler to vectorise, over blocks that stay in the
// first-level cache. This file is compiled once for each instruction set that
// Fold.cpp chooses from, with -O3 whatever the build type, and without
// contracting a product and a sum into one rounding. Inline functions of other
// files must not remain functions of their own here: see core/HostDevice.h.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Fold.h"
#include "runtime/plan/Types.h"

#include <cstring>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace blink::runtime::BLINK_FOLD_LEVEL {
namespace {

/// Half of a small first-level cache.
constexpr size_t kBlockBytes = 16 << 10;

/// Copies around the caches: a line that is written is not read first, and
/// lines that other threads are about to read stay in the caches.
void copyStreaming(char *to, const char *from, size_t size) {
#if defined(__SSE2__)
  const size_t toLine = -reinterpret_cast<uintptr_t>(to) % 64;
  const size_t head = toLine < size ? toLine : size;
  std::memcpy(to, from, head);
  size_t i = head;
  for (; i + 64 <= size; i += 64) {
#if defined(__AVX512F__)
    _mm512_stream_si512(reinterpret_cast<__m512i *>(to + i),
                        _mm512_loadu_si512(from + i));
#else
    for (size_t part = i; part < i + 64; part += 16)
      _mm_stream_si128(
          reinterpret_cast<__m128i *>(to + part),
          _mm_loadu_si128(reinterpret_cast<const __m128i *>(from + part)));
#endif
  }
  std::memcpy(to + i, from + i, size - i);
  _mm_sfence(); // streaming stores are not ordered otherwise
#else
  std::memcpy(to, from, size);
#endif
}

/// A fold with one source, which copies bytes. It goes block by block, so that
/// the source is read from memory once, whatever the number of destinations.
void copyBytes(const char *source, void *const *destinations,
               size_t numDestinations, size_t size, size_t numStreamed) {
  const size_t block = numDestinations == 1 ? size : kBlockBytes;
  for (size_t begin = 0; begin < size; begin += block) {
    const size_t length = size - begin < block ? size - begin : block;
    for (size_t d = 0; d < numDestinations; ++d) {
      char *destination = static_cast<char *>(destinations[d]) + begin;
      if (destination == source + begin)
        continue;
      if (d + numStreamed >= numDestinations)
        copyStreaming(destination, source + begin, length);
      else
        std::memcpy(destination, source + begin, length);
    }
  }
}

template <typename T, typename Operator>
void fold(const void *const *sources, size_t numSources,
          void *const *destinations, size_t numDestinations, size_t count,
          uint32_t divisor, size_t numStreamed) {
  if (numSources == 1 && divisor == 0)
    return copyBytes(static_cast<const char *>(sources[0]), destinations,
                     numDestinations, count * sizeof(T), numStreamed);
  // The result of a block is complete here before any of it is written, so a
  // destination may be a source.
  using A = Accumulator<T>;
  constexpr size_t kBlock = kBlockBytes / sizeof(A);
  alignas(64) A sum[kBlock];
  for (size_t begin = 0; begin < count; begin += kBlock) {
    const size_t n = count - begin < kBlock ? count - begin : kBlock;
    const T *first = static_cast<const T *>(sources[0]) + begin;
    if (numSources == 1) {
      for (size_t i = 0; i < n; ++i)
        sum[i] = loadElement(first[i]);
    } else {
      const T *second = static_cast<const T *>(sources[1]) + begin;
      for (size_t i = 0; i < n; ++i)
        sum[i] =
            Operator::combine(loadElement(first[i]), loadElement(second[i]));
    }
    for (size_t s = 2; s < numSources; ++s) {
      const T *source = static_cast<const T *>(sources[s]) + begin;
      for (size_t i = 0; i < n; ++i)
        sum[i] = Operator::combine(sum[i], loadElement(source[i]));
    }
    if (divisor != 0)
      for (size_t i = 0; i < n; ++i)
        sum[i] = divideByRanks(sum[i], divisor);
    T *result = static_cast<T *>(destinations[0]) + begin;
    for (size_t i = 0; i < n; ++i)
      result[i] = storeElement<T>(sum[i]);
    for (size_t d = 1; d < numDestinations; ++d)
      std::memcpy(static_cast<T *>(destinations[d]) + begin, result,
                  n * sizeof(T));
  }
}

/// Like `fold` if each source, and the result, are of type T or A.
template <typename T, typename Operator>
void foldWide(const void *const *sources, const uint8_t *partial,
              size_t numSources, void *const *destinations,
              size_t numDestinations, bool partialResult, size_t count,
              uint32_t divisor, size_t numStreamed) {
  using A = Accumulator<T>;
  const size_t resultBytes = partialResult ? sizeof(A) : sizeof(T);
  if (numSources == 1 && divisor == 0 && bool(partial[0]) == partialResult)
    return copyBytes(static_cast<const char *>(sources[0]), destinations,
                     numDestinations, count * resultBytes, numStreamed);
  constexpr size_t kBlock = kBlockBytes / sizeof(A);
  alignas(64) A sum[kBlock];
  for (size_t begin = 0; begin < count; begin += kBlock) {
    const size_t n = count - begin < kBlock ? count - begin : kBlock;
    if (partial[0]) {
      std::memcpy(sum, static_cast<const A *>(sources[0]) + begin,
                  n * sizeof(A));
    } else {
      const T *first = static_cast<const T *>(sources[0]) + begin;
      for (size_t i = 0; i < n; ++i)
        sum[i] = loadElement(first[i]);
    }
    for (size_t s = 1; s < numSources; ++s) {
      if (partial[s]) {
        const A *source = static_cast<const A *>(sources[s]) + begin;
        for (size_t i = 0; i < n; ++i)
          sum[i] = Operator::combine(sum[i], source[i]);
      } else {
        const T *source = static_cast<const T *>(sources[s]) + begin;
        for (size_t i = 0; i < n; ++i)
          sum[i] = Operator::combine(sum[i], loadElement(source[i]));
      }
    }
    if (divisor != 0)
      for (size_t i = 0; i < n; ++i)
        sum[i] = divideByRanks(sum[i], divisor);
    char *result = static_cast<char *>(destinations[0]) + begin * resultBytes;
    if (partialResult) {
      std::memcpy(result, sum, n * sizeof(A));
    } else {
      T *narrow = reinterpret_cast<T *>(result);
      for (size_t i = 0; i < n; ++i)
        narrow[i] = storeElement<T>(sum[i]);
    }
    for (size_t d = 1; d < numDestinations; ++d)
      std::memcpy(static_cast<char *>(destinations[d]) + begin * resultBytes,
                  result, n * resultBytes);
  }
}

template <typename T>
void scale(const void *source, uint64_t scalar, void *destination,
           size_t count) {
  const T *from = static_cast<const T *>(source);
  T *to = static_cast<T *>(destination);
  T element;
  std::memcpy(&element, &scalar, sizeof(T)); // little endian
  const Accumulator<T> factor = loadElement(element);
  for (size_t i = 0; i < count; ++i)
    to[i] = scaleElement(from[i], factor);
}

} // namespace

ScaleFunction scaleFunction(blinkDataType_t type) {
  return withType(type, [](auto element) -> ScaleFunction {
    return scale<decltype(element)>;
  });
}

FoldFunction foldFunction(blinkDataType_t type, blinkRedOp_t op) {
  return withOperator(op, [type](auto combine) {
    using Operator = decltype(combine);
    return withFoldType<Operator>(type, [](auto element) -> FoldFunction {
      return fold<decltype(element), Operator>;
    });
  });
}

WideFoldFunction wideFoldFunction(blinkDataType_t type, blinkRedOp_t op) {
  if (!isWidened(type, op))
    return nullptr;
  return withType(type, [op](auto element) -> WideFoldFunction {
    using T = decltype(element);
    if constexpr (!std::is_class_v<T>)
      return nullptr;
    else
      return op == blinkProd ? foldWide<T, Prod> : foldWide<T, Sum>;
  });
}

} // namespace blink::runtime::BLINK_FOLD_LEVEL
