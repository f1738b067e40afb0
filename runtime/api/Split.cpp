//===- Split.cpp - communicators by colour and key ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/Split.h"

#include "runtime/api/ByJob.h"
#include "runtime/api/CallLocks.h"
#include "runtime/api/Config.h"
#include "runtime/api/Group.h"

namespace blink::runtime {
namespace {

/// Splits one job for some of its ranks, and reports each rank's error: each
/// colour has its own. Returns the first error.
Status splitJob(const std::vector<PendingSplit *> &calls) {
  std::vector<SplitRank *> ranks;
  for (PendingSplit *call : calls)
    ranks.push_back(&call->request);
  split(*calls[0]->state->backend, ranks);
  Status first;
  for (PendingSplit *call : calls) {
    SplitRank &made = call->request;
    report(made.status, &call->state->lastError);
    if (made.status.ok() && made.backend)
      *call->result = new blinkComm(std::move(made.backend), made.newRank);
    if (first.ok())
      first = made.status;
  }
  return first;
}

} // namespace

Status splitTogether(std::vector<PendingSplit> &splits) {
  std::vector<CallQueue> queues;
  for (const PendingSplit &call : splits)
    queues.push_back({call.state.get(), Call::kCollectives});
  const CallLocks locks(queues);
  return runByJob(splits, "splits", splitJob);
}

} // namespace blink::runtime

using namespace blink::runtime;

blinkResult_t blinkCommSplit(blinkComm_t comm, int color, int key,
                             blinkComm_t *newcomm,
                             const blinkConfig_t *config) {
  return guardedCall([&] {
    if (!comm || !newcomm)
      return refuseCall({blinkInvalidArgument, "comm or newcomm is NULL"});
    *newcomm = nullptr;
    Status status = comm->usable();
    PendingSplit pending{comm->state, comm->rank, {}, newcomm};
    if (status.ok() && color < 0 && color != BLINK_SPLIT_NOCOLOR)
      status = Status(blinkInvalidArgument, "the colour is ", color,
                      ", expected 0 or more, or BLINK_SPLIT_NOCOLOR");
    if (status.ok())
      status = readSuccessor(config, pending.request.settings);
    if (!status.ok())
      return refuseCall(status, &comm->state->lastError);
    pending.request.rank = comm->rank;
    pending.request.color = color;
    pending.request.key = key;
    return splitOrKeep(std::move(pending));
  });
}
