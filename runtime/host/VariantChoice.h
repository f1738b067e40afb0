//===- VariantChoice.h - which variant a call on the host takes -*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The compiler chooses the variants' ranges of sizes for GPUs. A host differs
// in two ways: lines of the low-latency protocol cost nothing, and two threads
// that run at the same time each have a core to add with.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_HOST_VARIANTCHOICE_H
#define BLINK_RUNTIME_HOST_VARIANTCHOICE_H

#include "runtime/plan/Call.h"

namespace blink::runtime {

/// Sets ProgramPlan::exchangeBelow of allreduces of two ranks on one server
/// whose first variant exchanges inputs. Lets the chunks of that variant be
/// larger if its rings have room, because other variants need it.
void extendExchanges(Plan &plan);

/// Returns the variant of a prepared call. `together`: one thread runs the call
/// of all ranks. All ranks get the same variant if `together` is the same on
/// them.
inline const VariantPlan &chooseVariant(const Call &call, bool together) {
  // A thread that runs both ranks would add everything twice.
  if (!together && call.bytes() < call.program->exchangeBelow)
    return call.program->variants.front();
  return call.variant();
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_VARIANTCHOICE_H
