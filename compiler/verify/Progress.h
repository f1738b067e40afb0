//===- Progress.h - can the lanes wait for each other in vain? --*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_VERIFY_PROGRESS_H
#define BLINK_COMPILER_VERIFY_PROGRESS_H

#include "compiler/verify/FoldGraph.h"
#include "compiler/verify/Semantics.h"

namespace blink::verify {

/// Proves that the variant ends for any number of chunks of each tree and for
/// the slots its channels have, or names folds that wait for each other in a
/// circle, or a channel whose ends' delays do not fit. Linear in the variant.
///
/// The folds are the transitions of a marked graph (Commoner, Holt, Even and
/// Pnueli, "Marked Directed Graphs", 1971), which run once a round. Where the
/// reader of a channel takes a chunk `lag` rounds after its writer did, its
/// edges, with the tokens they start with, are
///     a fold -> the next in its lane             0
///     last of a lane -> first of the lane        1   next round
///     writer -> reader of a channel            lag   the chunk
///     reader -> writer of a channel    slots - lag   a free slot
/// Such a graph never stops exactly when every cycle holds a token. A lag below
/// zero or above the slots is refused; then only cycles of edges without tokens
/// can be empty, and those are looked for. The order in which ready folds run
/// does not matter, since running one never disables another.
///
/// A window stops nothing: a chunk that it keeps back waits in its slot, not
/// its writer, for the reader to take an earlier one, which waits for nothing
/// later: reader -> itself, `window` tokens.
///
/// A tree with fewer chunks than another is passed over in the last rounds.
/// That only removes waits: the lane's order among the folds that are left is
/// the same, and all folds of a channel's tree leave together. Waits that have
/// no circle have none when some are removed. With every tree having a chunk,
/// a circle stops the very first round.
Failure checkProgress(const FoldGraph &graph);

} // namespace blink::verify

#endif // BLINK_COMPILER_VERIFY_PROGRESS_H
