//===- Patterns.h - inputs and results of many elements ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What Elements.h says of one element, for whole buffers: made once, then
// copied and compared by memcpy and memcmp.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_CONFORMANCE_PATTERNS_H
#define BLINK_TEST_CONFORMANCE_PATTERNS_H

#include "test/conformance/Elements.h"

#include <cstddef>

namespace blink::test {

/// Some periods of elements, as they lie in memory: so many that pieces are
/// worth a memcpy, that they are as well aligned as the buffer, and that they
/// stay in a cache.
using Pattern = std::vector<unsigned char>;

/// A rank's input. Kept: making an element is slow.
const Pattern &inputPattern(blinkDataType_t type,
                            std::optional<blinkRedOp_t> op, int rank);

/// The reduction of all ranks' inputs. Kept, too.
const Pattern &reducedPattern(blinkDataType_t type, blinkRedOp_t op,
                              int numRanks);

/// Writes the pattern's elements from `first` on to elements [0, count) of a
/// buffer.
void fill(unsigned char *buffer, const Pattern &pattern, size_t elementBytes,
          size_t first, size_t count);

/// Elements that are not as they must be.
struct Wrong {
  size_t count = 0, first = 0;
};

/// Compares elements [at, at + count) of a buffer with those of the pattern
/// from `first` on.
void compare(const unsigned char *buffer, size_t at, const Pattern &pattern,
             size_t elementBytes, size_t first, size_t count, Wrong &wrong);

} // namespace blink::test

#endif // BLINK_TEST_CONFORMANCE_PATTERNS_H
