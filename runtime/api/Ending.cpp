//===- Ending.cpp - waiting for what a rank has called --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/Comm.h"

using namespace blink::runtime;

blinkResult_t blinkCommFinalize(blinkComm_t comm) {
  return guarded([&] {
    if (!comm)
      return refuse("the communicator is NULL");
    // Copies, because blinkCommAbort may free `comm` meanwhile.
    std::shared_ptr<CommState> state = comm->state;
    const int rank = comm->rank;
    if (Status status = comm->usable(); !status.ok())
      return report(status, &state->lastError);
    state->backend->finish(rank);
    return report(state->backend->asyncError(), &state->lastError);
  });
}
