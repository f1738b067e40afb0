//===- CudaMachine.h - the CUDA back end of one job -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The host side: memory of rings and programs on each device, and one launch a
// collective. Nothing is planned or allocated in a call.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_CUDAMACHINE_H
#define BLINK_RUNTIME_CUDA_CUDAMACHINE_H

#include "runtime/Machine.h"
#include "runtime/cuda/DeviceMemory.h"
#include "runtime/cuda/Launch.h"

#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>

namespace blink::runtime {

class CudaMachine final : public Machine {
public:
  /// All ranks, in this process, rank r on device devices[r] (null: device r).
  /// Several ranks may be on one device. Errors: no program for so many ranks;
  /// a device that is not there; two devices that cannot reach each other's
  /// memory, though the schedule has a channel between them; more lanes than a
  /// device can run at the same time; memory.
  static Status createAll(const ScheduleSet &files, int numRanks,
                          const int *devices, std::chrono::milliseconds timeout,
                          std::shared_ptr<CudaMachine> &machine);
  ~CudaMachine() override;

  /// Launches calls, all of this machine, in their order: ranks of one device
  /// that are at the same collective in one kernel. Returns when they are in
  /// their streams. Errors: the job has failed, or a launch does; the calls
  /// differ (nothing is launched).
  Status launch(Call *const *calls, size_t numCalls);

  void abort(int rank) override;
  void leave(int rank) override;
  bool busy(int) const override { return false; } // a launch waits for nobody
  Status failure() const override;

private:
  struct Rank {
    int device = 0;
    DeviceMemory control; ///< ring ends, freed, invited, the abort word
    DeviceMemory pool;    ///< slots and tags of rings that end here
    DeviceMemory code;    ///< programs of all variants
    HostMemory reports;   ///< of its lanes
    std::vector<DeviceProgram *> programs; ///< of each variant, in `code`
    uint64_t *abortHere = nullptr;
    cudaStream_t stream = nullptr; ///< of the last launch
    Event launched;                ///< after the last launch
    bool everLaunched = false;
    bool gone = false;
  };

  /// Where the parts of a ring are, as addresses in this process.
  struct RingPlace {
    char *slots = nullptr;
    char *lines = nullptr;
    uint64_t *full = nullptr;
    uint64_t *freed = nullptr;
    uint64_t *invited = nullptr;
    DeviceRingEnd *writer = nullptr;
    DeviceRingEnd *reader = nullptr;
  };

  CudaMachine() : Machine(blinkBackendCuda) {}
  Status checkDevices(int numRanks, const int *devices);
  Status checkPeers();
  Status checkResidency();
  Status allocate();
  Status copyPrograms();
  Status launchRound(const std::vector<Call *> &round);
  Status launchOnDevice(int device, const std::vector<Call *> &calls);
  Status orderStreams(const std::vector<Call *> &calls, cudaStream_t main,
                      bool after);

  std::chrono::milliseconds timeout_{0};
  std::deque<Rank> ranks_;
  std::vector<RingPlace> rings_;
  HostMemory job_;   ///< the abort word, and rings through the host
  std::mutex mutex_; ///< launches follow each other
  mutable std::mutex failureMutex_;
  mutable Status failure_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_CUDAMACHINE_H
