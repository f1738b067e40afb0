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
// Where sums have an order (Association.h), each part of one that is added
// elsewhere is a fold of what it adds, and ranks between forward it:
//
//     part        (input or channels, in order) -> (where it is added)
//
// A root without children to hear from has a fold for each of several children
// on other machines: (input) -> (down to child).
//
// Folds of a rank stand in tree order, up before down. In the routed
// collectives (Packing.h) each pair of ranks has data of its own, and a tree
// says by which ranks it goes, as chains of copies that count as a tree each:
//
//     source        input -> channel
//     on the way    channel -> channel
//     destination   channel -> output
//
// and one fold, input -> output, for what a rank keeps.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_EXPANDFOREST_H
#define BLINK_COMPILER_PLAN_EXPANDFOREST_H

#include "compiler/packing/Shares.h"
#include "compiler/plan/FoldProgram.h"

namespace blink {

/// A program of `problem` without any tree, channel or fold: with the links of
/// the machine, and ranks and relays that have nothing to do.
FoldProgram emptyProgram(Collective collective,
                         const RankTopology &rankTopology);

/// What the first rank of an edge writes and the last one reads: one channel,
/// or several with relays between them, which get a fold that forwards.
struct Connection {
  int entry = -1, exit = -1;
};
/// Makes the channels of an edge of a tree. Errors: a path that cannot be
/// driven.
llvm::Expected<Connection> connect(FoldProgram &program,
                                   const RankTopology &rankTopology, int tree,
                                   const TreeEdge &edge);

/// The folds of all trees, still loose, in symmetric form where `packing` is.
/// Exact shares come from `shares`, which
/// may be null: then trees carry what their weights say. Errors: a path that
/// cannot be driven.
llvm::Expected<FoldProgram> expandForest(const PackingProblem &problem,
                                         const Packing &packing,
                                         const Shares *shares = nullptr);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_EXPANDFOREST_H
