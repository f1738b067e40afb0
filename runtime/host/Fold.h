//===- Fold.h - folds on the host -------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The one instruction of a schedule, over a range of elements.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_HOST_FOLD_H
#define BLINK_RUNTIME_HOST_FOLD_H

#include "runtime/blink.h"

#include <cstddef>
#include <cstdint>

namespace blink::runtime {

/// Bytes of an element; 0 for a type that does not exist.
size_t elementBytes(blinkDataType_t type);

/// Reduces `count` elements of `numSources` >= 1 sources in the listed order,
/// divides by `divisor` unless it is 0, and writes the result to
/// `numDestinations` >= 1 destinations. All are aligned to an element. A
/// destination may be one of the sources; apart from that no two ranges
/// overlap.
using FoldFunction = void (*)(const void *const *sources, size_t numSources,
                              void *const *destinations, size_t numDestinations,
                              size_t count, uint32_t divisor);

/// The fold of a type and an operator; null if there is none. `blinkAvg` sums:
/// dividing is the caller's, by `divisor`.
FoldFunction foldFunction(blinkDataType_t type, blinkRedOp_t op);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_FOLD_H
