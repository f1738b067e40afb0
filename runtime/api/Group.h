//===- Group.h - calls, alone or in groups ----------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_API_GROUP_H
#define BLINK_RUNTIME_API_GROUP_H

#include "runtime/api/Init.h"
#include "runtime/api/Shrink.h"
#include "runtime/api/Split.h"

namespace blink::runtime {

/// Runs a call of a collective, or keeps it for the end of this thread's group.
blinkResult_t collective(const CallKind &kind, const void *send, void *recv,
                         blinkComm_t comm, blinkStream_t stream);
/// Likewise a message: one buffer is null, that of the other direction.
blinkResult_t message(const void *send, void *recv, size_t count,
                      blinkDataType_t type, int peer, blinkComm_t comm,
                      blinkStream_t stream);
/// Likewise a shrink, a split, or a communicator to be made.
blinkResult_t shrinkOrKeep(PendingShrink pending);
blinkResult_t splitOrKeep(PendingSplit pending);
blinkResult_t initOrKeep(PendingInit pending);
/// A call whose arguments are wrong: the group that it would belong to, if
/// there is one, fails. `lastError`: the communicator's, if there is one.
blinkResult_t refuseCall(const Status &status, LastError *lastError = nullptr);

void startGroup();
/// Runs what the group has collected, if it is the outermost.
blinkResult_t endGroup();
/// Likewise ends it, but drops it: how long its calls would take.
blinkResult_t simulateGroup(double *microseconds);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_API_GROUP_H
