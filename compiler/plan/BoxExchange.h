//===- BoxExchange.h - an allreduce of few exchanges ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_BOXEXCHANGE_H
#define BLINK_COMPILER_PLAN_BOXEXCHANGE_H

#include "compiler/plan/TimeModel.h"

#include <optional>

namespace blink {

struct BoxExchange {
  FoldProgram program; ///< in lanes
  MessageTime time;
};

/// An allreduce over boxes of equally many ranks for messages that wait for
/// hops. A tree for each place of a box has the same part of the buffer; the
/// ranks at that place add up what their boxes have of it, exchange sums by
/// recursive doubling, and give the result to their boxes:
///
///     other ranks   (input) -> (to the place)
///     the place     (rank by rank of the box) -> (output, to the first others)
///                   (sums of a group of boxes) -> (output, to the next others)
///                   ...
///                   (sums of all groups) -> (output, to the ranks of the box)
///     other ranks   (from the place) -> (output)
///
/// Where doubling has pairs of boxes, groups are as large as a prime factor of
/// their number. Sums are added in the order of boxes on all ranks, so all get
/// the same bits. The output keeps a rank's own sum for the next exchange, so
/// one lane has all folds of a tree's place. Hops are half as many as those of
/// a tree there and back.
///
/// Each tree goes in as many parts, a power of two up to `maxLanes` with which
/// no rank reads more than 64 channels, as are the fastest for
/// kSmallReferenceBytes and eight times that; of equals the fewest.
/// Nothing where the order of sums or the peers of ranks are asked for, boxes
/// differ, there is but one, or two ranks that are to exchange have no path of
/// their own.
llvm::Expected<std::optional<BoxExchange>>
packBoxExchange(const PackingProblem &problem, unsigned maxLanes);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_BOXEXCHANGE_H
