//===- Job.h - the ranks of a job and what becomes of them ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_JOB_H
#define BLINK_RUNTIME_JOB_JOB_H

#include "runtime/job/JobMemory.h"
#include "runtime/job/ProcessWatch.h"
#include "runtime/job/control/ControlPlane.h"

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

  // Of a job on several servers:

  /// Takes the control plane; `server` is this process's. Before attach().
  void connect(std::unique_ptr<ControlPlane> control,
               std::vector<uint16_t> serverOf, uint16_t server,
               const Secret &secret);
  /// Lets the others see the records of this process's ranks, and the other way
  /// round. After attach(), when this rank has joined.
  void mirror(FindWords findWords);
  /// Says goodbye to the other servers. Before the memory goes.
  void disconnect() { control_.reset(); }
  /// Whether `rank` shares this process's memory.
  bool isNear(int rank) const {
    return serverOf_.empty() || serverOf_[size_t(rank)] == server_;
  }
  /// Null: there is one server.
  ControlPlane *control() const { return control_.get(); }
  const Secret *secret() const { return control_ ? &secret_ : nullptr; }

  /// Looks after the process of `rank`, another one, which has joined.
  void watch(int rank);
  /// Whether that process has died, or is lost. False of ranks that are not
  /// watched.
  bool died(int rank) const {
    return watches_[rank].died() || (control_ && !control_->lost(rank).ok());
  }
  /// `rank`, of this process, will not call again.
  void detach(int rank) const;
  bool detached(int rank) const;
  /// Success, or why `rank` will never call again: its communicator has been
  /// destroyed, or its process has died.
  Status peerFailure(int rank) const;
  /// Success, or that some rank has died, or is lost, without a word: what
  /// peerFailure() says of it.
  Status lostRank() const;
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
  std::vector<uint16_t> serverOf_;          ///< empty: all are on one
  uint16_t server_ = 0;
  Secret secret_;
  std::unique_ptr<ControlPlane> control_;
  Agreements agreements_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_JOB_H
