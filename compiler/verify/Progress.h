//===- Progress.h - can lanes wait for each other forever? ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_VERIFY_PROGRESS_H
#define BLINK_COMPILER_VERIFY_PROGRESS_H

#include "compiler/verify/FoldGraph.h"
#include "compiler/verify/Semantics.h"

namespace blink::verify {

/// Proves that the variant ends for any number of chunks of each tree with the
/// slots that its channels have. Otherwise names folds that wait for each other
/// in a circle, or a channel whose ends' delays do not fit. Takes linear time.
///
/// The folds are the transitions of a marked graph (Commoner, Holt, Even and
/// Pnueli, "Marked Directed Graphs", 1971), and each runs once a round. If the
/// reader of a channel takes a chunk `lag` rounds after its writer, the edges
/// and the tokens that they start with are
///     a fold -> the next in its lane             0
///     last of a lane -> first of the lane        1   next round
///     writer -> reader of a channel            lag   the chunk
///     reader -> writer of a channel    slots - lag   a free slot
/// Such a graph never stops exactly if every cycle holds a token. A lag below
/// zero or above the slots is refused. Then only cycles of edges without tokens
/// can be empty, and those are looked for. The order in which ready folds run
/// does not matter, since running one never disables another.
///
/// A window cannot stop the graph. A chunk that the window holds back waits in
/// its slot, so its writer need not wait. The chunk waits for the reader to
/// take an earlier chunk, which does not wait for anything later. The edge is
/// reader -> itself, with `window` tokens.
///
/// A tree with fewer chunks than another is skipped in the last rounds. That
/// only removes waits: the lane's order among the remaining folds is the same,
/// and all folds of a channel's tree drop out together. Waits without a circle
/// have none after some are removed. In the first round every tree has a chunk,
/// so a circle stops that round already.
Failure checkProgress(const FoldGraph &graph);

} // namespace blink::verify

#endif // BLINK_COMPILER_VERIFY_PROGRESS_H
