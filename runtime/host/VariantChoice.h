//===- VariantChoice.h - which variant a call on the host takes -*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Ranges of sizes are the compiler's, for GPUs. What differs on a host: lines
// of the low-latency protocol cost nothing there, and of two threads that run
// at the same time each has a core to add with.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_HOST_VARIANTCHOICE_H
#define BLINK_RUNTIME_HOST_VARIANTCHOICE_H

#include "runtime/plan/Call.h"

namespace blink::runtime {

/// Sets ProgramPlan::exchangeBelow of allreduces of two ranks on one server
/// that begin with an exchange of inputs, and lets the exchange's chunks be
/// larger where its rings have room that other variants need.
void extendExchanges(Plan &plan);

/// The variant of a prepared call. `together`: one thread runs the call of all
/// ranks. The same on all ranks if that is.
inline const VariantPlan &chooseVariant(const Call &call, bool together) {
  // Whoever runs both ranks would add everything twice.
  if (!together && call.bytes() < call.program->exchangeBelow)
    return call.program->variants.front();
  return call.variant();
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_VARIANTCHOICE_H
