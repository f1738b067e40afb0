//===- OneHop.h - an allreduce of one exchange ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Every rank sends its whole input to each other rank, and each adds all inputs
// up itself, in the order of ranks: one hop, where a tree up and down has at
// least two. All links carry the whole buffer, so this is for tiny messages.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_ONEHOP_H
#define BLINK_COMPILER_PLAN_ONEHOP_H

#include "compiler/plan/TimeModel.h"

#include <optional>

namespace blink {

struct OneHop {
  /// In lanes, one for each tree and rank. All trees exchange equal parts of
  /// the buffer.
  FoldProgram program;
  MessageTime time;
};

/// Returns the exchange over the cheapest direct paths, with its time:
///
///     every rank    (input) -> (to each other rank)
///                   (from rank 0, ..., input, ..., from rank n - 1) ->
///                   (output)
///
/// All ranks add up in the order of ranks, so all get the same bits. A lane
/// holds both folds, in this order: in place, the second one overwrites what
/// the first one reads.
///
/// A rank first serves the rank behind which the most is left to do, which is
/// optimal; on a tie, ranks are served in order, starting after its own number.
/// The number of lanes is the power of two up to `maxLanes` that is the fastest
/// for kSmallReferenceBytes; on a tie the smallest, and 1 between servers.
/// Returns std::nullopt if there is only one rank, if peers are limited or
/// phases are asked for, or if some pair of ranks has no path without a third
/// GPU on it (relays do not count as one).
llvm::Expected<std::optional<OneHop>>
packOneHop(const RankTopology &rankTopology, Protocol protocol,
           unsigned maxLanes);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_ONEHOP_H
