//===- Boxes.h - ranks box by box -------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_BOXES_H
#define BLINK_COMPILER_PACKING_BOXES_H

#include "compiler/topology/fabric/RankTopology.h"

namespace blink {

/// The ranks of each box, those that paths without a nic join, ascending. The
/// i-th of all boxes are at *place* i. Empty where boxes have unequally many
/// ranks, there is but one, or relays or phases are asked for.
std::vector<std::vector<int>> equalBoxes(const RankTopology &rankTopology);

/// The same topology whatever peers ranks are limited to.
llvm::Expected<RankTopology> withAllPairs(const RankTopology &rankTopology);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_BOXES_H
