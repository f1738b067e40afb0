//===- GrowTrees.h - few low trees of one weight ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_GROW_GROWTREES_H
#define BLINK_COMPILER_PACKING_GROW_GROWTREES_H

#include "compiler/packing/grow/Islands.h"

namespace blink {

/// A request for `copies` trees of `unit` GB/s each, in which a rank has no
/// more than `mostChildren` children per tree where possible.
struct GrowRequest {
  int copies;
  double unit;
  int mostChildren;
  /// Whether growth may take copies x ranks x ranks x ranks steps if islands
  /// divide more ranks than exact flows are used for.
  bool isPatient = true;
};

/// Grows such trees of a broadcast or reduce from the root, level by level and
/// edge by edge, as long as the room left on links suffices to complete all of
/// them (Completion.h), so that no edge is ever taken back; then lowers them
/// (LowerTrees.h). Over islands, edges between them come first
/// (GrowByIslands.h) or, over many ranks, those within (GrowByEntries.h). The
/// order of equal edges decides much, so `variants` orders are tried. The trees
/// with the fewest excess children are kept, and among these the lowest.
/// Returns no trees if none exist or none were found in a bounded number of
/// steps. `table` is from pathsToGrow, `islands` from islandsOf.
std::vector<Tree> growTrees(const PackingProblem &problem,
                            const PathTable &table,
                            const std::vector<Islands> &islands,
                            const GrowRequest &request, int variants);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_GROW_GROWTREES_H
