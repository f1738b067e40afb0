//===- Across.h - workers in processes, perhaps of several servers *- C++ -*-=//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Drives one rank of a job whose ranks were all started as separate processes.
// The processes share no memory. They therefore use allreduces of the measured
// communicator for barriers and sums, as nccl-tests uses MPI. If the schedules
// have no allreduce they use blinkCommExchange, after which the ranks go on
// less simultaneously.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKPERF_ACROSS_H
#define BLINK_TOOLS_BLINKPERF_ACROSS_H

#include "tools/blink-perf/Bench.h"

namespace blink::perf {

/// Its memory is this rank's own; only what all ranks must agree on is
/// exchanged.
class Across : public Shared {
public:
  Across(blinkComm_t comm, size_t numCases, size_t referenceBytes)
      : Shared(1, numCases, referenceBytes), comm_(comm) {}

  /// Seconds are of a clock that runs from leaving one barrier to arriving at
  /// the next, on the rank for which that took longest: it leaves out the wait
  /// in the barrier.
  bool barrier(double *seconds = nullptr) override;
  bool conclude(size_t index, bool first) override;
  bool sharesReference() const override { return false; }
  double cpuSeconds() const override { return cpu_; }

private:
  template <typename T> bool exchange(T *values, size_t count, blinkRedOp_t op);
  template <typename T>
  bool combine(T *values, size_t count, blinkDataType_t type, blinkRedOp_t op);

  blinkComm_t comm_;
  bool exchanges_ = false; ///< the schedules have no allreduce
  double left_ = 0;        ///< when this rank left the latest barrier
  double clock_ = 0, cpu_ = 0, cpuAtLeaving_ = 0;
};

/// Calls runBench(), or drives the rank that the options name, if they name
/// one. `report` is called on each rank.
RunEnd runJob(const Options &options, const Plan &plan,
              const std::function<void(size_t index, const Result &)> &report);

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_ACROSS_H
