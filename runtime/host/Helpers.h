//===- Helpers.h - idle processors that lend a hand -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_HOST_HELPERS_H
#define BLINK_RUNTIME_HOST_HELPERS_H

#include "runtime/host/RankRun.h"

#include <condition_variable>
#include <mutex>
#include <sys/types.h>

namespace blink::runtime {

/// Threads of the process, one fewer than processors, that step lanes of large
/// collectives beside the threads that called them. Started when first needed.
/// Thread-safe.
class Helpers {
public:
  /// The process's. Its threads sleep while there is nothing to do.
  static Helpers &get();

  /// Processors this process may run on.
  int processors() const { return processors_; }

  /// Lets helpers step `run` until withdraw().
  void offer(RankRun &run);
  /// Returns when no helper is at `run`.
  void withdraw(RankRun &run);

private:
  struct Offer {
    RankRun *run;
    int helpers; ///< that are at it
  };

  Helpers();
  void start();
  void main();
  bool stepOffers(std::unique_lock<std::mutex> &lock);
  void linger();

  int processors_;
  pid_t process_ = 0; ///< that has started threads
  int threads_ = 0;   ///< of it
  std::mutex mutex_;
  std::condition_variable offered_, left_;
  std::vector<Offer> offers_;
  /// How many there have been: a hint for who lingers, no order needed.
  std::atomic<uint64_t> numOffers_{0};
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_HELPERS_H
