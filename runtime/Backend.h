//===- Backend.h - what moves the data of a job -----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BACKEND_H
#define BLINK_RUNTIME_BACKEND_H

#include "runtime/Trace.h"
#include "runtime/flight/FlightFile.h"
#include "runtime/job/Job.h"
#include "runtime/plan/Call.h"

#include <optional>

namespace blink::runtime {

class Backend;

/// What a back end is made for: all ranks of a job, or with an id one of them.
/// It holds copies of everything that the caller passed, because the back end
/// may be made after the call has returned.
struct BackendRequest {
  ScheduleSet files;
  int numRanks = 0;
  std::vector<int> devices{}; ///< of all ranks, as in blinkCommInitAll, or
                              ///< empty
  std::optional<blinkUniqueId> id{}; ///< if empty, all ranks are in this
                                     ///< process
  int rank = -1, device = -1;        ///< with an id: as in blinkCommInitRank
  // Settings that all back ends know:
  std::chrono::milliseconds timeout{0};
  std::vector<int> gpus{};       ///< blinkConfig_t::gpus, or empty
  std::string withoutLink{};     ///< blinkConfig_t::withoutLink, or ""
  std::vector<uint64_t> hosts{}; ///< blinkConfig_t::hosts, or empty
  uint64_t slotBytes = 0;        ///< blinkConfig_t::slotBytes
  /// blinkConfig_t::order, or the value of BLINK_ORDER.
  sched::ReductionOrder order = sched::ReductionOrder::none;
  /// Called now and then while waiting for other processes to join; an error
  /// that it returns ends the wait. May be empty.
  std::function<Status()> peerFailure{};
};

/// A call, the back end that runs it, and its result.
struct PendingCall {
  Backend *backend; ///< kept alive by the thread that makes the call
  Call call;
  Status result;
};

/// An entry of kBackends.
struct BackendEntry {
  blinkBackend_t code;
  const char *name; ///< in messages
  /// Makes a back end, for createAll() or join(). Null if it is not in this
  /// build.
  std::shared_ptr<Backend> (*make)();
  /// Whether blinkMemAlloc in the calling thread should allocate this back
  /// end's memory.
  bool (*providesMemory)();
  /// Allocates memory for blinkMemAlloc, to be freed by freeBlock().
  Status (*allocate)(size_t bytes, void *&memory);
};

/// The back ends there are. Those whose run() returns before its calls are done
/// come first, so that their calls are under way while the host waits for its
/// own.
extern const BackendEntry *const kBackends[];

/// Returns null if there is none with that code.
const BackendEntry *findBackend(blinkBackend_t code);

/// Makes a back end. Errors: it is not in this build; as Backend::createAll and
/// Backend::join.
Status createBackend(const BackendEntry &entry, const BackendRequest &request,
                     std::shared_ptr<Backend> &backend);

/// Runs calls of one group, of any back ends, and sets their results.
void runCalls(PendingCall *calls, size_t numCalls);

/// Allocates memory for blinkMemAlloc, to be freed by freeBlock(). Errors: as
/// blinkMemAlloc.
Status allocateMemory(size_t bytes, void *&memory);

/// How a back end was asked for, apart from its plan. Needed to make another
/// one for some of its ranks.
struct Origin {
  int rank = -1;            ///< the rank that joined by an id; -1: all are here
  std::vector<int> devices; ///< of each rank; empty on the host
  uint64_t slotBytes = 0;   ///< as in the request
};

/// A back end that the thread of one rank makes for all ranks of a process;
/// kept until each of them has taken it.
struct Handover {
  uint64_t attempt = 0; ///< as passed to Successor::makeForAll
  Status status;
  std::shared_ptr<Backend> backend;
  size_t left = 0; ///< ranks that have not taken it
};
struct Handovers {
  std::mutex mutex;
  std::map<int, Handover> byMaker;
};

/// The ranks of one job that live in this process; their communicators refer to
/// it. Once a collective has failed part of the way, or a rank aborts, the job
/// has failed permanently: every call on every rank ends with the same error,
/// and the communicators can only be destroyed or shrunk. Thread-safe, with two
/// exceptions: calls of one queue (Call::queue) take turns, and a rank
/// registers or deregisters a buffer only while no other call of that rank is
/// under way.
class Backend {
public:
  virtual ~Backend() = default;

  const BackendEntry &entry() const { return entry_; }
  const Plan &plan() const { return plan_; }
  const Origin &origin() const { return origin_; }
  Job &job() { return job_; }
  Handovers &handovers() { return handovers_; }
  /// Where the ranks of this process record their calls.
  FlightFile &flight() { return flight_; }

  /// createAll() or join() is the first call: createAll() makes all ranks of
  /// the job, join() the one that joins it.
  virtual Status createAll(const BackendRequest &request) = 0;
  virtual Status join(const BackendRequest &request) = 0;
  /// Gives the trace its file. To be called if these succeeded: a communicator
  /// that could not be made writes none.
  void nameTrace() { traceFile_ = nextTraceFile(); }
  /// Runs calls of one group, of this job or of others of the same entry, and
  /// sets their results. `calls[0]` is of this job.
  virtual void run(PendingCall *const *calls, size_t numCalls) = 0;
  /// Fails the job and returns when no call of `rank` is under way any more.
  virtual void abort(int rank) = 0;
  /// Fails the job with `why`, unless it has already failed, and returns when
  /// no call of any rank of this process is under way any more.
  virtual void cancel(const Status &why) = 0;
  /// Returns true if `rank`, in whatever process, no longer writes to buffers
  /// that ranks of this process passed to calls. To be called after cancel().
  virtual bool drained(int rank) const = 0;
  /// Returns when all earlier calls of `rank` are done.
  virtual void finish(int rank) = 0;
  /// Returns true if a call of `rank` is not done yet.
  virtual bool inFlight(int rank) const = 0;
  /// Sets `arrived` to whether the message that `call`, which has a program,
  /// receives has begun to arrive. The caller holds the call's queue.
  virtual Status probe(const Call &call, bool &arrived) = 0;
  /// Registers a buffer that other ranks may access directly
  /// (blinkCommRegister). The handle is never 0.
  virtual Status registerBuffer(int rank, void *buffer, size_t bytes,
                                uintptr_t &handle) = 0;
  virtual Status deregisterBuffer(int rank, uintptr_t handle) = 0;
  /// Returns success, or why the job failed.
  virtual Status failure() const = 0;
  /// Like failure(), but also reports that a rank, or the path to it, is lost,
  /// even if no call has noticed it yet.
  virtual Status asyncError() const = 0;
  /// What blinkCommMemory reports for a rank of this process, except for the
  /// size.
  virtual blinkMemoryInfo_t memory(int rank) = 0;

protected:
  explicit Backend(const BackendEntry &entry) : entry_(entry) {}

  Plan plan_;
  Origin origin_;
  Job job_;
  FlightFile flight_;
  const bool traces_ = wantsTraces();
  std::string traceFile_; ///< see nextTraceFile

private:
  const BackendEntry &entry_;
  Handovers handovers_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_BACKEND_H
