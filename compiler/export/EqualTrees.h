//===- EqualTrees.h - trees that are there several times --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_EXPORT_EQUALTREES_H
#define BLINK_COMPILER_EXPORT_EQUALTREES_H

#include "schedules/schedule_generated.h"

#include <vector>

namespace blink {

/// By tree its numerator, where of trees that differ in nothing the first has
/// that of all and the others 0: so many of them are only lanes of Blink's.
std::vector<uint32_t> joinEqualTrees(const sched::Variant &variant);

} // namespace blink

#endif // BLINK_COMPILER_EXPORT_EQUALTREES_H
