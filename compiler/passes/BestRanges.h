//===- BestRanges.h - the best ranges of some variants ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PASSES_BESTRANGES_H
#define BLINK_COMPILER_PASSES_BESTRANGES_H

#include <cstddef>
#include <vector>

namespace blink {

/// Microseconds by size, ascending; infinite for sizes that a variant must not
/// serve. All variants have times for equally many sizes.
using Times = std::vector<double>;

/// A variant, and the sizes that it serves: from one place to below another.
struct ChosenRange {
  size_t which, begin, end;
};

/// Returns the ranges, ascending, of up to two of `others` that serve sizes
/// between those of `small` and of `large`, so that the product of all times is
/// the least. Each of the two must make it 15 % less. They are chosen in their
/// order. The first range does not begin where messages take longer than `now`,
/// because no later pass lets `small` end at larger sizes.
std::vector<ChosenRange> bestRanges(const Times &small,
                                    const std::vector<Times> &others,
                                    const Times &large, const Times &now);

} // namespace blink

#endif // BLINK_COMPILER_PASSES_BESTRANGES_H
