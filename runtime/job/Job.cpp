//===- Job.cpp - the ranks of a job and their states ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/Job.h"

#include "runtime/Log.h"
#include "runtime/PatientBackoff.h"
#include "runtime/core/Memory.h"

namespace blink::runtime {

void Job::begin(int numRanks, std::chrono::milliseconds timeout) {
  numRanks_ = numRanks;
  timeout_ = timeout;
  watches_.reset(new ProcessWatch[size_t(numRanks)]);
}

void Job::connect(std::unique_ptr<ControlPlane> control,
                  std::vector<uint16_t> serverOf, uint16_t server,
                  const Secret &secret) {
  serverOf_ = std::move(serverOf);
  server_ = server;
  secret_ = secret;
  control_ = std::move(control);
}

void Job::mirror(FindWords findWords) {
  control_->attach(*this, std::move(findWords));
}

void Job::watch(int rank) {
  if (isNear(rank))
    watches_[rank].start(loadAcquire(&peer(rank).process));
}

void Job::detach(int rank) const { publish(&peer(rank).gone, 1); }

bool Job::detached(int rank) const {
  return loadAcquire(&peer(rank).gone) != 0;
}

Status Job::peerFailure(int rank) const {
  // Load this before `gone`: a process that has ended either destroyed its
  // communicators before, or has died. In the other order, a process that
  // destroys its communicator and ends between the two loads would seem to have
  // died.
  const bool hasDied = died(rank);
  // The record of a rank that could not join after all does not say that it
  // left; the control plane does.
  if (detached(rank) || (control_ && control_->left(rank)))
    return Status(blinkRemoteError, "the communicator of rank ", rank,
                  " has been destroyed");
  if (const Status lost = hasDied && control_ ? control_->lost(rank) : Status();
      !lost.ok())
    return lost;
  if (hasDied)
    return Status(blinkRemoteError, "the process of ",
                  control_ ? control_->name(rank)
                           : "rank " + std::to_string(rank),
                  ", number ", processOf(rank), ", has died");
  return {};
}

Status Job::lostRank() const {
  for (int rank = 0; rank < numRanks_; ++rank)
    // In this order, as in peerFailure().
    if (died(rank) && !detached(rank))
      return peerFailure(rank);
  return {};
}

Status Job::abortedBy(int rank) {
  return Status(blinkRemoteError, "rank ", rank,
                " aborted: destroy the communicators");
}

uint64_t Job::processOf(int rank) const {
  return loadRelaxed(&peer(rank).process);
}

/// Returns success, or why some rank's word will never reach `least`.
Status Job::peerFailureBefore(uint64_t PeerRecord::*word,
                              uint64_t least) const {
  for (int rank = 0; rank < numRanks_; ++rank)
    // A rank that was lost only after it had set the word has done its part.
    if (Status why = peerFailure(rank);
        !why.ok() && loadAcquire(&(peer(rank).*word)) < least)
      return why;
  return {};
}

Status Job::waitForAll(int self, uint64_t PeerRecord::*word, uint64_t least,
                       const char *what,
                       std::chrono::steady_clock::time_point deadline,
                       const std::function<Status()> &ended) const {
  PatientBackoff backoff;
  for (int other = 0; other < numRanks_; ++other) {
    const auto missing = [&] {
      return loadAcquire(&(peer(other).*word)) < least;
    };
    while (missing()) {
      backoff.wait();
      Status why =
          backoff.sleeping() ? peerFailureBefore(word, least) : Status();
      // `why` was computed before this check, because a rank may have ended as
      // a consequence of a failure that came first. And if `other` set its word
      // before the failure, it came in time: the call that failed is of a rank
      // that has already returned from this wait.
      if (failed() && missing())
        return failure();
      if (!backoff.sleeping())
        continue;
      if (Status over = ended ? ended() : Status(); !over.ok())
        return over;
      if (why.ok() && std::chrono::steady_clock::now() > deadline && missing())
        why = Status(blinkRemoteError, "rank ", self, " waited ",
                     timeout_.count(), " ms for rank ", other, " to ", what);
      if (why.ok())
        continue;
      if (fail(why))
        log(LogLevel::warn, self, why.text);
      return failure();
    }
  }
  return {};
}

} // namespace blink::runtime
