//===- PlacementList.h - placements on a cluster ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Shapes of placements on the boxes of a cluster: read from a text, and turned
// into the placements that represent them.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_PLACEMENTLIST_H
#define BLINK_COMPILER_TOPOLOGY_PLACEMENTLIST_H

#include "schedules/Placement.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <vector>

namespace blink {

/// The most representing placements that a shape may stand for. Placements
/// count separately if they take GPUs of a box, or boxes of different kinds,
/// that are not alike.
constexpr size_t kMostPlacements = 4096;

/// Returns true if `text` contains a shape, such as "3+5" or "4x8".
bool hasShapes(llvm::StringRef text);

/// Reads the placements on a cluster that a user names, separated by slashes:
///
///     3+5         every placement of 3 GPUs on one box and 5 on another
///     4x8         8 on each of four
///     2x4+1       4 on each of two, and 1 on another
///     0,1,8,9     these GPUs, or sizes, as parseAllocations reads them
///
/// Returns, for each of them, the representing placements
/// (schedules/Placement.h) that it stands for: GPUs ascending, placements by
/// size, then by GPUs, each once. Errors name the shape and what is wrong with
/// it: a count of zero or that is no number, more GPUs than a box has, too few
/// boxes, more than kMostPlacements.
llvm::Expected<std::vector<std::vector<int>>>
parsePlacements(llvm::StringRef text, const sched::ClusterSymmetry &cluster);

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_PLACEMENTLIST_H
