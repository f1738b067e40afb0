//===- Backend.h - what moves the data of a job -----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BACKEND_H
#define BLINK_RUNTIME_BACKEND_H

#include "runtime/flight/FlightFile.h"
#include "runtime/job/Job.h"
#include "runtime/plan/Call.h"

#include <optional>

namespace blink::runtime {

class Backend;

/// What a back end is made for: all ranks of a job, or with an id one of them.
/// With copies of all that a caller gave: it may be made later.
struct BackendRequest {
  ScheduleSet files;
  int numRanks = 0;
  std::vector<int> devices{}; ///< all ranks', as in blinkCommInitAll, or empty
  std::optional<blinkUniqueId> id{}; ///< none: all ranks are in this process
  int rank = -1, device = -1;        ///< with an id: as in blinkCommInitRank
  // Settings that all back ends know:
  std::chrono::milliseconds timeout{0};
  std::vector<int> gpus{};       ///< blinkConfig_t::gpus, or empty
  std::string withoutLink{};     ///< blinkConfig_t::withoutLink, or ""
  std::vector<uint64_t> hosts{}; ///< blinkConfig_t::hosts, or empty
  uint64_t slotBytes = 0;        ///< blinkConfig_t::slotBytes
  /// blinkConfig_t::order, or what the environment says.
  sched::ReductionOrder order = sched::ReductionOrder::none;
  /// Asked now and then while waiting for other processes to join: an error
  /// ends it. May be empty.
  std::function<Status()> peerFailure{};
};

/// A call with what it runs on.
struct PendingCall {
  Backend *backend; ///< kept by whoever makes the call
  Call call;
  Status result;
};

/// A line of kBackends.
struct BackendEntry {
  blinkBackend_t code;
  const char *name; ///< in messages
  /// Makes one, for createAll() or join(). Null: not in this build.
  std::shared_ptr<Backend> (*make)();
  /// Whether memory that the calling thread asks for should be this one's.
  bool (*providesMemory)();
  /// Memory of blinkMemAlloc, for freeBlock().
  Status (*allocate)(size_t bytes, void *&memory);
};

/// Which there are. Those whose run() returns before its calls are done come
/// first: their calls are on their way while the host waits for its own.
extern const BackendEntry *const kBackends[];

/// Null if there is none.
const BackendEntry *findBackend(blinkBackend_t code);

/// Errors: not in this build; as Backend::createAll and ::join.
Status createBackend(const BackendEntry &entry, const BackendRequest &request,
                     std::shared_ptr<Backend> &backend);

/// Runs calls of one group, of any back ends, and sets their results.
void runCalls(PendingCall *calls, size_t numCalls);

/// Memory of blinkMemAlloc, for freeBlock(). Errors: as there.
Status allocateMemory(size_t bytes, void *&memory);

/// How a back end was asked for, beside its plan: to make another for a part of
/// its ranks.
struct Origin {
  int rank = -1;            ///< that joined by an id; -1: all are here
  std::vector<int> devices; ///< of each rank; empty on the host
  uint64_t slotBytes = 0;   ///< as in the request
};

/// What the thread of one rank makes for all ranks of a process, until each has
/// taken it.
struct Handover {
  uint64_t attempt = 0; ///< as in the maker's ShrinkRecord
  Status status;
  std::shared_ptr<Backend> backend;
  size_t left = 0; ///< ranks that have not taken it
};
struct Handovers {
  std::mutex mutex;
  std::map<int, Handover> byMaker;
};

/// The ranks of one job that live in this process, behind their communicators.
/// Once a collective has failed in between, or a rank aborts, the job has
/// failed for good: every call on every rank ends with the same error, and only
/// destroying is left. Thread-safe, but that calls of one queue (Call::queue)
/// take turns, and that registering comes alone on a rank.
class Backend {
public:
  virtual ~Backend() = default;

  const BackendEntry &entry() const { return entry_; }
  const Plan &plan() const { return plan_; }
  const Origin &origin() const { return origin_; }
  Job &job() { return job_; }
  Handovers &handovers() { return handovers_; }
  /// What the ranks of this process note of their calls.
  FlightFile &flight() { return flight_; }

  /// The first call: makes all ranks of the job, or the one that joins it.
  virtual Status createAll(const BackendRequest &request) = 0;
  virtual Status join(const BackendRequest &request) = 0;
  /// Runs calls of one group, of this job or others of the same entry, and sets
  /// their results. `calls[0]` is of this job.
  virtual void run(PendingCall *const *calls, size_t numCalls) = 0;
  /// Fails the job and returns when no call of `rank` is left.
  virtual void abort(int rank) = 0;
  /// Fails the job with `why`, unless it has failed, and returns when no call
  /// of any rank of this process is left.
  virtual void cancel(const Status &why) = 0;
  /// Whether `rank`, wherever it runs, no longer writes to buffers that ranks
  /// of this process gave to calls. After cancel().
  virtual bool drained(int rank) const = 0;
  /// Returns when the calls of `rank` that were made before are done.
  virtual void finish(int rank) = 0;
  /// Whether a call of `rank` is not done yet.
  virtual bool inFlight(int rank) const = 0;
  /// Whether the message that `call`, which has a program, receives has begun
  /// to arrive. The caller has the call's queue.
  virtual Status probe(const Call &call, bool &arrived) = 0;
  /// Buffers that other ranks may reach into (blinkCommRegister). A handle is
  /// not 0.
  virtual Status registerBuffer(int rank, void *buffer, size_t bytes,
                                uintptr_t &handle) = 0;
  virtual Status deregisterBuffer(int rank, uintptr_t handle) = 0;
  /// Success, or why the job failed.
  virtual Status failure() const = 0;
  /// As failure(), or that a rank is lost, or the way to it, which no call has
  /// come upon yet.
  virtual Status asyncError() const = 0;
  /// What blinkCommMemory says of a rank of this process, but for the size.
  virtual blinkMemoryInfo_t memory(int rank) = 0;

protected:
  explicit Backend(const BackendEntry &entry) : entry_(entry) {}

  Plan plan_;
  Origin origin_;
  Job job_;
  FlightFile flight_;

private:
  const BackendEntry &entry_;
  Handovers handovers_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_BACKEND_H
