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
/// The message is of 256 MiB, or so long that the simulation is short enough to
/// run while one compiles. At most 1.
llvm::Expected<double> steadyPart(const FoldProgram &program,
                                  const MessageTime &time);

} // namespace blink

#endif // BLINK_COMPILER_SIMULATE_STEADYPART_H
