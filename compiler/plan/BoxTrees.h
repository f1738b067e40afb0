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

/// Returns trees for small messages over boxes of equally many ranks (Boxes.h).
/// A tree has one message for each box but the root's, between ranks at the
/// same place, and one hop from there to the other ranks of the box:
///
///   allgather        one tree a root, straight to its place in all boxes
///   broadcast        one tree a place: over the root's box, then to that place
///                    in all boxes by the hop that ends first
///   reduce           the mirror image of a broadcast
///
/// A tree of LatencyTree.h that runs alone ends no later than one of these. If
/// all ranks are roots, however, the engines' work for messages takes longer
/// than the hops. Weights are set as there.
///
/// Returns std::nullopt for other collectives (in a reducescatter ranks would
/// add a whole box's inputs while others wait), for more than 32 boxes, if sums
/// have an order, or if there are no such boxes or paths.
llvm::Expected<std::optional<Packing>>
packBoxTrees(const PackingProblem &problem);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_BOXTREES_H
