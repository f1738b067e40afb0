//===- Shrink.cpp - going on with some of the ranks -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/Shrink.h"

#include "runtime/Backend.h"
#include "runtime/Log.h"
#include "runtime/job/Backoff.h"
#include "runtime/job/ShrinkAgreement.h"

#include <algorithm>

namespace blink::runtime {

std::atomic<ShrinkHook> shrinkHook{nullptr};

namespace {

std::vector<int> remainingOf(const Job &job, const std::vector<int> &excluded) {
  std::vector<int> ranks;
  for (int rank = 0; rank < job.numRanks(); ++rank)
    if (!std::binary_search(excluded.begin(), excluded.end(), rank))
      ranks.push_back(rank);
  return ranks;
}

class Shrinking {
public:
  Shrinking(Backend &old, const std::vector<int> &self,
            const ShrinkRequest &request);

  Status run(std::shared_ptr<Backend> &result);

private:
  void reached(ShrinkStage stage) const {
    if (ShrinkHook hook = shrinkHook.load(std::memory_order_relaxed))
      hook(self_.front(), stage);
  }
  Status checkPrograms() const;
  Status endOld();
  Status join(std::shared_ptr<Backend> &result);

  Backend &old_;
  const std::vector<int> &self_;
  const ShrinkRequest &request_;
  const Successor next_;
  ShrinkAgreement agreement_;
};

Shrinking::Shrinking(Backend &old, const std::vector<int> &self,
                     const ShrinkRequest &request)
    : old_(old), self_(self), request_(request),
      next_(old, remainingOf(old.job(), request.excluded), request.settings),
      agreement_(old.job(), self, request.excluded, next_.withoutLink(),
                 next_.timeout()) {}

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
  if (status.ok() && next_.byId())
    status = join(backend);
  else if (status.ok() && agreement_.leads())
    status = next_.makeForAll(agreement_.attempt());
  reached(ShrinkStage::made);
  if (status.ok())
    status = agreement_.finish();
  reached(ShrinkStage::finished);
  if (!next_.byId())
    status =
        next_.takeOver(agreement_.attempt(), self_.size(), status, backend);
  if (status.ok())
    result = std::move(backend);
  return status;
}

/// Called before the old job is ended, so that a request that cannot be met
/// leaves it as it is.
Status Shrinking::checkPrograms() const {
  Status status = next_.checkPrograms();
  if (status.code == blinkInvalidUsage && !request_.excluded.empty())
    status.text += "; `blinkc compile --survive gpus` adds what is left of a "
                   "job that loses GPUs";
  return status;
}

/// Returns when no call of the old job accesses this process's buffers.
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
                      next_.timeout().count(), " ms for its kernels to end");
  return {};
}

/// For a job of several processes: joins as blinkCommInitRank does, with an id
/// that the leader makes and passes on in the old job's memory.
Status Shrinking::join(std::shared_ptr<Backend> &result) {
  blinkUniqueId id{};
  Status status;
  if (agreement_.leads()) {
    status = next_.makeId(id);
    if (status.ok())
      agreement_.publish(id);
  } else {
    status = agreement_.receive(id);
  }
  if (!status.ok())
    return status;
  status =
      next_.join(id, self_[0], [this] { return agreement_.failure(); }, result);
  if (status.ok())
    return status;
  // The agreement knows why there is no answer, and names ranks by their old
  // numbers.
  Status why = agreement_.failure();
  return why.ok() ? status : why;
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
