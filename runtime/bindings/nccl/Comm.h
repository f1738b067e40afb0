//===- Comm.h - what a ncclComm_t stands for --------------------*- C++ -*-===//
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

/// A communicator of Blink's, or one of the fallback's. Entry points that are
/// not about its life leave it as it is, so threads may share it.
struct ncclComm {
  explicit ncclComm(int device) : device(device) {}
  ~ncclComm();

  /// Of the fallback, or null.
  ncclComm_t inner() const { return innerComm; }
  const blink::nccl::Fallback &fallback() const { return *library; }

  const int device; ///< that was current when it was made
  blinkComm_t blink = nullptr;
  ncclComm_t innerComm = nullptr;
  const blink::nccl::Fallback *library = nullptr; ///< where there is an inner
  /// No call may follow but those that free it. Relaxed: who calls at the same
  /// time could have been first.
  std::atomic<bool> finalized{false};

  /// What ncclCommRegister and windows have given out.
  std::mutex mutex;
  std::set<void *> handles;
};

namespace blink::nccl {

inline ncclComm_t innerOf(ncclComm_t comm) {
  return comm ? comm->innerComm : nullptr;
}

/// As fail(), of a call that may be one of a group: no call of that is run.
ncclResult_t refuse(ncclResult_t result, std::string text);

/// Runs `own` for a communicator of Blink's, or the function `name` of the
/// fallback with `args`, in which innerOf(comm) stands for the communicator.
/// For questions: one that is finalized answers them.
template <typename Own, typename... Args>
ncclResult_t ask(ncclComm_t comm, const char *name, Own own, Args... args) {
  if (!comm)
    return refuse(ncclInvalidArgument,
                  std::string(name) + ": the communicator is NULL");
  if (comm->innerComm)
    return comm->fallback().call(name, args...);
  return guarded(own);
}

/// The same for calls that need one that is not finalized.
template <typename Own, typename... Args>
ncclResult_t route(ncclComm_t comm, const char *name, Own own, Args... args) {
  if (comm && comm->finalized.load(std::memory_order_relaxed))
    return refuse(ncclInvalidUsage,
                  std::string(name) + ": the communicator is finalized");
  return ask(comm, name, own, args...);
}

} // namespace blink::nccl

#endif // BLINK_RUNTIME_BINDINGS_NCCL_COMM_H
