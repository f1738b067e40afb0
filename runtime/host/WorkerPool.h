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

/// Threads of the process that step lanes of large collectives beside the
/// threads that made the calls. There is one fewer than processors. They are
/// started when first needed. Thread-safe.
class WorkerPool {
public:
  /// Returns the process's pool; a forked child has its own. Its threads sleep
  /// while there is nothing to do.
  static WorkerPool &get();

  /// The number of processors that this process may run on.
  int processors() const { return processors_; }

  /// Lets workers step `run` until remove(). Returns false if there is no
  /// memory for that.
  bool submit(RankRun &run);
  /// Returns when no worker is at `run` any more.
  void remove(RankRun &run);

private:
  struct Submission {
    RankRun *run;
    int workers; ///< the number of workers at it
  };

  WorkerPool();
  void start();
  void main();
  bool stepSubmissions(std::unique_lock<std::mutex> &lock);
  void spin();

  int processors_;
  /// Generation of the process that made the pool.
  const uint64_t generation_ = forkGeneration();
  int threads_ = 0;
  std::mutex mutex_;
  std::condition_variable submitted_, left_;
  std::vector<Submission> submissions_;
  /// The number of submissions so far. A hint for workers that spin, so it
  /// needs no order.
  std::atomic<uint64_t> numSubmitted_{0};
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_WORKERPOOL_H
