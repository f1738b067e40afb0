//===- OneHop.h - an allreduce of one exchange ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Every rank sends its whole input to each other one, and each adds all of them
// up itself, in the order of ranks: one hop, where a tree up and down has two
// at least. All links carry the whole buffer, so it is for tiny messages.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_ONEHOP_H
#define BLINK_COMPILER_PLAN_ONEHOP_H

#include "compiler/plan/TimeModel.h"

#include <optional>

namespace blink {

struct OneHop {
  /// In lanes: one a tree and rank. Each tree exchanges an equal part of the
  /// buffer.
  FoldProgram program;
  MessageTime time;
};

/// The exchange over the cheapest direct paths, with its time:
///
///     every rank    (input) -> (to each other rank)
///                   (from rank 0, ..., input, ..., from rank n - 1) ->
///                   (output)
///
/// All add up in the order of ranks, so all get the same bits. A lane holds
/// both folds, in this order: in place the second overwrites what the first
/// reads.
///
/// A rank serves first where most is left to do, which is best; equals in the
/// order of ranks after its own. Of powers of two up to `maxLanes` it gets the
/// lanes that are the fastest for kSmallReferenceBytes; of equals the fewest.
/// Nothing where some two ranks have no path that ends at the first GPU it
/// meets (relays do not count), or there is but one rank.
llvm::Expected<std::optional<OneHop>>
packOneHop(const RankTopology &rankTopology, Protocol protocol,
           unsigned maxLanes);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_ONEHOP_H
