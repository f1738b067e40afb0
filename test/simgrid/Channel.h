//===- Channel.h - a channel of a schedule on SimGrid -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What carries a channel's chunks, and the news of free slots back.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_SIMGRID_CHANNEL_H
#define BLINK_TEST_SIMGRID_CHANNEL_H

#include <simgrid/kernel/resource/Model.hpp>
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <utility>

namespace blink::test {

namespace s4u = simgrid::s4u;
namespace kernel = simgrid::kernel;

/// Events that arrive a fixed latency after they were announced.
class Delayed {
public:
  Delayed(double latency, std::function<void()> arrive)
      : latency_(latency), arrive_(std::move(arrive)) {}

  void say() {
    times_.push_back(s4u::Engine::get_clock() + latency_);
    said_->release();
  }
  /// Run by an actor; never returns.
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

/// A tree in one call. A chunk is sent in waves, of which the last one may be
/// shorter, and so may the last chunk.
struct Tree {
  uint64_t bytes = 0, chunkBytes = 0, chunks = 0, waveBytes = 0;

  uint64_t bytesOf(uint64_t chunk) const {
    return std::min(chunkBytes, bytes - chunk * chunkBytes);
  }
  uint64_t wavesOf(uint64_t chunk) const {
    return (bytesOf(chunk) + waveBytes - 1) / waveBytes;
  }
};

/// Finds the kernel action of a transfer: the one that started last. SimGrid
/// keeps an action beyond its end while there is a reference to it.
class Sharing {
public:
  explicit Sharing(s4u::Engine &engine);
  kernel::resource::Action *last() const {
    return &network_->get_started_action_set()->back();
  }

private:
  kernel::resource::Model *network_ = nullptr;
};

/// A channel of one tree, from one rank to another.
struct Channel {
  s4u::Host *from = nullptr, *to = nullptr;
  const Tree *tree = nullptr;
  s4u::SemaphorePtr posted = s4u::Semaphore::create(0);
  s4u::SemaphorePtr arrived = s4u::Semaphore::create(0);
  s4u::SemaphorePtr free;
  std::unique_ptr<Delayed> news, arrivals;
  // For channels between servers.
  bool isWeighted = false;
  uint64_t window = UINT64_MAX;
  s4u::SemaphorePtr inWindow;
  uint64_t written = 0, sent = 0, known = 0;
  double chunkWeight = 1;
  double weight = 1; ///< of the chunk being sent
  kernel::resource::Action *sending = nullptr;

  /// Run by an actor: sends posted waves one after the other.
  void send(double wireBytes, const Sharing &sharing);
  /// Records that a lane has written a wave.
  void write();
  /// Records that the news of a free slot has arrived.
  void isFree();

private:
  void sendWave(double wireBytes, const Sharing &sharing);
  /// Sets the weight of the chunk being sent to the size of all chunks that
  /// wait in the window.
  void weigh();
};

} // namespace blink::test

#endif // BLINK_TEST_SIMGRID_CHANNEL_H
