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

/// Returns an allreduce over boxes of equally many ranks, for messages that are
/// so small that hops dominate. There is a tree for each place of a box, and
/// all trees carry equal parts of the buffer. The ranks at that place add up
/// what their boxes have of the part, exchange these sums by recursive
/// doubling, and send the result to their boxes:
///
///     other ranks   (input) -> (to the place)
///     the place     (rank by rank of the box) -> (output, to the first others)
///                   (sums of a group of boxes) -> (output, to the next others)
///                   ...
///                   (sums of all groups) -> (output, to the ranks of the box)
///     other ranks   (from the place) -> (output)
///
/// Where doubling has pairs of boxes, the boxes here form groups, whose sizes
/// are the prime factors of the number of boxes. All ranks add the sums in the
/// order of boxes, so all get the same bits. The output keeps a rank's own sum
/// for the next exchange; therefore one lane has all folds of the rank at a
/// tree's place. There are half as many hops as in a tree up and down.
///
/// Each tree is split into 1, 2, 4, ... up to `maxLanes` parts, as long as a
/// rank reads no more than 64 channels and each doubling is faster, by the
/// product of the times for kSmallReferenceBytes and for eight times that.
///
/// Returns std::nullopt if sums must have an order, if relays or phases are
/// asked for, if boxes differ or there is only one, if the number of boxes has
/// a prime factor above 8, or if two ranks that would exchange have no path of
/// their own.
llvm::Expected<std::optional<BoxExchange>>
packBoxExchange(const PackingProblem &problem, unsigned maxLanes);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_BOXEXCHANGE_H
