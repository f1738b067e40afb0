//===- Proxy.h - the other end of lanes whose rings are carried -*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A thread that posts what lanes have written to carried rings, and gives
// credit for what they have read (CarriedRings.h). How many chunks a call has,
// and how large they are, it hears from the stream: a function of the host's
// comes right before each kernel, so also when a graph is launched again.
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
  /// Knows which chunks the calls of `here` have. `plan` and `rings` outlive
  /// this.
  void prepare(const Plan &plan, CarriedRings &rings,
               const std::vector<bool> &here);
  /// Starts the thread, once the rings are joined. `fail` fails the job,
  /// `failure` says why it has, if lanes say so, too. Errors: there is no
  /// thread.
  Status start(const Job &job, std::function<void(const Status &)> fail,
               std::function<Status()> failure);
  /// When all that lanes have written is on its way, or the job has failed, or
  /// `limit` is over, ends the thread. No kernel runs any more, and no function
  /// of announce() will.
  void finish(std::chrono::milliseconds limit);

  /// The chunks of a call in rings that are carried, added to `chunks`.
  void addChunks(const Call &call, const VariantPlan &variant,
                 const CallShape &shape, std::vector<CarriedChunks> &chunks);
  /// Tells the proxy of them when `stream` has come so far: the kernel follows.
  /// `captured`: whenever its graph does. Errors: CUDA's.
  Status announce(cudaStream_t stream, bool captured,
                  std::vector<CarriedChunks> chunks);

private:
  /// What a function of the host's is given.
  struct Announcement {
    Proxy *proxy = nullptr;
    std::vector<CarriedChunks> chunks;
    bool captured = false; ///< there is always another time
  };
  /// A step's end of a carried ring, in a variant.
  struct Part {
    uint32_t ring;
    bool writes;
    int peer; ///< the rank at the other end
    TreeShare share;
    uint32_t slots, slotBytes;
    ChannelPace pace;
    bool partial; ///< VariantPlan::partial
  };

  static void CUDART_CB hear(void *announcement);
  void hear(Announcement &announcement);
  void run();
  bool takeAnnounced();
  bool mayGoOn(bool sleeping);
  bool isDone();

  CarriedRings *rings_ = nullptr;
  const Job *job_ = nullptr;
  std::vector<int> ranks_; ///< that are here
  /// By rank and number of the variant.
  std::map<std::pair<int, uint32_t>, std::vector<Part>> parts_;
  std::function<void(const Status &)> fail_;
  std::function<Status()> failure_;

  std::mutex mutex_; ///< of what follows, up to the thread
  std::condition_variable wake_;
  std::deque<Announcement> announcements_; ///< as many as were ever under way
  std::vector<Announcement *> unused_;     ///< of them
  std::vector<CarriedChunks> announced_;   ///< not yet taken
  bool stopping_ = false, outOfMemory_ = false;
  std::chrono::steady_clock::time_point deadline_; ///< when stopping

  std::vector<CarriedChunks> taken_; ///< the thread's
  std::thread thread_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_PROXY_H
