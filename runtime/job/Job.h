//===- Job.h - the ranks of a job and what becomes of them ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_JOB_H
#define BLINK_RUNTIME_JOB_JOB_H

#include "runtime/job/JobMemory.h"
#include "runtime/job/ProcessWatch.h"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

namespace blink::runtime {

/// A job as the ranks of this process see it: which are there, which are lost,
/// and waiting for all of them. begin(), then attach(), then all else.
class Job : public JobMemory {
public:
  /// `timeout`: how long a rank waits for the others.
  void begin(int numRanks, std::chrono::milliseconds timeout);
  /// The memory outlives the use of this.
  void attach(const JobMemory &memory) { JobMemory::operator=(memory); }

  int numRanks() const { return numRanks_; }
  std::chrono::milliseconds timeout() const { return timeout_; }

  /// Looks after the process of `rank`, another one, which has joined.
  void watch(int rank);
  /// Whether that process has died. False of ranks that are not watched.
  bool died(int rank) const { return watches_[rank].died(); }
  /// `rank`, of this process, will not call again.
  void detach(int rank) const;
  bool detached(int rank) const;
  /// Success, or why `rank` will never call again: its communicator has been
  /// destroyed, or its process has died.
  Status peerFailure(int rank) const;
  /// Why a job fails when `rank` aborts.
  static Status abortedBy(int rank);
  /// The number of a rank's process.
  uint64_t processOf(int rank) const;
  /// The watches, which may be needed longer than the job.
  std::shared_ptr<const ProcessWatch[]> watches() const { return watches_; }

  /// Waits until the word of every rank is `least` or more. Errors, of which
  /// all but the first fail the job: `ended`, asked now and then, if there is
  /// one; the job has failed; a rank is lost; or "rank `self` waited 5 ms for
  /// rank 1 to `what`".
  Status waitForAll(int self, uint64_t PeerRecord::*word, uint64_t least,
                    const char *what,
                    std::chrono::steady_clock::time_point deadline,
                    const std::function<Status()> &ended = {}) const;

  /// What ranks of this process have agreed to in shrinking: for each, what the
  /// others proposed (ShrinkRecord) when it last agreed with them. An attempt
  /// is agreed with once.
  struct Agreements {
    std::mutex mutex;
    std::map<int, std::map<int, uint64_t>> of;
  };
  Agreements &agreements() { return agreements_; }

private:
  Status peerFailureBefore(uint64_t PeerRecord::*word, uint64_t least) const;

  int numRanks_ = 0;
  std::chrono::milliseconds timeout_{0};
  std::shared_ptr<ProcessWatch[]> watches_; ///< one a rank
  Agreements agreements_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_JOB_H
