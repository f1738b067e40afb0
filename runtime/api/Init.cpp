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

/// The first error among threads. Thread-safe.
class FirstError {
public:
  void note(const Status &status) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (first_.ok())
      first_ = status;
  }
  Status get() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return first_;
  }

private:
  mutable std::mutex mutex_;
  Status first_;
};

} // namespace

Status initTogether(std::vector<PendingInit> &inits) {
  FirstError first;
  std::vector<std::shared_ptr<Backend>> backends(inits.size());
  const std::vector<Status> results = onThreads(inits.size(), [&](size_t i) {
    BackendRequest &request = inits[i].request;
    request.peerFailure = [&first] { return first.get(); };
    Status status = createBackend(*inits[i].entry, request, backends[i]);
    if (!status.ok())
      first.note(status);
    return status;
  });
  for (const Status &status : results)
    if (!status.ok()) // which some had before there was a thread
      first.note(status);
  if (Status status = first.get(); !status.ok())
    return status;
  std::vector<std::unique_ptr<blinkComm>> made;
  for (size_t i = 0; i < inits.size(); ++i)
    made.push_back(
        std::make_unique<blinkComm>(backends[i], inits[i].request.rank));
  for (size_t i = 0; i < inits.size(); ++i)
    *inits[i].result = made[i].release();
  return {};
}

} // namespace blink::runtime

using namespace blink::runtime;

blinkResult_t blinkCommInitRank(blinkComm_t *comm, int nranks, blinkUniqueId id,
                                int rank, int device, blinkSchedule_t schedule,
                                const blinkConfig_t *config) {
  return guarded([&] {
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
    Status status = readConfig(config, init.entry, init.request);
    return status.ok() ? initOrKeep(std::move(init)) : refuseCall(status);
  });
}
