//===- Group.h - calls between ncclGroupStart and ncclGroupEnd --*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_NCCL_GROUP_H
#define BLINK_RUNTIME_BINDINGS_NCCL_GROUP_H

#include "runtime/bindings/nccl/Init.h"
#include "runtime/bindings/nccl/Parts.h"

namespace blink::nccl {

/// A communicator that a split or shrink makes of another; at the end of the
/// group, if there is one.
struct PendingChild {
  ncclComm_t *result;
  std::unique_ptr<ncclComm> comm;
};

/// Whether this thread is in a group.
bool inGroup();

/// Runs the call, or keeps it for the end of the group.
ncclResult_t keepOrRun(PendingInit init);
ncclResult_t keepOrRun(PendingPart part);
/// The call was made and returned `result`: hands out the communicator, now or
/// at the end of the group.
ncclResult_t keepOrEnd(PendingChild child, ncclResult_t result);
/// Keeps a communicator that is to be freed after the group. Returns false
/// outside a group.
bool keepToFree(ncclComm_t comm);

} // namespace blink::nccl

#endif // BLINK_RUNTIME_BINDINGS_NCCL_GROUP_H
