//===- Shared.h - what the workers of a run share ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// One piece of memory that threads and forked processes see alike: a barrier
// that tells when the last one came, the results, the expected reduction, and
// the first failure. Nobody waits for a worker that is gone: a failure ends all
// waits.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKPERF_SHARED_H
#define BLINK_TOOLS_BLINKPERF_SHARED_H

#include "runtime/blink.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>

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

class Shared {
public:
  /// Throws std::bad_alloc.
  Shared(int numWorkers, size_t numCases, size_t referenceBytes);
  virtual ~Shared();
  Shared(const Shared &) = delete;

  /// Waits for all workers. `seconds`: when the last one came, of some clock.
  /// False: the run has failed.
  virtual bool barrier(double *seconds = nullptr);

  Result &result(size_t index) { return results_[index]; }
  /// What every worker calls when it has measured the case `index`, in order.
  /// Then its result is whole, for who waits in the process of the `first`.
  /// False: the run has failed.
  virtual bool conclude(size_t index, bool first);
  /// Waits until it is, calling `poll` now and then. False: the run has failed.
  bool waitFor(size_t index, const std::function<void()> &poll);

  /// The first failure is kept. Thread-safe.
  void fail(const std::string &sentence);
  bool failed() const { return head_->failed.load() == 2; }
  std::string failure() const { return failed() ? head_->failure : ""; }

  /// The job's id, from the one process that made it to the others.
  void putId(const blinkUniqueId &id);
  bool getId(blinkUniqueId &id); ///< waits; false: the run has failed

  /// Whether workers write a part each of reference(), or each all of it.
  virtual bool sharesReference() const { return true; }
  /// Processor time of all ranks between the last two barriers that told when;
  /// 0 where that is not measured.
  virtual double cpuSeconds() const { return 0; }

  /// What reductions must give, of the current check.
  uint8_t *reference() { return reference_; }

protected:
  void finish(size_t index);

private:
  struct Head {
    std::atomic<uint32_t> arrived, generation; ///< of the barrier
    std::atomic<double> lastArrival;
    std::atomic<uint32_t> finished; ///< cases
    std::atomic<uint32_t> hasId;
    std::atomic<uint32_t> failed; ///< 1: being written, 2: yes
    blinkUniqueId id;
    char failure[1024];
  };
  bool waitWhile(std::atomic<uint32_t> &word, uint32_t value,
                 const std::function<void()> &poll = {});

  int numWorkers_;
  size_t size_;
  Head *head_;
  Result *results_;
  uint8_t *reference_;
};

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_SHARED_H
