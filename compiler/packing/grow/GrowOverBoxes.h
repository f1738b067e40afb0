//===- GrowOverBoxes.h - trees that enter each box once ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_GROW_GROWOVERBOXES_H
#define BLINK_COMPILER_PACKING_GROW_GROWOVERBOXES_H

#include "compiler/packing/Packing.h"

namespace blink {

/// Packings of a broadcast or reduce over equal boxes (Boxes.h) at `rate` GB/s,
/// the optimum, in which all ranks have equally much to do but those of the
/// root's box: a tree goes from the root over the ranks at one place of all
/// boxes, and from these to the others of their boxes. For each place there are
/// k such trees of one weight, in which a box sends to k others in one and to
/// none in the others, as in the two trees of Sanders, Speck and Traeff (2009);
/// the packings differ in k: more children make trees lower. Empty where links
/// do not carry that, `maxTrees`, unless 0, are fewer, or ranks are over 512.
/// Each has passed PackingProblem::verify.
std::vector<Packing> growOverBoxes(const PackingProblem &problem, double rate,
                                   int maxTrees);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_GROW_GROWOVERBOXES_H
