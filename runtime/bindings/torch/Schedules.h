//===- Schedules.h - the schedules of a process -----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_TORCH_SCHEDULES_H
#define BLINK_RUNTIME_BINDINGS_TORCH_SCHEDULES_H

#include "runtime/blink.h"

#include <memory>
#include <string>

namespace blink::pytorch {

using Schedules = std::shared_ptr<blinkSchedule>;

/// Sets the path of the package's bundle, for ranks that share a host's memory.
/// To be called before the first communicator is made.
void setHostSchedules(const std::string &path);

/// Returns the schedules of the host back end: the package's bundle, if that
/// has so many ranks; or those of BLINK_HOST_SCHEDULES, which names files and
/// folders, followed by the package's. They are opened once. Throws as check().
Schedules hostSchedules(int ranks);
/// Returns true if BLINK_HOST_SCHEDULES is set: only then may the ranks be on
/// several hosts.
bool hasOwnHostSchedules();
/// Returns the schedules of GPUs, from BLINK_SCHEDULES. They are opened once.
/// Throws as check().
Schedules cudaSchedules();

} // namespace blink::pytorch

#endif // BLINK_RUNTIME_BINDINGS_TORCH_SCHEDULES_H
