//===- EqualTrees.h - several trees that do the same ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_EXPORT_EQUALTREES_H
#define BLINK_COMPILER_EXPORT_EQUALTREES_H

#include "schedules/schedule_generated.h"

#include <vector>

namespace blink {

/// Returns each tree's numerator, with equal trees joined: the first has the
/// sum, the others 0. Blink has such trees only to use several lanes.
std::vector<uint32_t> joinEqualTrees(const sched::Variant &variant);

} // namespace blink

#endif // BLINK_COMPILER_EXPORT_EQUALTREES_H
