//===- Fold.h - folds on the host -------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The fold, the only instruction of a schedule, over a range of elements.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_HOST_FOLD_H
#define BLINK_RUNTIME_HOST_FOLD_H

#include "runtime/blink.h"

#include <cstddef>
#include <cstdint>

namespace blink::runtime {

/// Reduces `count` elements of `numSources` >= 1 sources in the listed order,
/// divides by `divisor` unless it is 0, and writes the result to
/// `numDestinations` >= 1 destinations. All are aligned to an element. A
/// destination may be one of the sources; apart from that no two ranges
/// overlap. The last `numStreamed` destinations are not read soon, so copies to
/// them are written around the caches. What was written is visible to threads
/// that acquire what the caller releases afterwards.
using FoldFunction = void (*)(const void *const *sources, size_t numSources,
                              void *const *destinations, size_t numDestinations,
                              size_t count, uint32_t divisor,
                              size_t numStreamed);

/// Returns the fold of a type and an operator for the instruction set of this
/// processor, or null if there is none. For `blinkAvg` the fold sums, and the
/// caller asks for the division by `divisor`. For band, bor and bxor it is a
/// fold of bytes, whatever the type. All instruction sets give the same bits,
/// except that of several NaNs any may be the result.
FoldFunction foldFunction(blinkDataType_t type, blinkRedOp_t op);

/// Like FoldFunction if partial sums are wider than the type: the sources with
/// a nonzero entry in `partial`, which has one per source, are floats, and so
/// is the result if `partialResult`. Otherwise the result is rounded where it
/// is stored.
using WideFoldFunction = void (*)(const void *const *sources,
                                  const uint8_t *partial, size_t numSources,
                                  void *const *destinations,
                                  size_t numDestinations, bool partialResult,
                                  size_t count, uint32_t divisor,
                                  size_t numStreamed);
/// Returns the wide fold of a type and an operator, or null unless
/// isWidened(type, op).
WideFoldFunction wideFoldFunction(blinkDataType_t type, blinkRedOp_t op);
WideFoldFunction wideFoldFunctionOfLevel(int level, blinkDataType_t type,
                                         blinkRedOp_t op);

/// Writes `count` elements of `source` times the element in the low-order bytes
/// of `scalar` to `destination`, each rounded to its type (scaleElement).
using ScaleFunction = void (*)(const void *source, uint64_t scalar,
                               void *destination, size_t count);
/// Returns the scaling of a type, or null if there is none.
ScaleFunction scaleFunction(blinkDataType_t type);
ScaleFunction scaleFunctionOfLevel(int level, blinkDataType_t type);

/// The same for one of the instruction sets that Fold.cpp chooses from, given
/// as an x86-64 level; 1 is what every processor has. For tests: only levels up
/// to foldLevel() run.
FoldFunction foldFunctionOfLevel(int level, blinkDataType_t type,
                                 blinkRedOp_t op);
/// The best level of this processor: 1, 3 or 4.
int foldLevel();

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_FOLD_H
