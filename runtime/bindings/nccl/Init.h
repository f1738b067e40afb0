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

/// A call of ncclCommInitRank, kept until the end of its group.
struct PendingInit {
  ncclComm_t *result;
  int nranks;
  ncclUniqueId id;
  int rank;
  bool blocking;
  std::unique_ptr<ncclComm> comm; ///< knows the device
};

/// Makes all communicators, which are ranks of one job or several on one
/// thread, or none if there is an error. ncclInProgress: they are being made.
ncclResult_t initTogether(std::vector<PendingInit> &inits);

/// Reads the fields of a configuration that matter to Blink; `config` may be
/// null. Errors: invalid argument if it is not a configuration.
ncclResult_t readConfig(const ncclConfig_t *config, bool &blocking);

/// Sets `device` to the device that is current in this thread.
ncclResult_t currentDevice(int &device);

/// Lets the fallback make the communicator of one rank, on the rank's device.
ncclResult_t initInner(const Fallback &library, ncclComm &comm, int nranks,
                       int rank, const ncclUniqueId &id);
/// Logs that the fallback serves a communicator.
void logFallback(const std::string &why);

/// The configuration of Blink's communicators.
blinkConfig_t ownConfig(bool blocking);

} // namespace blink::nccl

#endif // BLINK_RUNTIME_BINDINGS_NCCL_INIT_H
