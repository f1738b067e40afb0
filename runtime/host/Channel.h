//===- Channel.h - rings in shared memory -----------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_HOST_CHANNEL_H
#define BLINK_RUNTIME_HOST_CHANNEL_H

#include <atomic>
#include <cstdint>

namespace blink::runtime {

/// The news of a channel: how many chunks one lane has written into its ring
/// and how many another has read out of it, since the communicator began. The
/// counters never go back; chunk number k lies in slot k % slots. Each counter
/// has one writer and a cache line of its own.
///
/// Order: a lane stores its counter after touching the slot's bytes, the lane
/// at the other end loads it before touching them; release and acquire are what
/// that needs. The accesses are sequentially consistent because of sleeping: a
/// lane that stored a counter looks whether the other lane sleeps, a lane that
/// said it sleeps looks at the counter again, and neither may miss the other.
class Channel {
public:
  uint64_t written() const { return written_.load(std::memory_order_seq_cst); }
  uint64_t read() const { return read_.load(std::memory_order_seq_cst); }

  /// The next chunk is in its slot. Only the writing lane calls this.
  void publish() {
    written_.store(written_.load(std::memory_order_relaxed) + 1,
                   std::memory_order_seq_cst);
  }
  /// The oldest chunk's slot is free. Only the reading lane calls this.
  void release() {
    read_.store(read_.load(std::memory_order_relaxed) + 1,
                std::memory_order_seq_cst);
  }

private:
  alignas(64) std::atomic<uint64_t> written_{0};
  alignas(64) std::atomic<uint64_t> read_{0};
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_CHANNEL_H
