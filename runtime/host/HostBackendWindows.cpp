//===- HostBackendWindows.cpp - registering buffers on the host -----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/HostBackend.h"

namespace blink::runtime {

Status HostBackend::registerBuffer(int, void *buffer, size_t bytes,
                                   uintptr_t &handle) {
  handle = 1;
  if (rings_.zeroCopy == ZeroCopy::direct)
    return {};
  const Status why = failure();
  return why.ok() ? rings_.windows.add(buffer, bytes, handle) : why;
}

Status HostBackend::deregisterBuffer(int, uintptr_t handle) {
  return rings_.zeroCopy == ZeroCopy::direct ? Status()
                                             : rings_.windows.remove(handle);
}

} // namespace blink::runtime
