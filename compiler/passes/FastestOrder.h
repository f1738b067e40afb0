//===- FastestOrder.h - lanes with which short messages are fast -*- C++
//-*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PASSES_FASTESTORDER_H
#define BLINK_COMPILER_PASSES_FASTESTORDER_H

#include "compiler/plan/FoldProgram.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace blink {

/// Assigns lanes to the loose folds of `program`, a variant of protocol
/// `simple` for large messages, as assignLanes does, in that TreeOrder in which
/// 4 MiB, and 16 MiB if there are few folds, take the least time in simulations
/// with the costs of the model of time; `finish` completes lanes before that.
/// The model of time does not know the order. The given order is kept if no
/// other is 0.5 % faster. It is kept without simulations if lanes have one fold
/// each, if only one rank of each orbit has folds, if there are more than 8192,
/// or if channels leave the machine: on pods, other orders saved no more than 2
/// %. Errors: lanes that wait in a circle.
llvm::Error assignFastestOrder(FoldProgram &program, unsigned maxLanes,
                               llvm::function_ref<void(FoldProgram &)> finish);

} // namespace blink

#endif // BLINK_COMPILER_PASSES_FASTESTORDER_H
