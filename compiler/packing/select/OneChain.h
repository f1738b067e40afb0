//===- OneChain.h - an allreduce with one tree ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_SELECT_ONECHAIN_H
#define BLINK_COMPILER_PACKING_SELECT_ONECHAIN_H

#include "compiler/packing/Packing.h"

#include <optional>

namespace blink {

/// Returns an allreduce with a single tree, a chain whose root is in its
/// middle. Every rank sends and receives the buffer twice, which is n / (n - 1)
/// of what is needed at least, so behind a switch nothing with few trees is
/// much faster, while the trees of an optimum are stars there. The chain goes
/// from rank to rank over the widest paths. Returns none if the problem is not
/// a plain allreduce, or the chain comes to an end before it has all ranks.
std::optional<Packing> packChain(const PackingProblem &problem);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_SELECT_ONECHAIN_H
