//===- MediumCandidates.h - trees that may suit medium messages -*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PASSES_MEDIUMCANDIDATES_H
#define BLINK_COMPILER_PASSES_MEDIUMCANDIDATES_H

#include "compiler/packing/Packing.h"

#include <vector>

namespace blink {

/// Returns forests with fewer trees than `large`, in which some trees may be
/// parts of one: a half of its parts (unless there are many), a quarter, and so
/// on, down to whole trees, and the trees of each of `others` in one, two and
/// four parts. If a job leaves its machine, these also compete in eight parts,
/// and with up to half as many trees again as `large` has. The result is sorted
/// by the number of trees, ascending.
std::vector<Packing> mediumCandidates(const Packing &large,
                                      const std::vector<Packing> &others,
                                      bool leaves);

} // namespace blink

#endif // BLINK_COMPILER_PASSES_MEDIUMCANDIDATES_H
