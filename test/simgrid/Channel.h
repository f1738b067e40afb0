//===- Channel.h - a channel of a schedule on SimGrid -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What carries the chunks of a channel, and news of free slots back.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_SIMGRID_CHANNEL_H
#define BLINK_TEST_SIMGRID_CHANNEL_H

#include <simgrid/kernel/resource/Model.hpp>
#include <simgrid/s4u.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <utility>

namespace blink::test {

namespace s4u = simgrid::s4u;
namespace kernel = simgrid::kernel;

/// What happens a while after it was said.
class Delayed {
public:
  Delayed(double latency, std::function<void()> arrive)
      : latency_(latency), arrive_(std::move(arrive)) {}

  void say() {
    times_.push_back(s4u::Engine::get_clock() + latency_);
    said_->release();
  }
  /// Of an actor: runs for good.
  void carry() {
    while (true) {
      said_->acquire();
      s4u::this_actor::sleep_until(times_.front());
      times_.pop_front();
      arrive_();
    }
  }

private:
  const double latency_;
  const std::function<void()> arrive_;
  const s4u::SemaphorePtr said_ = s4u::Semaphore::create(0);
  std::deque<double> times_;
};

/// Of one call.
struct Tree {
  uint64_t bytes = 0, chunkBytes = 0, chunks = 0;
};

/// What shares links: an action of SimGrid's kernel, of which it has the last
/// that began. Kept beyond its end as long as there is a reference.
class Sharing {
public:
  explicit Sharing(s4u::Engine &engine);
  kernel::resource::Action *last() const {
    return &network_->get_started_action_set()->back();
  }

private:
  kernel::resource::Model *network_ = nullptr;
};

/// From a rank to another, of one tree.
struct Channel {
  s4u::Host *from = nullptr, *to = nullptr;
  const Tree *tree = nullptr;
  s4u::SemaphorePtr posted = s4u::Semaphore::create(0);
  s4u::SemaphorePtr arrived = s4u::Semaphore::create(0);
  s4u::SemaphorePtr free;
  std::unique_ptr<Delayed> news, arrivals;
  // Between servers.
  bool isWeighted = false;
  uint64_t window = UINT64_MAX;
  s4u::SemaphorePtr inWindow;
  uint64_t written = 0, sent = 0, known = 0;
  double chunkWeight = 1;
  double weight = 1; ///< of what is sent
  kernel::resource::Action *sending = nullptr;

  /// Of an actor: sends what is posted, chunk after chunk.
  void send(double wireBytes, const Sharing &sharing);
  /// A lane has written a chunk.
  void write();
  /// The news of a free slot has come.
  void isFree();

private:
  /// Of the chunk that is sent now: by how many there are.
  void weigh();
};

} // namespace blink::test

#endif // BLINK_TEST_SIMGRID_CHANNEL_H
