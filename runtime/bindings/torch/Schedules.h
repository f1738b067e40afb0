//===- Schedules.h - where a process's schedules come from ------*- C++ -*-===//
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

/// The bundle for ranks that share a host's memory, which the package has. To
/// be said before the first communicator is made.
void setHostSchedules(const std::string &path);

/// Of the host back end: the bundle of the package, if that has so many ranks,
/// or BLINK_HOST_SCHEDULES, files and folders, and behind them the package's.
/// Opened once. Throws as check().
Schedules hostSchedules(int ranks);
/// Whether there is BLINK_HOST_SCHEDULES: then hosts may be several.
bool hasOwnHostSchedules();
/// Of GPUs: BLINK_SCHEDULES. Likewise.
Schedules cudaSchedules();

} // namespace blink::pytorch

#endif // BLINK_RUNTIME_BINDINGS_TORCH_SCHEDULES_H
