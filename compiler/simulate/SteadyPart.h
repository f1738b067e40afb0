//===- SteadyPart.h - the part of a rate that fair links keep ---*- C++ -*-===//
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

/// Returns the part of rateOfLinks that a large message of `program`, which has
/// lanes and slots and is for `simple`, keeps on links that share themselves
/// fairly: the time that links would take for it by `time`, divided by the time
/// of a simulation. It is the lesser one for messages of 64 and 256 MiB, or for
/// shorter ones if the simulations would take too long for a compiler; two
/// sizes are tried because trees of unequal shares drift apart for a long time.
/// At most 1. A result less than `least` is no less than the true part, but may
/// be more: a simulation ends as soon as it cannot reach `least`.
llvm::Expected<double> steadyPart(const FoldProgram &program,
                                  const MessageTime &time, double least = 0);

} // namespace blink

#endif // BLINK_COMPILER_SIMULATE_STEADYPART_H
