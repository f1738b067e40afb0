//===- Drive.h - threads that step lanes ------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The calling thread does the work of its ranks itself: nothing is handed over,
// so a small collective costs no wake-up. For large ones idle processors help.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_HOST_DRIVE_H
#define BLINK_RUNTIME_HOST_DRIVE_H

#include "runtime/host/HostMachine.h"

namespace blink::runtime {

/// A call on its way. Calls of one rank run in their order, those of different
/// ranks and machines at the same time.
struct HostCall {
  HostMachine *machine = nullptr;
  Call *call = nullptr;
  Status result;
};

/// Runs `calls` to their end and sets their results. Refuses them all, and runs
/// none, if two ranks' calls that have to meet differ.
void drive(HostCall *calls, size_t numCalls);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_DRIVE_H
