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
/// Runs or keeps a message. One buffer is null, that of the other direction.
blinkResult_t message(const void *send, void *recv, size_t count,
                      blinkDataType_t type, int peer, blinkComm_t comm,
                      blinkStream_t stream);
/// Run or keep a shrink, a split, or a communicator that is to be made.
blinkResult_t shrinkOrKeep(PendingShrink pending);
blinkResult_t splitOrKeep(PendingSplit pending);
blinkResult_t initOrKeep(PendingInit pending);
/// Reports the error of a call with wrong arguments; the group that the call
/// would belong to fails, if there is one. `lastError`: the communicator's, or
/// null.
blinkResult_t refuseCall(const Status &status, LastError *lastError = nullptr);

/// Like guarded(), for calls that may belong to a group: the group fails if the
/// call throws, because other ranks would wait for it.
template <typename Function> blinkResult_t guardedCall(Function function) {
  return guarded([&] {
    try {
      return function();
    } catch (const std::bad_alloc &) {
      refuseCall({blinkSystemError, "out of memory"}); // fits in the string
      throw;
    }
  });
}

void startGroup();
/// Ends this thread's innermost group. If it is the outermost, runs what has
/// been collected.
blinkResult_t endGroup();
/// Ends the group in the same way, but drops its calls, and sets *microseconds
/// to how long they would take.
blinkResult_t simulateGroup(double *microseconds);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_API_GROUP_H
