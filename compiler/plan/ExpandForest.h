//===- ExpandForest.h - from trees to folds ---------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Trees become channels and folds:
//
//     root        (input, up from children) -> (output, down to children)
//     other rank  (input, up from children) -> (up to parent)
//                 (down from parent) -> (output, down to children)
//
// If sums have an order (Association.h), each partial sum that is needed at
// another rank has a fold at the rank that makes it, and the ranks between
// forward it:
//
//     part        (input or channels, in order) -> (where it is added)
//
// A root that only passes its input on has a separate fold for each child on
// another machine if there are several: (input) -> (down to child).
//
// The folds of a rank stand in tree order, up before down. In the routed
// collectives (Packing.h) each pair of ranks has data of its own, and a tree
// names the ranks that the data passes. Such a tree becomes chains of copies,
// each of which counts as a tree:
//
//     source        input -> channel
//     on the way    channel -> channel
//     destination   channel -> output
//
// What a rank keeps for itself is one fold, input -> output.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_EXPANDFOREST_H
#define BLINK_COMPILER_PLAN_EXPANDFOREST_H

#include "compiler/packing/Shares.h"
#include "compiler/plan/FoldProgram.h"

namespace blink {

/// Returns a program of `problem` without trees, channels and folds: it has the
/// links of the machine, and ranks and relays that have nothing to do.
FoldProgram emptyProgram(Collective collective,
                         const RankTopology &rankTopology);

/// The channel that the first rank of an edge writes, and the one that its last
/// rank reads. They are the same channel unless relays lie between: each relay
/// reads one channel and forwards to the next.
struct Connection {
  int entry = -1, exit = -1;
};
/// Makes the channels of an edge of a tree, and the folds of its relays.
/// Errors: a path that cannot be driven.
llvm::Expected<Connection> connect(FoldProgram &program,
                                   const RankTopology &rankTopology, int tree,
                                   const TreeEdge &edge);

/// Returns the folds of all trees, still loose; in symmetric form if `packing`
/// is. Exact shares come from `shares`, which may be null: then trees carry
/// what their weights say. Errors: a path that cannot be driven.
llvm::Expected<FoldProgram> expandForest(const PackingProblem &problem,
                                         const Packing &packing,
                                         const Shares *shares = nullptr);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_EXPANDFOREST_H
