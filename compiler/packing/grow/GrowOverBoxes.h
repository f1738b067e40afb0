//===- GrowOverBoxes.h - trees that enter each box once ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_GROW_GROWOVERBOXES_H
#define BLINK_COMPILER_PACKING_GROW_GROWOVERBOXES_H

#include "compiler/packing/Packing.h"

namespace blink {

/// Returns packings of a broadcast or reduce over equal boxes (Boxes.h) at
/// `rate` GB/s, the optimum, in which all ranks outside the root's box have
/// equally much to do. A tree leads from the root over the ranks at one place
/// of all boxes, and from these to the other ranks of their boxes. For each
/// place there are k such trees of one weight; a box sends to k others in one
/// of them and to none in the rest, as in the two trees of Sanders, Speck and
/// Traeff (2009). The packings differ in k: more children make trees lower.
/// Empty if links do not carry the trees, if `maxTrees` (unless 0) is less than
/// needed, or if there are more than 512 ranks. Each packing has passed
/// PackingProblem::verify.
std::vector<Packing> growOverBoxes(const PackingProblem &problem, double rate,
                                   int maxTrees);

/// Returns packings of the same form for boxes whose GPUs are not all joined,
/// or have faster links than a place needs to be joined with the others: trees
/// lead through boxes as growInBoxes (TreesInBoxes.h) grows them, at as many
/// places as `most` GB/s takes if links between boxes are full, or at fewer,
/// down to `least` GB/s. For each place there are two trees. The packings
/// differ in their rate and in how many children ranks have. At most four are
/// returned, each of which has passed PackingProblem::verify; none under the
/// same conditions as above.
std::vector<Packing> growThroughBoxes(const PackingProblem &problem,
                                      double most, double least, int maxTrees);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_GROW_GROWOVERBOXES_H
