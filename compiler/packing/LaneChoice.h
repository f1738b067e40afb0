//===- LaneChoice.h - which folds share a lane ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_LANECHOICE_H
#define BLINK_COMPILER_PACKING_LANECHOICE_H

#include <cstddef>
#include <vector>

namespace blink {

/// A fold of one rank.
struct FoldLoad {
  double bytes; ///< that it moves, in any unit
  bool up;      ///< it sends towards a root
};

/// The folds of each lane, by their places in `folds`, ascending. A fold gets a
/// lane of its own while there are enough; else those of one direction share
/// lanes, balanced by bytes (longest processing time first). Both directions
/// share one only where `maxLanes` is 1. No lane is empty. `maxLanes` is at
/// least 1.
std::vector<std::vector<size_t>> chooseLanes(const std::vector<FoldLoad> &folds,
                                             size_t maxLanes);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_LANECHOICE_H
