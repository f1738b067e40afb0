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

/// Up to where variants are tried.
struct VariantLimits {
  /// Ranks, for a variant in one hop, which takes n (n - 1) channels.
  unsigned oneHop = 16;
  /// Ranks, for exchanges between boxes: no rank is another's image, so files
  /// grow with ranks.
  unsigned boxes = 0;
  /// Channels of large trees, for a second variant with smaller chunks. Each
  /// channel takes 60 bytes of the file, and the gain is a few per cent.
  size_t repeatedChannels = 16384;
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
/// `problem`, and the sizes that they are for. Must not be called for one rank.
/// Errors: as of packLatencyTrees and expandForest.
llvm::Expected<SmallVariants> chooseSmallVariants(const PackingProblem &problem,
                                                  const Packing &large,
                                                  ScheduleLimits limits,
                                                  VariantLimits most);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_SMALLVARIANTS_H
