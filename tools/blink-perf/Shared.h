//===- Shared.h - what the workers of a run share ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Threads and forked processes see the results and the expected reduction
// alike.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKPERF_SHARED_H
#define BLINK_TOOLS_BLINKPERF_SHARED_H

#include "tools/ranks/SharedState.h"

namespace blink::perf {

constexpr size_t kPage = 4096;

inline size_t wholePages(size_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

/// Of one case; [0] out of place, [1] in place.
struct Result {
  double seconds[2] = {0, 0};    ///< an iteration
  double cpuSeconds[2] = {0, 0}; ///< of all ranks; 0: not measured
  std::atomic<uint64_t> wrong[2]{};
};

/// A part of the run is a case.
class Shared : public SharedState {
public:
  /// Throws std::bad_alloc.
  Shared(int numWorkers, size_t numCases, size_t referenceBytes);

  /// How long the ranks took to join, by one of them.
  double &joinSeconds() { return *reinterpret_cast<double *>(room()); }
  Result &result(size_t index) {
    return reinterpret_cast<Result *>(room() + kResultsAt)[index];
  }
  /// What every worker calls when it has measured the case `index`, in order.
  /// Then its result is whole, for who waits in the process of the `first`.
  /// False: the run has failed.
  virtual bool conclude(size_t index, bool first);

  /// Whether workers write a part each of reference(), or each all of it.
  virtual bool sharesReference() const { return true; }
  /// Processor time of all ranks between the last two barriers that told when;
  /// 0 where that is not measured.
  virtual double cpuSeconds() const { return 0; }

  /// What reductions must give, of the current check.
  uint8_t *reference() { return room() + referenceAt_; }

private:
  static constexpr size_t kResultsAt = 64; ///< behind joinSeconds()

  size_t referenceAt_;
};

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_SHARED_H
