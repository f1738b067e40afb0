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
  /// bundle; r if the list is empty. Errors: no program for these ranks;
  /// memory. Further errors of join(): the others have not joined in time, or
  /// have opened other files.
  Status createAll(const BackendRequest &request) override;
  Status join(const BackendRequest &request) override;

  void run(PendingCall *const *calls, size_t numCalls) override;
  void abort(int rank) override;
  void cancel(const Status &why) override;
  /// Always true: on the host no rank writes to another rank's buffers.
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

  /// The number of ranks that share this machine's processors.
  int numNear() const { return rings_.numNear; }

  /// Starts a call that has a program. The call is in flight until end().
  /// `together`: see chooseVariant. Errors: the job has failed, or a rank is
  /// gone.
  Status begin(const Call &call, bool together);
  RankRun &runOf(const Call &call) const;
  FlightRecorder &recorderOf(const Call &call) { return flight_.of(call.rank); }
  /// Ends a call and returns its result. If the job failed, returns only when
  /// no other rank of this process touches the call's buffers any more.
  Status end(const Call &call);
  /// Fails the job if a rank that `call` needs has been destroyed, if its
  /// process has died, or if the way to it is broken; the error says what the
  /// call waits for. Returns true without failing the job if the call waits for
  /// nothing at the moment, so that it may go on. If that was so before and
  /// nothing has moved since (`again`), it fails the job nevertheless, unless
  /// chunks may still be on their way.
  bool checkRanks(const Call &call, bool again);
  /// See SharedProcessor.
  bool leaveSharedProcessor(int rank) {
    return ranks_[rank].processor.leave(rings_.segment, rank, plan_.numRanks);
  }
  bool sharesProcessor(int rank) const {
    return ranks_[rank].processor.found();
  }
  /// See Carriers::await.
  Awaited awaitTransports(int rank, std::chrono::nanoseconds most) {
    return rings_.remote.carriers.await(rank, most);
  }
  /// Fails the job because `call` has waited too long.
  void failStuck(const Call &call);
  HangReport takePicture() const;

private:
  /// On cache lines of its own, because ranks of other threads have calls at
  /// the same time.
  struct alignas(64) Rank {
    std::unique_ptr<RankRun> run; ///< null: the rank is in another process
    /// Runs of messages, by Call::queue() - 1; null until the first message.
    /// Stored with release by the thread that has the queue, and loaded with
    /// acquire by other threads, which then see what it points to.
    std::vector<std::atomic<RankRun *>> messages;
    std::atomic<int> inFlight{0}; ///< number of calls
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
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_HOSTBACKEND_H
