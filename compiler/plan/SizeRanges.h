//===- SizeRanges.h - which variant is for which sizes ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_SIZERANGES_H
#define BLINK_COMPILER_PLAN_SIZERANGES_H

#include "compiler/plan/TimeModel.h"

#include <optional>
#include <vector>

namespace blink {

/// Returns the sizes at which times are compared, ascending: the powers of two
/// from 64 bytes to 16 MiB and three sizes between each two of them.
std::vector<uint64_t> comparedSizes();

/// The sizes in bytes at which the variants for small messages end. The first
/// variant is for sizes below `oneHop`, the second one from there to below
/// `tree`, a further one of trees from there to below `later`, and the large
/// variant for the rest. A variant that is nowhere the fastest has an empty
/// range, which begins and ends at the same size.
struct SmallRanges {
  uint64_t oneHop = 0;
  uint64_t tree = 0;
  uint64_t later = 0;
};

/// Chooses the range of sizes in which each of these variants is the fastest.
/// Ranges end at comparedSizes(). A range ends at the first size from which on
/// the next variant stays as fast as those before it, up to the end of that
/// variant's own range; small variants end at 16 MiB in any case. One hop has
/// no range if it is not the faster one at the smallest size. Later trees have
/// none if nowhere in it they are a tenth faster than the others.
SmallRanges chooseRanges(const std::optional<MessageTime> &oneHop,
                         const MessageTime &tree, const MessageTime &large,
                         const std::optional<MessageTime> &later = {});

/// Returns the first of these sizes from which on `medium` saves no more than
/// 5 % of the time of `large`, or 0 if it never saves more. `medium` has the
/// same trees in smaller chunks, which cost processors more.
uint64_t endOfMedium(const MessageTime &medium, const MessageTime &large);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_SIZERANGES_H
