//===- Parts.h - communicators of some ranks of another ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Communicators that are split off a communicator of Blink's, or made by
// shrinking one, when there is a fallback: if there is no schedule for their
// ranks, all of these ranks use the fallback.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_NCCL_PARTS_H
#define BLINK_RUNTIME_BINDINGS_NCCL_PARTS_H

#include "runtime/bindings/nccl/Comm.h"

#include <memory>
#include <vector>

namespace blink::nccl {

/// A call of ncclCommSplit or ncclCommShrink for a communicator of Blink's.
struct PendingPart {
  ncclComm_t from;
  ncclComm_t *result;
  std::unique_ptr<ncclComm> comm; ///< knows the device
  bool shrinks;
  int color = 0, key = 0;    ///< of a split
  std::vector<int> excluded; ///< of a shrink
};

/// Makes all communicators, or none if there is an error.
ncclResult_t makeParts(std::vector<PendingPart> &parts);

} // namespace blink::nccl

#endif // BLINK_RUNTIME_BINDINGS_NCCL_PARTS_H
