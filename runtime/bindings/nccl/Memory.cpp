//===- Memory.cpp - buffers and their registration ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Buffers that other ranks cannot reach, and buffers beyond the number that
// Blink registers, are only noted, as in NCCL: their data goes through slots.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/nccl/Comm.h"
#include "runtime/bindings/nccl/EntryPoints.h"

using namespace blink::nccl;

/// A handle of a registered buffer, also used for windows.
struct ncclWindow {
  void *buffer;
  void *handle; ///< Blink's, or null: only noted
};

namespace {

ncclResult_t enroll(ncclComm_t comm, void *buffer, size_t bytes,
                    ncclWindow_t &window) {
  if (!buffer || bytes == 0)
    return fail(ncclInvalidArgument, "the buffer is NULL, or has no bytes");
  void *handle = nullptr;
  // Without the lock, because it may wait for calls of other threads.
  const blinkResult_t result =
      blinkCommRegister(comm->blink, buffer, bytes, &handle);
  if (result != blinkSuccess && result != blinkInvalidArgument &&
      result != blinkInvalidUsage)
    return report(result);
  const std::lock_guard<std::mutex> lock(comm->mutex);
  window = new ncclWindow{buffer, handle};
  comm->handles.insert(window);
  return ncclSuccess;
}

ncclResult_t withdraw(ncclComm_t comm, void *handle) {
  if (!handle)
    return ncclSuccess;
  {
    const std::lock_guard<std::mutex> lock(comm->mutex);
    if (comm->handles.erase(handle) == 0)
      return fail(ncclInvalidArgument,
                  "the handle is of no buffer that is registered");
  }
  auto *const window = static_cast<ncclWindow *>(handle);
  const blinkResult_t result = blinkCommDeregister(comm->blink, window->handle);
  if (result == blinkSuccess) {
    delete window;
    return ncclSuccess;
  }
  // The caller may try again.
  const std::lock_guard<std::mutex> lock(comm->mutex);
  comm->handles.insert(handle);
  return report(result);
}

} // namespace

/// Handles that were not deregistered are freed with the communicator.
ncclComm::~ncclComm() {
  for (void *handle : handles)
    delete static_cast<ncclWindow *>(handle);
}

NCCL_ENTRY ncclResult_t ncclMemAlloc(void **memory, size_t bytes) {
  return report(blinkMemAlloc(memory, bytes));
}
NCCL_TWIN(ncclMemAlloc)

NCCL_ENTRY ncclResult_t ncclMemFree(void *memory) {
  return report(blinkMemFree(memory));
}
NCCL_TWIN(ncclMemFree)

NCCL_ENTRY ncclResult_t ncclCommRegister(const ncclComm_t comm, void *buffer,
                                         size_t bytes, void **handle) {
  const auto own = [&] {
    ncclWindow_t window = nullptr;
    if (!handle)
      return fail(ncclInvalidArgument, "ncclCommRegister: handle is NULL");
    const ncclResult_t result = enroll(comm, buffer, bytes, window);
    *handle = window;
    return result;
  };
  return route(comm, "ncclCommRegister", own, innerOf(comm), buffer, bytes,
               handle);
}
NCCL_TWIN(ncclCommRegister)

NCCL_ENTRY ncclResult_t ncclCommDeregister(const ncclComm_t comm,
                                           void *handle) {
  const auto own = [&] { return withdraw(comm, handle); };
  return route(comm, "ncclCommDeregister", own, innerOf(comm), handle);
}
NCCL_TWIN(ncclCommDeregister)

NCCL_ENTRY ncclResult_t ncclCommWindowRegister(ncclComm_t comm, void *buffer,
                                               size_t bytes,
                                               ncclWindow_t *window,
                                               int flags) {
  const auto own = [&] {
    if (!window)
      return fail(ncclInvalidArgument,
                  "ncclCommWindowRegister: window is NULL");
    return enroll(comm, buffer, bytes, *window);
  };
  return route(comm, "ncclCommWindowRegister", own, innerOf(comm), buffer,
               bytes, window, flags);
}
NCCL_TWIN(ncclCommWindowRegister)

NCCL_ENTRY ncclResult_t ncclCommWindowDeregister(ncclComm_t comm,
                                                 ncclWindow_t window) {
  const auto own = [&] { return withdraw(comm, window); };
  return route(comm, "ncclCommWindowDeregister", own, innerOf(comm), window);
}
NCCL_TWIN(ncclCommWindowDeregister)

NCCL_ENTRY ncclResult_t ncclWinGetUserPtr(ncclComm_t comm, ncclWindow_t window,
                                          void **buffer) {
  const auto own = [&] {
    const std::lock_guard<std::mutex> lock(comm->mutex);
    if (!buffer || comm->handles.count(window) == 0)
      return fail(ncclInvalidArgument, "ncclWinGetUserPtr: no such window, or "
                                       "no place for the pointer");
    *buffer = window->buffer;
    return ncclSuccess;
  };
  return route(comm, "ncclWinGetUserPtr", own, innerOf(comm), window, buffer);
}
NCCL_TWIN(ncclWinGetUserPtr)
