//===- Patterns.h - inputs and results of many elements ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What Elements.h says of one element, for whole buffers. Patterns are made
// once, then copied and compared by memcpy and memcmp.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_CONFORMANCE_PATTERNS_H
#define BLINK_TEST_CONFORMANCE_PATTERNS_H

#include "test/conformance/Elements.h"

#include <cstddef>

namespace blink::test {

/// Several periods of elements, as they lie in memory. There are enough of them
/// that a piece is worth a memcpy and that pieces are as well aligned as the
/// buffer, but few enough to stay in a cache.
using Pattern = std::vector<unsigned char>;

/// Returns a rank's input. The result is kept, since making elements is slow.
const Pattern &inputPattern(blinkDataType_t type,
                            std::optional<blinkRedOp_t> op, int rank);

/// Returns the reduction of all ranks' inputs, which is kept, too.
const Pattern &reducedPattern(blinkDataType_t type, blinkRedOp_t op,
                              int numRanks);

/// Writes the pattern's elements from `first` on into elements [0, count) of a
/// buffer.
void fill(unsigned char *buffer, const Pattern &pattern, size_t elementBytes,
          size_t first, size_t count);

/// The number of wrong elements, and the index of the first one.
struct Wrong {
  size_t count = 0, first = 0;
};

/// Compares elements [at, at + count) of a buffer with those of the pattern
/// from `first` on.
void compare(const unsigned char *buffer, size_t at, const Pattern &pattern,
             size_t elementBytes, size_t first, size_t count, Wrong &wrong);

} // namespace blink::test

#endif // BLINK_TEST_CONFORMANCE_PATTERNS_H
