//===- PackOverBoxes.h - trees that cross to each box once ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_GROW_PACKOVERBOXES_H
#define BLINK_COMPILER_PACKING_GROW_PACKOVERBOXES_H

#include "compiler/packing/Packing.h"

namespace blink {

/// Returns true if packOverBoxes may find packings of `problem`, or would
/// without a limit on peers.
bool mayPackOverBoxes(const PackingProblem &problem);

/// Returns packings of an allreduce, allgather or reducescatter over equal
/// boxes (Boxes.h) whose trees cross to each box once, between ranks at one
/// place, and reach the other ranks of the box from there. Optimal trees may
/// cross more often, to use links in boxes and between them to the full; each
/// crossing is a message of which lanes have to take care.
///
/// The trees of an allgather or reducescatter lead over box i from the root's
/// box, counted along a circle, by the digits of i in a base: one digit a hop.
/// With base k, ranks have (k - 1) log_k n peers. The packings differ in k.
///
/// An optimal symmetric packing of an allreduce has at least one tree for each
/// rank, and a rank takes part in all trees: with a thousand of them, messages
/// are cut into as many chunks. Here each place has only k trees. A box has k
/// children in one of them and none in the others, as in the two trees of
/// Sanders, Speck and Traeff (2009), so over n boxes, links between boxes carry
/// 1 - 1 / n of what an optimum does, and all of it if n <= 2 k. The packings
/// differ in k: more children make trees lower.
///
/// Where GPUs of a box are not all joined, `ofBox` says how to reach them: a
/// packing of an allgather of the first box (BoxForests.h). A place then has as
/// many times more trees. Up trees use the links back.
///
/// `symmetry` is a group of the machine, of which the packings' groups are
/// subgroups: one generator must move boxes, along one circle, and the others
/// none. Empty if there is no such subgroup, if paths are missing, with relays,
/// phases, an order, switches or a limit on peers, if `maxTrees` (unless 0) is
/// less than needed, for an allreduce over more than 2,048 ranks or others over
/// more than RankTopology::kMostPaired, and for other collectives. Each packing
/// has passed PackingProblem::verify.
std::vector<Packing> packOverBoxes(const PackingProblem &problem,
                                   const Symmetry &symmetry, int maxTrees,
                                   const Packing *ofBox = nullptr);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_GROW_PACKOVERBOXES_H
