//===- CudaBackendFailure.cpp - failures, abort and leaving ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Failures that a lane, this process or another process found, and how they are
// explained.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/CudaBackend.h"

#include "runtime/Log.h"
#include "runtime/core/Memory.h"
#include "runtime/flight/HangReport.h"
#include "schedules/Text.h"

namespace blink::runtime {

/// Fails the job. Returns false if it had failed before.
bool CudaBackend::fail(const Status &status) {
  // Kernels of all processes see that the job has failed, and end.
  const bool isFirst = job_.fail(status);
  if (isFirst)
    log(LogLevel::warn, -1, status.text);
  return isFirst;
}

void CudaBackend::waitForLaunches(const Rank &rank) {
  if (rank.launched)
    rank.launched->synchronize();
  for (const std::shared_ptr<Event> &launched : rank.messagesLaunched)
    if (launched)
      launched->synchronize();
}

void CudaBackend::abort(int rank) {
  fail(Job::abortedBy(rank));
  // A thread that is launching stops soon after that, and releases the lock.
  std::lock_guard<std::mutex> lock(mutex_);
  waitForLaunches(ranks_[rank]);
}

void CudaBackend::finish(int rank) {
  std::vector<std::shared_ptr<Event>> launches;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    launches = ranks_[rank].messagesLaunched;
    launches.push_back(ranks_[rank].launched);
  }
  // Waits without the lock, which abort() takes.
  for (const std::shared_ptr<Event> &launched : launches)
    if (launched)
      launched->synchronize();
}

void CudaBackend::cancel(const Status &why) {
  fail(why);
  std::lock_guard<std::mutex> lock(mutex_);
  finishLaunches();
}

/// To be called after a failure or at the end, when nothing is launched any
/// more.
void CudaBackend::finishLaunches() {
  for (size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (!ranks_[rank].here || !peers_)
      continue;
    waitForLaunches(ranks_[rank]);
    storeRelease(&peers_[rank].drained, 1);
  }
}

bool CudaBackend::drained(int rank) const {
  // Kernels of another process write only to registered buffers of this one.
  return ranks_[rank].here || windows_.empty() || !job_.isNear(rank) ||
         loadAcquire(&peers_[rank].drained) || job_.died(rank);
}

namespace {

const char kTwoCalls[] = ": another call of the same communicator was running: "
                         "order the launches of graphs that hold its calls, "
                         "as one stream does";

} // namespace

/// Explains what a lane of a collective has reported.
Status CudaBackend::explain(size_t rank, uint32_t lane,
                            const LaneReport &report, uint64_t reason) const {
  std::string text = textOf("rank ", rank, ", lane ", lane);
  if (reason == LaneReport::twoCalls)
    return {blinkInvalidUsage, text + kTwoCalls};
  text += textOf(", step ", report.step, ", channel ", report.channel);
  text += report.reading ? ": no chunk: expected " : ": no slot: expected ";
  text +=
      textOf(report.expected,
             report.reading ? " written, seen " : " read, seen ", report.seen);
  // Lanes that give up leave their records as they are, for this picture.
  const HangReport picture(flight_);
  const auto write = [&] {
    if (ranks_[rank].here)
      picture.write(int(rank));
  };
  if (reason == LaneReport::otherCall) {
    write();
    return callsDiffer(text + ", of another call");
  }
  text += textOf("; waited ", job_.timeout().count(), " ms: ");
  // Kernels do not notice that a rank has left: a rank that had called before
  // waits until its time is up.
  for (int other = 0; other < job_.numRanks(); ++other)
    if (job_.detached(other))
      return {blinkRemoteError, text + job_.peerFailure(other).text};
  write();
  return {blinkRemoteError,
          text +
              "a rank has not called, or `blinkc verify` tells whether the "
              "schedule can end" +
              picture.sentence()};
}

/// Explains what a lane of a message has reported.
Status CudaBackend::explainMessage(size_t rank, uint32_t lane,
                                   const LaneReport &report,
                                   uint64_t reason) const {
  const uint32_t queue = (lane - plan_.numLanes) / plan_.numMessageTrees;
  const uint32_t peer = queue / 2;
  const bool sends = queue % 2 == 0;
  const std::string text =
      textOf("a message ", sends ? "to" : "from", " rank ", peer);
  if (reason == LaneReport::twoCalls)
    return {blinkInvalidUsage, textOf("rank ", rank, ", ", text, kTwoCalls)};
  const HangReport picture(flight_);
  if (ranks_[rank].here)
    picture.write(int(rank));
  if (reason == LaneReport::otherCall)
    return callsDiffer(textOf("rank ", rank, " has ", text, ", rank ", peer,
                              " has sent another one"));
  return Status(blinkRemoteError, text, ": rank ", rank, " waited ",
                job_.timeout().count(), " ms for rank ", peer,
                sends ? " to receive it" : " to send it", ": expected ",
                report.expected, " chunks, seen ", report.seen,
                picture.sentence());
}

Status CudaBackend::failure() const {
  std::lock_guard<std::mutex> lock(failureMutex_);
  if (!failure_.ok())
    return failure_;
  // A lane stores its report before it raises the job's abort word. So without
  // that word no report need be looked at: the reports of all lanes of a large
  // machine are thousands of cache lines.
  if (!job_.failed())
    return {};
  for (size_t r = 0; r < ranks_.size(); ++r) {
    const LaneReport *reports = ranks_[r].reports;
    for (uint32_t lane = 0; lane < plan_.numLanes + numMessageLanes(); ++lane) {
      const LaneReport &report = reports[lane];
      const uint64_t reason = loadAcquire(&report.reason);
      if (reason == LaneReport::none || reason == LaneReport::aborted)
        continue;
      failure_ = lane < plan_.numLanes
                     ? explain(r, lane, report, reason)
                     : explainMessage(r, lane, report, reason);
      log(LogLevel::warn, int(r), failure_.text);
      return failure_;
    }
  }
  // No lane found the failure, so a process did.
  return failure_ = job_.failure();
}

/// failure() includes lost ranks: watchOthers() fails the job for them.
Status CudaBackend::asyncError() const {
  const Status why = failure();
  return why.ok() ? carried_.carriers.lostWay(job_) : why;
}

} // namespace blink::runtime
