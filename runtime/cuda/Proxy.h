//===- Proxy.h - the other end of carried rings -----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A thread that posts what lanes have written to carried rings, and gives
// credit for what they have read (CarriedRings.h). It learns from the stream
// how many chunks a call has and how large they are: a host function precedes
// each kernel, so this also works when a graph is launched again.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_PROXY_H
#define BLINK_RUNTIME_CUDA_PROXY_H

#include "runtime/cuda/CarriedRings.h"
#include "runtime/plan/Call.h"

#include <condition_variable>
#include <cuda_runtime_api.h>
#include <thread>

namespace blink::runtime {

class Proxy {
public:
  /// Finds out which chunks the calls of ranks that are `here` have. `plan` and
  /// `rings` must outlive this object.
  void prepare(const Plan &plan, CarriedRings &rings,
               const std::vector<bool> &here);
  /// Starts the thread, once the rings are joined. `fail` fails the job;
  /// `failure` returns why it has failed, also if lanes report it. Errors: the
  /// thread cannot be started.
  Status start(const Job &job, std::function<void(const Status &)> fail,
               std::function<Status()> failure);
  /// Ends the thread, once all that lanes have written is on its way, or the
  /// job has failed, or `limit` is over. No kernel may run any more, and no
  /// function of announce() may be left to run.
  void finish(std::chrono::milliseconds limit);

  /// Adds to `chunks` those of a call in carried rings.
  void addChunks(const Call &call, const VariantPlan &variant,
                 const CallShape &shape, std::vector<CarriedChunks> &chunks);
  /// Puts a host function into `stream` that announces `chunks` to the proxy;
  /// the kernel follows it. `captured`: it runs whenever its graph does.
  /// Errors: CUDA's.
  Status announce(cudaStream_t stream, bool captured,
                  std::vector<CarriedChunks> chunks);

private:
  /// The argument of a host function.
  struct Announcement {
    Proxy *proxy = nullptr;
    std::vector<CarriedChunks> chunks;
    bool captured = false; ///< it may be announced any number of times
  };
  /// The end of a carried ring that a step of a variant uses.
  struct Part {
    uint32_t ring;
    bool writes;
    int peer; ///< the rank at the other end
    TreeShare share;
    uint32_t slots, slotBytes;
    ChannelPace pace;
    bool partial; ///< see VariantPlan::partial
  };

  static void CUDART_CB hear(void *announcement);
  void hear(Announcement &announcement);
  void run();
  bool takeAnnounced();
  bool mayGoOn(bool sleeping);
  bool isDone();

  CarriedRings *rings_ = nullptr;
  const Job *job_ = nullptr;
  std::vector<int> ranks_; ///< those here
  /// Indexed by the rank and the variant's number.
  std::map<std::pair<int, uint32_t>, std::vector<Part>> parts_;
  std::function<void(const Status &)> fail_;
  std::function<Status()> failure_;

  std::mutex mutex_; ///< guards what follows, up to `deadline_`
  std::condition_variable wake_;
  std::deque<Announcement> announcements_; ///< as many as were ever under way
  /// Those in `announcements_` that are free.
  std::vector<Announcement *> unused_;
  /// Chunks that the thread has not taken yet.
  std::vector<CarriedChunks> announced_;
  bool stopping_ = false, outOfMemory_ = false;
  std::chrono::steady_clock::time_point deadline_; ///< set once `stopping_` is

  std::vector<CarriedChunks> taken_; ///< used by the thread only
  std::thread thread_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_PROXY_H
