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

/// When a rank's input and output are one buffer, every fold that reads a part
/// of the input must end before the fold that overwrites it starts, or be that
/// fold: it reads an element before it writes it. Chunks do not overlap, so
/// the folds of one tree and one chunk decide. A fold that copies the input to
/// the output finds it there, so that others may read it meanwhile: a back end
/// does not copy to where it reads.
///
/// In place, allgather's input is block `rank` of the output, and
/// reducescatter's output is block `rank` of the input. That needs no case of
/// its own: where the result is right, the rank that both reads and writes in
/// one tree is the one where the two are the same memory.
Failure checkInPlace(const FoldGraph &graph);

} // namespace blink::verify

#endif // BLINK_COMPILER_VERIFY_INPLACE_H
