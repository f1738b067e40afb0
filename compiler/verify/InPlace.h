//===- InPlace.h - is every input read before it is overwritten? *- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_VERIFY_INPLACE_H
#define BLINK_COMPILER_VERIFY_INPLACE_H

#include "compiler/verify/FoldGraph.h"
#include "compiler/verify/Semantics.h"

namespace blink::verify {

/// Checks the variant for ranks whose input and output are one buffer. Every
/// fold that reads a part of the input must end before the fold that overwrites
/// it starts, or must be that fold: a fold reads an element before it writes
/// it. Chunks do not overlap, so it suffices to look at the folds of one tree
/// and one chunk. If the collective only copies, a fold that copies the input
/// to the output finds the data in place, and other folds may read it
/// meanwhile: a back end does not copy data onto itself. But it multiplies what
/// it copies of the input in a premultiplied sum.
///
/// In place, allgather's input is block `rank` of the output, and
/// reducescatter's output is block `rank` of the input. These need no special
/// case: if the result is right, the only rank that both reads and writes in
/// one tree is the one on which the two are the same memory.
Failure checkInPlace(const Semantics &semantics, const FoldGraph &graph);

} // namespace blink::verify

#endif // BLINK_COMPILER_VERIFY_INPLACE_H
