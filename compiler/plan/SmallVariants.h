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

/// The most ranks of variants in which ranks exchange.
struct ExchangeLimits {
  unsigned oneHop = 16; ///< that takes n (n - 1) channels
  unsigned boxes = 0;   ///< none is another's image: files grow with them
};

/// What stands before a forest for large messages.
struct SmallVariants {
  /// low_latency; simple where channels leave their machine.
  Protocol protocol = Protocol::low_latency;
  std::optional<OneHop> oneHop;     ///< of an allreduce, where there is one
  Packing trees;                    ///< LatencyTree.h, SpreadTrees.h
  std::optional<BoxExchange> boxes; ///< instead of `trees` where it is faster
  Packing later; ///< trees from any rank to any for what these are slow for
  SmallRanges ranges; ///< empty ones are of what is not worth it
  /// Over a network: up to this size the large trees in smaller chunks; 0 where
  /// that is not worth it.
  uint64_t mediumEnd = 0;
};

/// The variants for small messages beside `large`, a solution of `problem`, and
/// the sizes that they are for. More than `ranks` never exchange.
/// Not for one rank. Errors: as of packLatencyTrees and expandForest.
llvm::Expected<SmallVariants> chooseSmallVariants(const PackingProblem &problem,
                                                  const Packing &large,
                                                  ScheduleLimits limits,
                                                  ExchangeLimits ranks);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_SMALLVARIANTS_H
