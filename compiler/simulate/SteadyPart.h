//===- SteadyPart.h - what fair links keep of a rate ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_SIMULATE_STEADYPART_H
#define BLINK_COMPILER_SIMULATE_STEADYPART_H

#include "compiler/plan/FoldProgram.h"
#include "compiler/plan/TimeModel.h"

#include "llvm/Support/Error.h"

namespace blink {

/// The part of rateOfLinks that a large message of `program`, which is in
/// lanes, has slots and is of `simple`, keeps on links that share themselves
/// fairly: what links would take for it by `time`, by what a simulation takes.
/// The least of two messages, of 64 and of 256 MiB, or of ones so short that
/// simulations may run while one compiles: trees of unequal shares drift apart
/// for long. At most 1. Where it is less than `least`, it may be anything less:
/// what cannot be found to be more is not simulated to its end.
llvm::Expected<double> steadyPart(const FoldProgram &program,
                                  const MessageTime &time, double least = 0);

} // namespace blink

#endif // BLINK_COMPILER_SIMULATE_STEADYPART_H
