//===- Machine.h - the host back end of one job -----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Threads as lanes, rings in shared memory, and the table at which the ranks'
// calls meet.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_HOST_MACHINE_H
#define BLINK_RUNTIME_HOST_MACHINE_H

#include "runtime/host/LaneStepper.h"
#include "runtime/host/Parker.h"

#include <cstdlib>
#include <deque>
#include <memory>
#include <thread>

namespace blink::runtime {

/// One rank's call of a collective. Belongs to the caller, who keeps it until
/// Machine::wait has returned.
struct Call {
  int rank = 0;
  sched::Collective collective = sched::Collective::allreduce;
  int root = 0;       ///< 0 where the collective has none
  uint64_t count = 0; ///< elements of a block
  blinkDataType_t type = blinkInt8;
  blinkRedOp_t op = blinkSum; ///< blinkSum where nothing is reduced
  const void *send = nullptr;
  void *recv = nullptr;
  const ProgramPlan *program = nullptr;

  // The machine's, under its mutex.
  Status status;
  bool launched = false;
  bool done = false;
  Parker::Clock::time_point since; ///< when it became its rank's next

  bool matches(const Call &other) const;
  std::string describe() const; ///< "allreduce of 5 float32 with sum"
};

/// What all communicators of a job share. A collective begins when every rank's
/// next call is there and they agree; it runs on the lanes' threads; a rank's
/// call is done when the rank's lanes are. All waits are bounded: when one
/// takes too long, or a rank aborts, the machine has failed for good, every
/// call ends with the same error, and only destroying it is left.
///
/// Thread-safe. The destructor needs all calls done.
class Machine {
public:
  /// Errors: no program for so many ranks; memory or threads run out.
  static Status create(const ScheduleSet &files, int numRanks,
                       std::chrono::milliseconds timeout,
                       std::shared_ptr<Machine> &machine);
  ~Machine();

  const Plan &plan() const { return plan_; }

  /// Queues a call behind the rank's earlier ones. Never waits for other ranks;
  /// errors are wait()'s.
  void submit(Call &call);
  /// Waits until `call` is done.
  Status wait(Call &call);

  /// Fails the machine and returns when no call of `rank` is left.
  void abort(int rank);
  /// `rank` will not call again: calls that would need it fail.
  void leave(int rank);

  /// Whether a call of `rank` is not done yet.
  bool busy(int rank) const;

  /// Success, or why the machine failed.
  Status failure() const;

  /// The sentence of the last error of `rank`. Kept here because abort() may
  /// free the communicator as soon as wait() lets go of the mutex.
  std::string lastError(int rank) const;
  void setLastError(int rank, const std::string &text);

private:
  struct Lane {
    uint32_t rank = 0;
    uint32_t index = 0; ///< within the rank
    Parker parker;
    std::atomic<uint64_t> launches{0}; ///< that it has been told to run
    LaneStepper stepper;
    std::thread thread;
  };
  struct Rank {
    std::deque<Call *> calls; ///< the first is running or next
    std::condition_variable changed;
    std::atomic<uint32_t> lanesRunning{0};
    int waiters = 0; ///< calls whose wait() has not returned
    std::string lastError;
    bool gone = false;
  };

  Machine() = default;
  Status start();
  void laneMain(Lane &lane);
  void runLane(Lane &lane);
  bool waitFor(Lane &lane, const LaneStepper::Need &need);
  void failLane(const Lane &lane, const LaneStepper::Need &need);
  Status stuck(const Lane &lane, const LaneStepper::Need &need) const;

  // With mutex_ held:
  void launchWhatIsReady();
  void launch();
  void rankDone(int rank);
  void finish(Call &call, const Status &status);
  void dropCalls(const Status &status);
  void fail(Status status);
  Status missingRank() const;
  Status timedOut(const Call &call) const;

  Plan plan_;
  std::chrono::milliseconds timeout_{0};
  std::unique_ptr<char, void (*)(void *)> pool_{nullptr, std::free};
  std::vector<Channel> channels_;
  std::deque<Lane> lanes_; ///< by rank, then index
  Launch launch_;
  std::vector<Lane *> toRun_; ///< in launch_; a member so as not to allocate

  mutable std::mutex mutex_;
  std::deque<Rank> ranks_;
  Status failure_;
  /// The abort word: set with failure_, looked at by lanes at every wait.
  std::atomic<bool> failed_{false};
  std::atomic<bool> stopping_{false};
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_MACHINE_H
