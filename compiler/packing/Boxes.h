//===- Boxes.h - the ranks of a job, box by box -----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_BOXES_H
#define BLINK_COMPILER_PACKING_BOXES_H

#include "compiler/topology/fabric/RankTopology.h"

namespace blink {

/// Returns the ranks of each box in ascending order. A box is a set of ranks
/// joined by paths without a nic. The i-th ranks of all boxes are said to be at
/// *place* i. Returns nothing if there is only one box, if boxes differ in
/// size, or if the job has relays or asks for phases.
std::vector<std::vector<int>> equalBoxes(const RankTopology &rankTopology);

/// Returns the same topology without its limit on peers: every pair of ranks
/// may have a path.
llvm::Expected<RankTopology> withAllPairs(const RankTopology &rankTopology);

/// A box of a job as a machine of its own.
struct LoneBox {
  RankTopology machine;   ///< rank i is the i-th of the box's ranks
  std::vector<int> links; ///< of the whole machine: what each link of it is
};

/// Returns the box to which `ranks` belong, with all that is joined to them
/// without a nic, and nothing else.
llvm::Expected<LoneBox> boxAlone(const RankTopology &rankTopology,
                                 const std::vector<int> &ranks);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_BOXES_H
