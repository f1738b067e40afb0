//===- Across.h - workers in processes, perhaps of several servers *- C++ -*-=//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// One rank of a job of which each rank was started as a process of its own.
// They share no memory, so they meet and add up by allreduces of the
// communicator that is measured, as nccl-tests does by MPI; where its schedules
// have none, by blinkCommExchange, which lets them go less at once.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKPERF_ACROSS_H
#define BLINK_TOOLS_BLINKPERF_ACROSS_H

#include "tools/blink-perf/Bench.h"

namespace blink::perf {

/// What is shared is this rank's own, but for what the others must agree about.
class Across : public Shared {
public:
  Across(blinkComm_t comm, size_t numCases, size_t referenceBytes)
      : Shared(1, numCases, referenceBytes), comm_(comm) {}

  /// Seconds are those of a clock that goes from leaving one barrier to coming
  /// to the next, for that rank for which it was longest: the wait between the
  /// two is nobody's time.
  bool barrier(double *seconds = nullptr) override;
  bool conclude(size_t index, bool first) override;
  bool sharesReference() const override { return false; }
  double cpuSeconds() const override { return cpu_; }

private:
  template <typename T> bool exchange(T *values, size_t count, blinkRedOp_t op);
  template <typename T>
  bool combine(T *values, size_t count, blinkDataType_t type, blinkRedOp_t op);

  blinkComm_t comm_;
  bool exchanges_ = false; ///< there is no allreduce
  double left_ = 0;        ///< when this rank left the last barrier
  double clock_ = 0, cpu_ = 0, cpuAtLeaving_ = 0;
};

/// runBench(), or the same for the rank of the options, if they name one;
/// `report` is called on each.
RunEnd runJob(const Options &options, const Plan &plan,
              const std::function<void(size_t index, const Result &)> &report);

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_ACROSS_H
