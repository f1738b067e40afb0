//===- SizeRanges.h - which variant is for which sizes ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_SIZERANGES_H
#define BLINK_COMPILER_PLAN_SIZERANGES_H

#include "compiler/plan/TimeModel.h"

#include <optional>

namespace blink {

/// Where the variants for small messages end, in bytes: the first is for sizes
/// below `oneHop`, the second from there to below `tree`, another one of trees
/// from there to below `later`, and the large one for the rest. Empty ranges,
/// of one that is nowhere the fastest, begin and end at the same size.
struct SmallRanges {
  uint64_t oneHop = 0;
  uint64_t tree = 0;
  uint64_t later = 0;
};

/// Which of these variants is the fastest for which sizes. Times are compared
/// at powers of two from 64 bytes to 16 MiB and at three sizes between each
/// two, and ranges end at these: each at the first from which on, as far as the
/// others go, the next is as fast as the ones before it; small variants end at
/// the last one in any case. One hop that is not the faster one for the
/// smallest has no range, and neither have later trees that are nowhere in
/// theirs a tenth faster than the others.
SmallRanges chooseRanges(const std::optional<MessageTime> &oneHop,
                         const MessageTime &tree, const MessageTime &large,
                         const std::optional<MessageTime> &later = {});

/// The first of those sizes from which on `large` takes less than a twentieth
/// longer than `medium`, the same in smaller chunks, which cost processors
/// more; 0 where it never takes longer.
uint64_t endOfMedium(const MessageTime &medium, const MessageTime &large);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_SIZERANGES_H
