//===- WorkerPool.h - threads for idle processors ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_HOST_WORKERPOOL_H
#define BLINK_RUNTIME_HOST_WORKERPOOL_H

#include "runtime/Fork.h"
#include "runtime/host/RankRun.h"

#include <condition_variable>
#include <mutex>

namespace blink::runtime {

/// Threads of the process, one fewer than processors, that step lanes of large
/// collectives beside the threads that called them. Started when first needed.
/// Thread-safe.
class WorkerPool {
public:
  /// The process's: a forked child has one of its own. Its threads sleep while
  /// there is nothing to do.
  static WorkerPool &get();

  /// Processors this process may run on.
  int processors() const { return processors_; }

  /// Lets workers step `run` until remove().
  void submit(RankRun &run);
  /// Returns when no worker is at `run`.
  void remove(RankRun &run);

private:
  struct Submission {
    RankRun *run;
    int workers; ///< that are at it
  };

  WorkerPool();
  void start();
  void main();
  bool stepSubmissions(std::unique_lock<std::mutex> &lock);
  void spin();

  int processors_;
  const uint64_t generation_ = forkGeneration(); ///< of its process
  int threads_ = 0;
  std::mutex mutex_;
  std::condition_variable submitted_, left_;
  std::vector<Submission> submissions_;
  /// How many there have been: a hint for workers that spin, no order needed.
  std::atomic<uint64_t> numSubmitted_{0};
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_WORKERPOOL_H
