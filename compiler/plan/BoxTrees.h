//===- BoxTrees.h - trees that cross each rail once a box -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_BOXTREES_H
#define BLINK_COMPILER_PLAN_BOXTREES_H

#include "compiler/packing/Packing.h"

#include <optional>

namespace blink {

/// Trees for small messages over boxes of equally many ranks (Boxes.h), which
/// have one message for each box but the root's, between ranks of one place,
/// and from there one hop to the ranks of the box:
///
///   allgather        one tree a root, straight to its place in all boxes
///   broadcast        one tree a place: over the root's box, then to that place
///                    in all boxes by the hop that ends first
///   reduce           the same backwards
///
/// LatencyTree.h has trees that end no later if each is alone; where all ranks
/// are roots, what engines have to do is more than that. Weights as there.
/// Nothing of another collective (in a reducescatter ranks add a whole box's
/// inputs while others wait), where a root would have more than 31 boxes to
/// send to, where sums have an order, or there are no such boxes or paths.
llvm::Expected<std::optional<Packing>>
packBoxTrees(const PackingProblem &problem);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_BOXTREES_H
