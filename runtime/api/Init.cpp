//===- Init.cpp - communicators that join by an id ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/Init.h"

#include "runtime/api/Config.h"
#include "runtime/api/Group.h"
#include "runtime/api/Threads.h"

namespace blink::runtime {
namespace {

using Backends = std::vector<std::shared_ptr<Backend>>;

/// Returns the first error. An error that another thread notes in `first`
/// meanwhile ends the attempt.
Status makeBackends(std::vector<PendingInit> &inits, FirstError &first,
                    Backends &backends) {
  backends.resize(inits.size());
  const std::vector<Status> results = onThreads(inits.size(), [&](size_t i) {
    BackendRequest &request = inits[i].request;
    request.peerFailure = [&first] { return first.get(); };
    Status status = createBackend(*inits[i].entry, request, backends[i]);
    if (!status.ok())
      first.note(status);
    return status;
  });
  for (const Status &status : results) {
    if (status.ok())
      continue;
    first.note(status); // also those of calls whose thread could not start
    return first.get();
  }
  return {};
}

Status initBlocking(std::vector<PendingInit> &inits) {
  FirstError first;
  Backends backends;
  Status status = makeBackends(inits, first, backends);
  if (!status.ok())
    return status;
  std::vector<std::unique_ptr<blinkComm>> made;
  for (size_t i = 0; i < inits.size(); ++i)
    made.push_back(
        std::make_unique<blinkComm>(backends[i], inits[i].request.rank));
  for (size_t i = 0; i < inits.size(); ++i)
    *inits[i].result = made[i].release();
  return {};
}

Status initInBackground(std::vector<PendingInit> &inits) {
  auto making = std::make_shared<Making>();
  std::vector<std::unique_ptr<blinkComm>> comms;
  std::vector<blinkComm_t> handles;
  for (const PendingInit &init : inits) {
    comms.push_back(std::make_unique<blinkComm>(init.request.rank));
    comms.back()->making = making;
    handles.push_back(comms.back().get());
  }
  std::vector<blinkComm_t *> results;
  for (const PendingInit &init : inits)
    results.push_back(init.result);
  // No communicator is freed before the thread has ended (Making::end), and no
  // thread uses its back end before that.
  Status status = making->start(
      [inits = std::move(inits), handles](FirstError &ended) mutable {
        Backends backends;
        Status status = makeBackends(inits, ended, backends);
        for (size_t i = 0; i < handles.size(); ++i)
          if (status.ok())
            handles[i]->attach(std::move(backends[i]));
          else
            handles[i]->state->lastError.set(status.text);
        return status;
      });
  for (size_t i = 0; i < comms.size() && status.ok(); ++i)
    *results[i] = comms[i].release();
  return status;
}

} // namespace

blinkResult_t initTogether(std::vector<PendingInit> inits) {
  for (const PendingInit &init : inits)
    if (!init.blocking) {
      const Status status = initInBackground(inits);
      return status.ok() ? blinkInProgress : report(status);
    }
  return report(initBlocking(inits));
}

} // namespace blink::runtime

using namespace blink::runtime;

blinkResult_t blinkCommInitRank(blinkComm_t *comm, int nranks, blinkUniqueId id,
                                int rank, int device, blinkSchedule_t schedule,
                                const blinkConfig_t *config) {
  return guardedCall([&] {
    if (!comm)
      return refuseCall({blinkInvalidArgument, "comm is NULL"});
    *comm = nullptr;
    if (!schedule)
      return refuseCall({blinkInvalidArgument, "the schedule is NULL"});
    if (nranks < 1 || rank < 0 || rank >= nranks)
      return refuseCall(
          Status(blinkInvalidArgument, "rank ", rank, " of ", nranks));
    PendingInit init;
    init.request.files = schedule->files;
    init.request.numRanks = nranks;
    init.request.id = id;
    init.request.rank = rank;
    init.request.device = device;
    init.result = comm;
    Status status =
        readConfig(config, init.entry, init.request, &init.blocking);
    return status.ok() ? initOrKeep(std::move(init)) : refuseCall(status);
  });
}
