//===- MediumForests.h - forests for medium messages ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PASSES_MEDIUMFORESTS_H
#define BLINK_COMPILER_PASSES_MEDIUMFORESTS_H

#include "compiler/packing/Packing.h"
#include "compiler/passes/FasterFrom.h"
#include "compiler/passes/FastestOrder.h"
#include "compiler/plan/TimeModel.h"

#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace blink {

/// Trees for messages from `begin` to below `end` bytes.
struct MediumForest {
  Packing packing;
  uint64_t begin = 0, end = 0;
};

/// The variants between which there may be others.
struct Neighbours {
  /// For the next smaller messages, with lanes, if there is one.
  std::optional<RangedProgram> small;
  Packing large;                    ///< Trees for large messages.
  uint64_t begin = 0;               ///< of large messages, where small ones end
  std::optional<uint64_t> end = {}; ///< of large messages
  /// Other trees, which are lower or fewer.
  std::vector<Packing> others = {};
};

/// What mediumForests finds.
struct MediumForests {
  std::vector<MediumForest> forests; ///< ascending
  LaneOrder largeOrder;              ///< of the large trees
};

/// Returns up to two of mediumCandidates for messages between those of
/// `given`. A lane takes the chunks of its trees one by one, at a cost for
/// each, which long messages hide and shorter ones do not.
///
/// Simulates messages from a quarter of `begin` to 4 MiB at the costs of the
/// model of time, as long as that is soon done. The ranges minimize the product
/// of their times. No message takes 3 % longer than now, and each forest makes
/// the product 15 % less. Forests with more than 16,384 channels are left out,
/// because each takes 60 bytes of the file. Errors: as of expandForest; lanes
/// that wait in a circle.
llvm::Expected<MediumForests> mediumForests(const PackingProblem &problem,
                                            const Neighbours &given,
                                            ScheduleLimits limits);

} // namespace blink

#endif // BLINK_COMPILER_PASSES_MEDIUMFORESTS_H
