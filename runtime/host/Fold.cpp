//===- Fold.cpp - folds on the host ---------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Plain loops over blocks that stay in the first-level cache, for the compiler
// to vectorise. This file is compiled with -O3 whatever the build type.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Fold.h"

#include "runtime/core/Operators.h"

#include <algorithm>
#include <cstring>

namespace blink::runtime {
namespace {

/// Half of a small first-level cache.
constexpr size_t kBlockBytes = 16 << 10;

/// A fold with one source: the bytes, block by block, so that the source is
/// read from memory once however many destinations there are.
void copyBytes(const char *source, void *const *destinations,
               size_t numDestinations, size_t size) {
  const size_t block = numDestinations == 1 ? size : kBlockBytes;
  for (size_t begin = 0; begin < size; begin += block) {
    const size_t length = std::min(block, size - begin);
    for (size_t d = 0; d < numDestinations; ++d) {
      char *destination = static_cast<char *>(destinations[d]) + begin;
      if (destination != source + begin)
        std::memcpy(destination, source + begin, length);
    }
  }
}

template <typename T, typename Operator>
void fold(const void *const *sources, size_t numSources,
          void *const *destinations, size_t numDestinations, size_t count,
          uint32_t divisor) {
  if (numSources == 1 && divisor == 0)
    return copyBytes(static_cast<const char *>(sources[0]), destinations,
                     numDestinations, count * sizeof(T));
  // The result of a block is complete here before any of it is written, so a
  // destination may be a source.
  using A = Accumulator<T>;
  constexpr size_t kBlock = kBlockBytes / sizeof(A);
  alignas(64) A sum[kBlock];
  for (size_t begin = 0; begin < count; begin += kBlock) {
    const size_t n = std::min(kBlock, count - begin);
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

template <typename T> FoldFunction foldOf(blinkRedOp_t op) {
  switch (op) {
  case blinkSum:
  case blinkAvg:
    return fold<T, Sum>;
  case blinkProd:
    return fold<T, Prod>;
  case blinkMax:
    return fold<T, Max>;
  case blinkMin:
    return fold<T, Min>;
  }
  return nullptr;
}

} // namespace

size_t elementBytes(blinkDataType_t type) {
  switch (type) {
  case blinkInt8:
  case blinkUint8:
    return 1;
  case blinkFloat16:
  case blinkBfloat16:
    return 2;
  case blinkInt32:
  case blinkUint32:
  case blinkFloat32:
    return 4;
  case blinkInt64:
  case blinkUint64:
  case blinkFloat64:
    return 8;
  }
  return 0;
}

FoldFunction foldFunction(blinkDataType_t type, blinkRedOp_t op) {
  switch (type) {
  case blinkInt8:
    return foldOf<int8_t>(op);
  case blinkUint8:
    return foldOf<uint8_t>(op);
  case blinkInt32:
    return foldOf<int32_t>(op);
  case blinkUint32:
    return foldOf<uint32_t>(op);
  case blinkInt64:
    return foldOf<int64_t>(op);
  case blinkUint64:
    return foldOf<uint64_t>(op);
  case blinkFloat16:
    return foldOf<Half>(op);
  case blinkFloat32:
    return foldOf<float>(op);
  case blinkFloat64:
    return foldOf<double>(op);
  case blinkBfloat16:
    return foldOf<BFloat16>(op);
  }
  return nullptr;
}

} // namespace blink::runtime
