//===- BoardMemory.h - the shared state of windows --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Plain structs in the memory of a job of several processes, zero at first.
// They are for job/WindowBoard.h, which describes the order in which they are
// written and read.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_BOARDMEMORY_H
#define BLINK_RUNTIME_JOB_BOARDMEMORY_H

#include "runtime/job/Arena.h"

#include <cstdint>

namespace blink::runtime {

/// The most windows that one rank can have at a time.
inline constexpr uint32_t kMaxWindows = 1024;

/// One rank's side of the board. It has a cache line of its own because every
/// call polls the bell until it has rung.
struct alignas(64) BoardRecord {
  uint64_t changes; ///< number of changes that the rank has made to its windows
  uint64_t numbers; ///< of the rank's windows: those from here on were never
                    ///< used
  uint32_t bell;    ///< how often others announced changes to the rank; a futex
};

/// The state of one window number, which windows of a rank can use one after
/// another.
struct WindowState {
  uint64_t generation; ///< odd: a window is offered
  uint64_t refused;    ///< the last generation that a reader could not open
};

/// Locates these structs in the job's memory. Copies refer to the same memory.
class BoardMemory {
public:
  /// Takes the parts from `arena`, in the same order in every process.
  void layout(Arena &arena, int numRanks) {
    numRanks_ = size_t(numRanks);
    records_ = arena.take<BoardRecord>(numRanks_);
    seen_ = arena.take<uint64_t>(numRanks_ * numRanks_);
    windows_ = arena.take<WindowState>(numRanks_ * kMaxWindows);
  }

  BoardRecord &record(int rank) const { return records_[rank]; }
  WindowState &window(int rank, uint32_t number) const {
    return windows_[size_t(rank) * kMaxWindows + number];
  }
  /// The number of changes of `owner` that `reader` has looked at, plus one. 0:
  /// the reader has not begun to look; kLeft: it will never look again.
  uint64_t &seen(int reader, int owner) const {
    return seen_[size_t(reader) * numRanks_ + size_t(owner)];
  }
  static constexpr uint64_t kLeft = ~uint64_t(0);

private:
  size_t numRanks_ = 0;
  BoardRecord *records_ = nullptr;
  uint64_t *seen_ = nullptr;
  WindowState *windows_ = nullptr;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_BOARDMEMORY_H
