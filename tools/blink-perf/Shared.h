//===- Shared.h - what the workers of a run share ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The results and the expected reduction, visible to threads and to forked
// processes.
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

/// Of a case: [0] out of place, [1] in place.
struct Result {
  double seconds[2] = {0, 0};    ///< per iteration
  double cpuSeconds[2] = {0, 0}; ///< over all ranks; 0: not measured
  std::atomic<uint64_t> wrong[2]{};
};

/// The state of a run whose parts are its cases.
class Shared : public SharedState {
public:
  /// Throws std::bad_alloc.
  Shared(int numWorkers, size_t numCases, size_t referenceBytes);

  /// Seconds that the ranks took to join; one of them sets it.
  double &joinSeconds() { return *reinterpret_cast<double *>(room()); }
  Result &result(size_t index) {
    return reinterpret_cast<Result *>(room() + kResultsAt)[index];
  }
  /// Every worker calls this, in order, when it has measured the case `index`.
  /// After that, the result is complete for threads that wait in the process of
  /// the `first` worker. Returns false if the run has failed.
  virtual bool conclude(size_t index, bool first);

  /// Whether each worker writes a part of reference(), or each all of it.
  virtual bool sharesReference() const { return true; }
  /// Returns the processor time of all ranks between the last two barriers with
  /// a `seconds` argument; 0 if it is not measured.
  virtual double cpuSeconds() const { return 0; }

  /// The expected result of reductions in the current check.
  uint8_t *reference() { return room() + referenceAt_; }

private:
  static constexpr size_t kResultsAt = 64; ///< after joinSeconds()

  size_t referenceAt_;
};

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_SHARED_H
