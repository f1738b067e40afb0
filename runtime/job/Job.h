//===- Job.h - the ranks of a job and their states --------------*- C++ -*-===//
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

/// A job as the ranks of this process see it: which ranks there are, which are
/// lost, and waiting for all of them. begin() is called first, then attach(),
/// then everything else.
class Job : public JobMemory {
public:
  /// `timeout`: how long a rank waits for the others.
  void begin(int numRanks, std::chrono::milliseconds timeout);
  /// `memory` outlives the use of this object.
  void attach(const JobMemory &memory) { JobMemory::operator=(memory); }

  int numRanks() const { return numRanks_; }
  std::chrono::milliseconds timeout() const { return timeout_; }

  // For jobs on several servers:

  /// Takes the control plane; `server` is this process's server. To be called
  /// before attach().
  void connect(std::unique_ptr<ControlPlane> control,
               std::vector<uint16_t> serverOf, uint16_t server,
               const Secret &secret);
  /// Begins to copy the records of this process's ranks to the other servers,
  /// and theirs to this one. To be called after attach(), when this rank has
  /// joined.
  void mirror(FindWords findWords);
  /// Takes leave of the other servers. To be called before the memory is freed.
  void disconnect() { control_.reset(); }
  /// Whether `rank` shares this process's memory.
  bool isNear(int rank) const {
    return serverOf_.empty() || serverOf_[size_t(rank)] == server_;
  }
  /// Null if all ranks are on one server.
  ControlPlane *control() const { return control_.get(); }
  const Secret *secret() const { return control_ ? &secret_ : nullptr; }

  /// Starts to watch the process of `rank`, which is another process and has
  /// joined.
  void watch(int rank);
  /// Returns true if that process has died, or is lost; false for ranks that
  /// are not watched.
  bool died(int rank) const {
    return watches_[rank].died() || (control_ && !control_->lost(rank).ok());
  }
  /// Notes that `rank`, of this process, will not call again.
  void detach(int rank) const;
  bool detached(int rank) const;
  /// Returns success, or why `rank` will never call again: its communicator has
  /// been destroyed, or its process has died.
  Status peerFailure(int rank) const;
  /// Returns success, or what peerFailure() says of a rank that has died or is
  /// lost without having destroyed its communicator.
  Status lostRank() const;
  /// Returns the error of a job in which `rank` aborts.
  static Status abortedBy(int rank);
  /// The process id of a rank's process.
  uint64_t processOf(int rank) const;
  /// The watches, which may be needed longer than the job.
  std::shared_ptr<const ProcessWatch[]> watches() const { return watches_; }

  /// Waits until the given word of every rank's record is at least `least`.
  /// Errors: `ended`, if it is set, is called now and then and returns one; the
  /// job has failed; a rank is lost; or "rank `self` waited 5 ms for rank 1 to
  /// `what`". All of these but the first fail the job.
  Status waitForAll(int self, uint64_t PeerRecord::*word, uint64_t least,
                    const char *what,
                    std::chrono::steady_clock::time_point deadline,
                    const std::function<Status()> &ended = {}) const;

  /// What the ranks of this process have agreed to in shrinking: for each of
  /// them, the others' proposals (ShrinkRecord) when it last agreed with them.
  /// A rank agrees with an attempt only once.
  struct Agreements {
    std::mutex mutex;
    std::map<int, std::map<int, uint64_t>> of;
  };
  Agreements &agreements() { return agreements_; }

private:
  Status peerFailureBefore(uint64_t PeerRecord::*word, uint64_t least) const;

  int numRanks_ = 0;
  std::chrono::milliseconds timeout_{0};
  std::shared_ptr<ProcessWatch[]> watches_; ///< one per rank
  std::vector<uint16_t> serverOf_;          ///< empty: all are on one
  uint16_t server_ = 0;
  Secret secret_;
  std::unique_ptr<ControlPlane> control_;
  Agreements agreements_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_JOB_H
