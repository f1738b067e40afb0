//===- GrowTrees.h - few low trees of one weight ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_GROW_GROWTREES_H
#define BLINK_COMPILER_PACKING_GROW_GROWTREES_H

#include "compiler/packing/grow/Islands.h"

namespace blink {

/// `copies` trees of `unit` GB/s each, with no more than `mostChildren`
/// children of a rank in a tree as far as that goes.
struct GrowRequest {
  int copies;
  double unit;
  int mostChildren;
  /// Whether it may take copies x ranks x ranks x ranks steps where islands
  /// divide more ranks than flows are exact for.
  bool isPatient = true;
};

/// Grows such trees of a broadcast or reduce from the root, level by level and
/// edge by edge, as long as what is left of links suffices to complete all of
/// them (Completion.h), so that no edge is ever taken back; then lowers them
/// (LowerTrees.h). Which of equal edges comes first decides much: `variants`
/// orders are tried, and the trees with the fewest children too many are kept,
/// of these the lowest. Without trees where there are none, or none were found
/// in a bounded number of steps. `table`: of pathsToGrow. `islands`: of
/// islandsOf.
std::vector<Tree> growTrees(const PackingProblem &problem,
                            const PathTable &table,
                            const std::vector<Islands> &islands,
                            const GrowRequest &request, int variants);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_GROW_GROWTREES_H
