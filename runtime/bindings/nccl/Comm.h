//===- Comm.h - the communicator behind a ncclComm_t ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_NCCL_COMM_H
#define BLINK_RUNTIME_BINDINGS_NCCL_COMM_H

#include "runtime/bindings/nccl/Fallback.h"

#include <atomic>
#include <mutex>
#include <set>

/// A communicator of Blink's, or one of the fallback's. Entry points do not
/// change it, except those for making, finalizing and freeing it, so threads
/// may share it.
struct ncclComm {
  explicit ncclComm(int device) : device(device) {}
  ~ncclComm();

  /// The fallback's communicator, or null.
  ncclComm_t inner() const { return innerComm; }
  const blink::nccl::Fallback &fallback() const { return *library; }

  const int device; ///< the current device when it was made
  blinkComm_t blink = nullptr;
  ncclComm_t innerComm = nullptr;
  const blink::nccl::Fallback *library = nullptr; ///< null without an inner
                                                  ///< communicator
  /// Whether only calls that free the communicator may follow. Relaxed: a call
  /// at the same time could as well have come first.
  std::atomic<bool> finalized{false};

  /// Handles that ncclCommRegister and ncclCommWindowRegister have returned.
  std::mutex mutex;
  std::set<void *> handles;
};

namespace blink::nccl {

inline ncclComm_t innerOf(ncclComm_t comm) {
  return comm ? comm->innerComm : nullptr;
}

/// Like fail(), for a call that may belong to a group: no call of the group is
/// run.
ncclResult_t refuse(ncclResult_t result, std::string text);

/// Runs `own` for a communicator of Blink's; for one of the fallback's calls
/// the function `name` of the fallback with `args`, in which innerOf(comm)
/// stands for the communicator. For queries, which a finalized communicator
/// answers, too.
template <typename Own, typename... Args>
ncclResult_t ask(ncclComm_t comm, const char *name, Own own, Args... args) {
  if (!comm)
    return refuse(ncclInvalidArgument,
                  std::string(name) + ": the communicator is NULL");
  if (comm->innerComm)
    return comm->fallback().call(name, args...);
  return guarded(own);
}

/// Does the same for calls that need a communicator that is not finalized.
template <typename Own, typename... Args>
ncclResult_t route(ncclComm_t comm, const char *name, Own own, Args... args) {
  if (comm && comm->finalized.load(std::memory_order_relaxed))
    return refuse(ncclInvalidUsage,
                  std::string(name) + ": the communicator is finalized");
  return ask(comm, name, own, args...);
}

} // namespace blink::nccl

#endif // BLINK_RUNTIME_BINDINGS_NCCL_COMM_H
