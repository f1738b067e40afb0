//===- HostBackend.h - the host back end of one job -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Ranks of a job on this machine's processors: all of them in this process, or
// some of them here and the others in other processes.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_HOST_HOSTBACKEND_H
#define BLINK_RUNTIME_HOST_HOSTBACKEND_H

#include "runtime/Backend.h"
#include "runtime/Trace.h"
#include "runtime/flight/HangReport.h"
#include "runtime/host/OtherMemory.h"
#include "runtime/host/RankRun.h"
#include "runtime/host/SharedProcessor.h"

#include <deque>

namespace blink::runtime {

extern const BackendEntry kHostBackend;

class HostBackend final : public Backend {
public:
  HostBackend() : Backend(kHostBackend) {}
  /// Writes the trace, if there is one.
  ~HostBackend() override;

  /// request.gpus[r] is the number that rank r's GPU has in the machine of a
  /// bundle (empty: r). Errors: no program for these ranks; memory. Those of
  /// join() also: the others have not joined in time, or have opened other
  /// files.
  Status createAll(const BackendRequest &request) override;
  Status join(const BackendRequest &request) override;

  void run(PendingCall *const *calls, size_t numCalls) override;
  void abort(int rank) override;
  void cancel(const Status &why) override;
  /// Always: nobody writes to another rank's buffers here.
  bool drained(int) const override { return true; }
  Status probe(const Call &call, bool &arrived) override;
  Status registerBuffer(int self, void *buffer, size_t bytes,
                        uintptr_t &handle) override;
  Status deregisterBuffer(int self, uintptr_t handle) override;
  void finish(int rank) override;
  bool inFlight(int rank) const override;
  Status failure() const override { return job_.failure(); }
  Status asyncError() const override;
  blinkMemoryInfo_t memory(int rank) override;

  // For the progress loop (ProgressLoop.cpp).

  /// Ranks that share this machine's processors.
  int numNear() const { return rings_.numNear; }

  /// Starts a call that has a program. The call is in flight until end().
  /// `together`: as of chooseVariant. Errors: the job has failed, or a rank is
  /// gone.
  Status begin(const Call &call, bool together);
  RankRun &runOf(const Call &call) const;
  FlightRecorder &recorderOf(const Call &call) { return flight_.of(call.rank); }
  /// Ends it, and returns its result: if the job failed, when no other rank of
  /// this process touches its buffers any more.
  Status end(const Call &call);
  /// Fails the job if a rank that `call` needs has been destroyed, its process
  /// has died, or the way to it is broken, and says what the call waits for.
  /// True if it waits for nothing this moment, so that it may go on until it
  /// does; if it has been so before and has not (`again`), the job fails all
  /// the same.
  bool checkRanks(const Call &call, bool again);
  /// See SharedProcessor.
  bool leaveSharedProcessor(int rank) {
    return ranks_[rank].processor.leave(rings_.segment, rank, plan_.numRanks);
  }
  bool sharesProcessor(int rank) const {
    return ranks_[rank].processor.found();
  }
  /// Carriers::await.
  Awaited awaitTransports(int rank, std::chrono::nanoseconds most) {
    return rings_.remote.carriers.await(rank, most);
  }
  /// Fails the job because `call` has waited too long.
  void failStuck(const Call &call);
  HangReport takePicture() const;

private:
  /// On lines of its own: ranks of other threads have calls at the same time.
  struct alignas(64) Rank {
    std::unique_ptr<RankRun> run; ///< null: in another process
    /// Of messages, by Call::queue() - 1; null until the first one. Stored with
    /// release by the thread that has the queue; loaded with acquire by others,
    /// which then see what it points to.
    std::vector<std::atomic<RankRun *>> messages;
    std::atomic<int> inFlight{0}; ///< calls
    ~Rank();
    SharedProcessor processor;
  };

  Status makePlan(const BackendRequest &request);
  Status makeRank(int rank);
  ZeroCopy chooseZeroCopy() const;
  bool isCrowded() const;
  void waitUntilQuiet() const;
  void probeOthers(int rank);
  Status missingRank(const Call &call, int &missing);
  std::string describe(const Call &call, const Need &need) const;

  HostRings rings_;
  MemoryProbe probe_;
  std::deque<Rank> ranks_;
  std::string traceFile_ = nextTraceFile();
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_HOSTBACKEND_H
