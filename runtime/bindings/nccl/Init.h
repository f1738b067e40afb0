//===- Init.h - making communicators ----------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_NCCL_INIT_H
#define BLINK_RUNTIME_BINDINGS_NCCL_INIT_H

#include "runtime/bindings/nccl/Comm.h"

#include <memory>
#include <vector>

namespace blink::nccl {

/// A call of ncclCommInitRank, kept to the end of its group.
struct PendingInit {
  ncclComm_t *result;
  int nranks;
  ncclUniqueId id;
  int rank;
  bool blocking;
  std::unique_ptr<ncclComm> comm; ///< knows the device
};

/// Makes all of them, as one thread's ranks of one job or several, or after an
/// error none. ncclInProgress: they are being made.
ncclResult_t initTogether(std::vector<PendingInit> &inits);

/// Reads what matters of a configuration, which may be null. Errors: invalid
/// argument if it is none.
ncclResult_t readConfig(const ncclConfig_t *config, bool &blocking);

/// The device that is current in this thread.
ncclResult_t currentDevice(int &device);

/// Has the other library make a communicator of one rank, for its device.
ncclResult_t initInner(const Fallback &library, ncclComm &comm, int nranks,
                       int rank, const ncclUniqueId &id);
/// Says once that the other library serves a communicator.
void logFallback(const std::string &why);

/// For Blink's communicators.
blinkConfig_t ownConfig(bool blocking);

} // namespace blink::nccl

#endif // BLINK_RUNTIME_BINDINGS_NCCL_INIT_H
