//===- PlacementList.h - which placements are meant -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Shapes of placements on the boxes of a cluster, as texts and as the
// placements that represent them.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_PLACEMENTLIST_H
#define BLINK_COMPILER_TOPOLOGY_PLACEMENTLIST_H

#include "schedules/Placement.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <vector>

namespace blink {

/// The most placements that shapes may stand for, unlike in which GPUs of a box
/// and in which boxes of unlike kinds they take.
constexpr size_t kMostPlacements = 4096;

/// Whether `text` has a shape in it: "3+5", "4x8".
bool hasShapes(llvm::StringRef text);

/// Reads what a user means by placements on a cluster, with a slash between
/// them:
///
///     3+5         every placement of 3 GPUs on one box and 5 on another
///     4x8         8 on each of four
///     2x4+1       4 on each of two, and 1 on another
///     0,1,8,9     these GPUs, or sizes, as parseAllocations reads them
///
/// Each comes back as the representing placements (schedules/Placement.h) that
/// it stands for, GPUs ascending; by size, then GPUs, each once. Errors say
/// what is wrong with which shape: a number of none, more GPUs than a box has,
/// too few boxes, more than kMostPlacements.
llvm::Expected<std::vector<std::vector<int>>>
parsePlacements(llvm::StringRef text, const sched::ClusterSymmetry &cluster);

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_PLACEMENTLIST_H
