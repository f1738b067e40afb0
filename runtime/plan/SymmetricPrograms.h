//===- SymmetricPrograms.h - what a process needs of them -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A file in symmetric form says what a few ranks do. Of what the others do a
// process needs little: what happens on its own server and at the other ends of
// channels that leave it.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_PLAN_SYMMETRICPROGRAMS_H
#define BLINK_RUNTIME_PLAN_SYMMETRICPROGRAMS_H

#include "runtime/plan/ProgramLookup.h"

namespace blink::runtime {

/// What programs in full point into.
using ExpandedFiles = std::vector<std::shared_ptr<const std::vector<uint8_t>>>;

/// Puts programs in full into the place of those in symmetric form, or of a job
/// of which `ranks` (true: is needed) leaves any out what expandFor() has for
/// these. `known`: ranks all of whose channels every process of the job knows
/// whatever it needs; all, where nothing is left out. Errors: too large.
Status expandPrograms(std::vector<ResolvedProgram> &programs,
                      const std::vector<bool> &ranks, ExpandedFiles &files,
                      std::vector<bool> &known);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_PLAN_SYMMETRICPROGRAMS_H
