//===- SmallVariants.h - variants for small messages ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_SMALLVARIANTS_H
#define BLINK_COMPILER_PLAN_SMALLVARIANTS_H

#include "compiler/plan/BoxExchange.h"
#include "compiler/plan/OneHop.h"
#include "compiler/plan/SizeRanges.h"

namespace blink {

/// The most ranks for which variants with exchanges between ranks are tried.
struct ExchangeLimits {
  unsigned oneHop = 16; ///< it takes n (n - 1) channels
  unsigned boxes = 0; ///< no rank is another's image, so files grow with ranks
};

/// The variants below a forest for large messages.
struct SmallVariants {
  /// low_latency, or simple if channels leave their machine.
  Protocol protocol = Protocol::low_latency;
  std::optional<OneHop> oneHop;     ///< of an allreduce, if there is one
  Packing trees;                    ///< LatencyTree.h, SpreadTrees.h
  std::optional<BoxExchange> boxes; ///< replaces `trees` if it is faster
  Packing later;      ///< other trees, for sizes at which these are slow
  SmallRanges ranges; ///< empty for variants that are not worth it
  /// Over a network, the end of the sizes for which the large trees use smaller
  /// chunks; 0 if that is not worth it.
  uint64_t mediumEnd = 0;
};

/// Chooses the variants for small messages beside `large`, a solution of
/// `problem`, and the sizes that they are for. Exchanges are limited to as many
/// ranks as `ranks` says. Must not be called for one rank. Errors: as of
/// packLatencyTrees and expandForest.
llvm::Expected<SmallVariants> chooseSmallVariants(const PackingProblem &problem,
                                                  const Packing &large,
                                                  ScheduleLimits limits,
                                                  ExchangeLimits ranks);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_SMALLVARIANTS_H
