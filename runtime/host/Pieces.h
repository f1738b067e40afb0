//===- Pieces.h - large folds that several threads do -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A lane runs its folds one by one, and a schedule may have only one lane. So
// the thread that runs a large fold cuts it into pieces, and threads that come
// to the lane meanwhile take some of them.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_HOST_PIECES_H
#define BLINK_RUNTIME_HOST_PIECES_H

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <sched.h>

namespace blink::runtime {

class Pieces {
public:
  /// Runs `work(begin, end)`, which returns 0 or an error number, for parts
  /// that together make up [0, bytes). Returns when all parts are done: 0, or
  /// the error number of one of them. One thread at a time may call it.
  template <typename Work> int run(uint64_t bytes, const Work &work) {
    const uint64_t pieces =
        std::min(std::max<uint64_t>(bytes / kBytes, 1), kCountMask);
    work_ = &work;
    call_ = [](const void *work, uint64_t begin, uint64_t end) {
      return (*static_cast<const Work *>(work))(begin, end);
    };
    bytes_ = bytes;
    // No thread is at pieces of an earlier fold: run() returned only after all
    // of these were done.
    done_.store(0, std::memory_order_relaxed);
    error_.store(0, std::memory_order_relaxed);
    const uint64_t fold =
        (next_.load(std::memory_order_relaxed) >> kFoldShift) + 1;
    // Release: a thread that takes a piece sees what fold it belongs to.
    next_.store(fold << kFoldShift | pieces << kCountBits,
                std::memory_order_release);
    while (help())
      ;
    // Acquire: what other threads wrote is visible. The wait is bounded by one
    // piece, whose thread may have lost its processor.
    while (done_.load(std::memory_order_acquire) != pieces)
      sched_yield();
    return error_.load(std::memory_order_relaxed);
  }

  /// Does one piece of the fold that another thread is running, if there is a
  /// piece that no thread has taken. Returns whether there was. Any number of
  /// threads may call it at once.
  bool help() {
    uint64_t next = next_.load(std::memory_order_relaxed);
    uint64_t piece, pieces;
    do {
      piece = next & kCountMask;
      pieces = next >> kCountBits & kCountMask;
      if (piece >= pieces)
        return false;
      // Acquire: pairs with the release in run(), also through exchanges of
      // other threads. A piece that is taken belongs to the fold in the word:
      // run() does not return, and so does not begin another fold, before the
      // piece is done.
    } while (!next_.compare_exchange_weak(
        next, next + 1, std::memory_order_acquire, std::memory_order_relaxed));
    const uint64_t part = bytes_ / pieces / kAlign * kAlign;
    const int error = call_(work_, piece * part,
                            piece + 1 == pieces ? bytes_ : (piece + 1) * part);
    if (error != 0)
      error_.store(error, std::memory_order_relaxed);
    done_.fetch_add(1, std::memory_order_release);
    return true;
  }

private:
  /// The least bytes of a piece, so that taking one costs next to nothing in
  /// comparison.
  static constexpr uint64_t kBytes = 256 << 10;
  /// Pieces begin at multiples of this: of a cache line, and of every element.
  static constexpr uint64_t kAlign = 64;
  static constexpr unsigned kCountBits = 16;
  static constexpr unsigned kFoldShift = 2 * kCountBits;
  static constexpr uint64_t kCountMask = (uint64_t(1) << kCountBits) - 1;

  // Members of the fold; written before next_.
  const void *work_ = nullptr;
  int (*call_)(const void *work, uint64_t begin, uint64_t end) = nullptr;
  uint64_t bytes_ = 0;
  /// The fold's number, how many pieces it has, and how many are taken. Numbers
  /// repeat after 2^32 folds; no thread takes that long between reading this
  /// word and exchanging it.
  std::atomic<uint64_t> next_{0};
  std::atomic<uint64_t> done_{0};
  std::atomic<int> error_{0};
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_PIECES_H
