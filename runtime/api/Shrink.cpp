//===- Shrink.cpp - communicators of the remaining ranks ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/Shrink.h"

#include "runtime/api/ByJob.h"
#include "runtime/api/Config.h"
#include "runtime/api/Group.h"

#include <algorithm>

namespace blink::runtime {
namespace {

/// Shrinks one job for ranks that ask for the same, in ascending order.
Status shrinkJob(const std::vector<PendingShrink *> &calls) {
  const PendingShrink &first = *calls.front();
  std::vector<int> ranks;
  for (const PendingShrink *call : calls) {
    ranks.push_back(call->rank);
    if (!(call->request == first.request))
      return Status(blinkInvalidUsage,
                    "the ranks shrink the communicator differently: rank ",
                    first.rank, " and rank ", call->rank, ", in one group");
  }
  std::shared_ptr<Backend> backend;
  Status status = shrink(*first.state->backend, ranks, first.request, backend);
  if (!status.ok())
    return status;
  const std::vector<int> &excluded = first.request.excluded;
  std::vector<std::unique_ptr<blinkComm>> made;
  for (int rank : ranks)
    made.push_back(std::make_unique<blinkComm>(
        backend,
        int(rank - (std::lower_bound(excluded.begin(), excluded.end(), rank) -
                    excluded.begin()))));
  for (size_t i = 0; i < calls.size(); ++i)
    *calls[i]->result = made[i].release();
  return {};
}

} // namespace

Status shrinkTogether(std::vector<PendingShrink> &shrinks) {
  return runByJob(shrinks, "shrinks", [](std::vector<PendingShrink *> &job) {
    Status status = shrinkJob(job);
    for (PendingShrink *call : job)
      report(status, &call->state->lastError);
    return status;
  });
}

} // namespace blink::runtime

using namespace blink::runtime;

blinkResult_t blinkCommShrink(blinkComm_t comm, const int *excludeRanks,
                              int excludeCount, blinkComm_t *newcomm,
                              const blinkConfig_t *config) {
  return guardedCall([&] {
    if (!comm || !newcomm)
      return refuseCall({blinkInvalidArgument, "comm or newcomm is NULL"});
    *newcomm = nullptr;
    if (Status status = comm->usable(); !status.ok())
      return refuseCall(status, &comm->state->lastError);
    PendingShrink pending{comm->state, comm->rank, {}, newcomm};
    Status status =
        readShrink(*comm, excludeRanks, excludeCount, config, pending.request);
    if (!status.ok())
      return refuseCall(status, &comm->state->lastError);
    return shrinkOrKeep(std::move(pending));
  });
}
