//===- SymmetricPrograms.h - expanding symmetric programs -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A file in symmetric form says what a few ranks do. A process needs to know
// little of what the other ranks do: what happens on its own server, and at the
// other ends of channels that leave it.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_PLAN_SYMMETRICPROGRAMS_H
#define BLINK_RUNTIME_PLAN_SYMMETRICPROGRAMS_H

#include "runtime/plan/ProgramLookup.h"

namespace blink::runtime {

/// The memory that expanded programs point into.
using ExpandedFiles = std::vector<std::shared_ptr<const std::vector<uint8_t>>>;

/// Replaces programs in symmetric form by those in full, or if `ranks` (true:
/// needed) leaves out any of the job's ranks, by what expandFor() makes for the
/// needed ones. Sets `known` to the ranks all of whose channels are known to
/// every process of the job, whichever ranks it needs; these are all ranks if
/// nothing was left out. Errors: too large.
Status expandPrograms(std::vector<ResolvedProgram> &programs,
                      const std::vector<bool> &ranks, ExpandedFiles &files,
                      std::vector<bool> &known);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_PLAN_SYMMETRICPROGRAMS_H
