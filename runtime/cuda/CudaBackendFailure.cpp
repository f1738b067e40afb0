//===- CudaBackendFailure.cpp - failures, abort and leaving ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What is known of a failure that was found by a lane, this process or
// another.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/CudaBackend.h"

#include "runtime/Log.h"
#include "runtime/core/Memory.h"
#include "schedules/Text.h"

namespace blink::runtime {

void CudaBackend::fail(const Status &status) {
  // Kernels see that, in whatever process, and end.
  if (job_.fail(status))
    log(LogLevel::warn, -1, status.text);
}

void CudaBackend::abort(int rank) {
  fail(Job::abortedBy(rank));
  // Launching ends soon after that, and lets go of the lock.
  std::lock_guard<std::mutex> lock(mutex_);
  if (ranks_[rank].launched)
    ranks_[rank].launched->synchronize();
}

void CudaBackend::cancel(const Status &why) {
  fail(why);
  std::lock_guard<std::mutex> lock(mutex_);
  finishLaunches();
}

/// After a failure, or in the end: nothing is launched any more.
void CudaBackend::finishLaunches() {
  for (size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (!ranks_[rank].here || !peers_)
      continue;
    if (ranks_[rank].launched)
      ranks_[rank].launched->synchronize();
    storeRelease(&peers_[rank].drained, 1);
  }
}

bool CudaBackend::drained(int rank) const {
  // Another process's kernels write to registered buffers alone.
  return ranks_[rank].here || windows_.empty() ||
         loadAcquire(&peers_[rank].drained) || job_.died(rank);
}

Status CudaBackend::failure() const {
  std::lock_guard<std::mutex> lock(failureMutex_);
  if (!failure_.ok())
    return failure_;
  // A lane that raises it reports first, so that without it no report need be
  // looked at. Those of all lanes of a large machine are thousands of cache
  // lines.
  if (!job_.failed())
    return {};
  for (size_t r = 0; r < ranks_.size(); ++r) {
    const LaneReport *reports = ranks_[r].reports;
    for (uint32_t lane = 0; lane < plan_.numLanes; ++lane) {
      const LaneReport &report = reports[lane];
      const uint64_t reason = loadAcquire(&report.reason);
      if (reason == LaneReport::none || reason == LaneReport::aborted)
        continue;
      std::string text =
          "rank " + std::to_string(r) + ", lane " + std::to_string(lane);
      if (reason == LaneReport::twoCalls) {
        failure_ = {blinkInvalidUsage,
                    text + ": another call of the same communicator was "
                           "running: order the launches of graphs that hold "
                           "its calls, as one stream does"};
        log(LogLevel::warn, int(r), failure_.text);
        return failure_;
      }
      text += textOf(", step ", report.step, ", channel ", report.channel);
      text += report.reading ? ": no chunk: expected " : ": no slot: expected ";
      text += textOf(report.expected,
                     report.reading ? " written, seen " : " read, seen ",
                     report.seen);
      if (reason == LaneReport::otherCall)
        failure_ = callsDiffer(text + ", of another call");
      else
        failure_ =
            Status(blinkRemoteError, text, "; waited ", job_.timeout().count(),
                   " ms: a rank has not called, or `blinkc verify` tells "
                   "whether the schedule can end");
      log(LogLevel::warn, int(r), failure_.text);
      return failure_;
    }
  }
  // No lane found out, so a process did.
  return failure_ = job_.failure();
}

} // namespace blink::runtime
