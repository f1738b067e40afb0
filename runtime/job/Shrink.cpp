//===- Shrink.cpp - going on with some of the ranks -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/Shrink.h"

#include "runtime/Backend.h"
#include "runtime/Log.h"
#include "runtime/job/Backoff.h"
#include "runtime/job/Rendezvous.h"
#include "runtime/job/ShrinkAgreement.h"

#include <algorithm>

namespace blink::runtime {

std::atomic<ShrinkHook> shrinkHook{nullptr};

namespace {

BackendRequest settingsOf(Backend &old, const ShrinkRequest &request) {
  BackendRequest next;
  next.files = old.plan().files;
  next.timeout =
      request.timeout.count() ? request.timeout : old.job().timeout();
  next.withoutLink = request.withoutLink.value_or(old.plan().gpus.withoutLink);
  return next;
}

class Shrinking {
public:
  Shrinking(Backend &old, const std::vector<int> &self,
            const ShrinkRequest &request);

  Status run(std::shared_ptr<Backend> &result);

private:
  bool byId() const { return old_.origin().rank >= 0; }
  void reached(ShrinkStage stage) const {
    if (ShrinkHook hook = shrinkHook.load(std::memory_order_relaxed))
      hook(self_.front(), stage);
  }
  Status checkPrograms() const;
  Status endOld();
  Status join(std::shared_ptr<Backend> &result);
  Status makeForAll();
  Status takeOver(Status status, std::shared_ptr<Backend> &result);

  Backend &old_;
  const std::vector<int> &self_;
  const ShrinkRequest &request_;
  BackendRequest next_; ///< the new one
  ShrinkAgreement agreement_;
  std::vector<int> devices_; ///< of the ranks that remain, where known
};

Shrinking::Shrinking(Backend &old, const std::vector<int> &self,
                     const ShrinkRequest &request)
    : old_(old), self_(self), request_(request),
      next_(settingsOf(old, request)),
      agreement_(old.job(), self, request.excluded, next_.withoutLink,
                 next_.timeout) {
  for (int rank : agreement_.remaining()) {
    if (!old.plan().gpus.numbers.empty())
      next_.gpus.push_back(old.plan().gpus.numbers[rank]);
    if (!old.origin().devices.empty())
      devices_.push_back(old.origin().devices[rank]);
  }
  next_.numRanks = int(agreement_.remaining().size());
  next_.peerFailure = [this] { return agreement_.failure(); };
}

Status Shrinking::run(std::shared_ptr<Backend> &result) {
  agreement_.propose();
  reached(ShrinkStage::proposed);
  Status status = checkPrograms();
  if (status.ok())
    status = endOld();
  if (status.ok())
    status = agreement_.agree();
  reached(ShrinkStage::agreed);
  std::shared_ptr<Backend> backend;
  if (status.ok() && byId())
    status = join(backend);
  else if (status.ok() && agreement_.leads())
    status = makeForAll();
  reached(ShrinkStage::made);
  if (status.ok())
    status = agreement_.finish();
  reached(ShrinkStage::finished);
  if (!byId())
    status = takeOver(status, backend);
  if (status.ok())
    result = std::move(backend);
  return status;
}

/// A request that cannot be met leaves the old job as it is.
Status Shrinking::checkPrograms() const {
  ProgramLookup lookup;
  Status status = lookUpPrograms(next_.files, next_.numRanks,
                                 {next_.gpus, next_.withoutLink}, lookup);
  if (status.code == blinkInvalidUsage && !request_.excluded.empty())
    status.text += "; `blinkc compile --survive gpus` adds what is left of a "
                   "job that loses GPUs";
  return status;
}

/// Returns when no call of the old job touches this process's buffers.
Status Shrinking::endOld() {
  old_.cancel(
      {blinkRemoteError,
       ShrinkAgreement::list({self_.front()}) + " shrinks the communicator: " +
           ShrinkAgreement::list(request_.excluded) +
           " excluded; ranks that remain shrink it, too, all destroy it"});
  for (int rank : request_.excluded)
    for (Backoff backoff(true); !old_.drained(rank); backoff.wait())
      if (backoff.sleeping() && agreement_.isLate())
        return Status(blinkRemoteError, "rank ", rank,
                      " may still write to registered buffers: waited ",
                      next_.timeout.count(), " ms for its kernels to end");
  return {};
}

/// A job of several processes: as by blinkCommInitRank, with an id that the
/// leader makes and hands on in the old job's memory.
Status Shrinking::join(std::shared_ptr<Backend> &result) {
  blinkUniqueId id{};
  Status status;
  if (agreement_.leads()) {
    std::vector<uint64_t> processes;
    for (int rank : agreement_.remaining())
      processes.push_back(old_.job().processOf(rank));
    status = makeUniqueId(id, next_.timeout, processes);
    if (status.ok())
      agreement_.publish(id);
  } else {
    status = agreement_.receive(id);
  }
  if (!status.ok())
    return status;
  const std::vector<int> &ranks = agreement_.remaining();
  next_.id = id;
  next_.rank = int(std::lower_bound(ranks.begin(), ranks.end(), self_[0]) -
                   ranks.begin());
  next_.device = devices_.empty() ? -1 : devices_[next_.rank];
  status = createBackend(old_.entry(), next_, result);
  if (status.ok())
    return status;
  // Why there is no answer, and the old numbers of ranks, the agreement knows.
  Status why = agreement_.failure();
  return why.ok() ? status : why;
}

/// All ranks are in this process.
Status Shrinking::makeForAll() {
  std::shared_ptr<Backend> backend;
  next_.devices = devices_;
  Status status = createBackend(old_.entry(), next_, backend);
  Handovers &state = old_.handovers();
  std::lock_guard<std::mutex> lock(state.mutex);
  state.byMaker[agreement_.remaining().front()] = {
      agreement_.attempt(), status, std::move(backend),
      agreement_.remaining().size()};
  return status;
}

/// What the leader made, or its error rather than that it gave up.
Status Shrinking::takeOver(Status status, std::shared_ptr<Backend> &result) {
  Handovers &state = old_.handovers();
  std::lock_guard<std::mutex> lock(state.mutex);
  auto found = state.byMaker.find(agreement_.remaining().front());
  if (found == state.byMaker.end() ||
      found->second.attempt != agreement_.attempt())
    return status;
  Handover &handover = found->second;
  if (!handover.status.ok())
    return handover.status;
  if (status.ok()) {
    result = handover.backend;
    handover.left -= self_.size();
  }
  if (!status.ok() || handover.left == 0)
    handover.backend = nullptr; // what has failed, has for all
  return status;
}

} // namespace

Status shrink(Backend &old, const std::vector<int> &self,
              const ShrinkRequest &request, std::shared_ptr<Backend> &result) {
  Status status = Shrinking(old, self, request).run(result);
  log(status.ok() ? LogLevel::info : LogLevel::warn, self.front(),
      status.ok() ? "shrunk, without " + ShrinkAgreement::list(request.excluded)
                  : "cannot shrink the communicator: " + status.text);
  return status;
}

} // namespace blink::runtime
