//===- SteadyPart.h - what fair links keep of a rate ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_SIMULATE_STEADYPART_H
#define BLINK_COMPILER_SIMULATE_STEADYPART_H

#include "compiler/plan/FoldProgram.h"

#include "llvm/Support/Error.h"

namespace blink {

/// The part of rateOfLinks that large messages of `program`, which is in lanes
/// and of `simple`, have on links that share themselves fairly: what more of a
/// message costs more, by two simulations that are long enough for the pipeline
/// to fill, and short enough to run while one compiles. Trees of unequal shares
/// drift apart for longer than that, so it is an estimate.
llvm::Expected<double> steadyPart(const FoldProgram &program);

} // namespace blink

#endif // BLINK_COMPILER_SIMULATE_STEADYPART_H
