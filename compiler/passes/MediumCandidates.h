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
/// on, down to whole trees, and the trees of `other`, if it has any, in one,
/// two and four parts. They are sorted by the number of trees, ascending.
std::vector<Packing> mediumCandidates(const Packing &large,
                                      const Packing &other);

} // namespace blink

#endif // BLINK_COMPILER_PASSES_MEDIUMCANDIDATES_H
