//===- BoardMemory.h - what ranks say of their windows ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Plain structs in the memory of a job of several processes, zero at first, for
// job/WindowBoard.h, which has the order in which they are written and read.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_BOARDMEMORY_H
#define BLINK_RUNTIME_JOB_BOARDMEMORY_H

#include "runtime/job/Arena.h"

#include <cstdint>

namespace blink::runtime {

/// Buffers of one rank that others can reach into at a time.
inline constexpr uint32_t kMaxWindows = 1024;

/// A rank's side of the board. In a line of its own: each call looks at the
/// bell, until it has rung.
struct alignas(64) BoardRecord {
  uint64_t changes; ///< that the rank has made to its windows
  uint64_t numbers; ///< of its windows: those from here on were never used
  uint32_t bell;    ///< how often others told it of changes; a futex
};

/// A number that a rank's windows have, one after the other.
struct WindowState {
  uint64_t generation; ///< odd: a window is offered
  uint64_t refused;    ///< the last one that a rank could not open
};

/// Where all that is. A copy is of the same memory.
class BoardMemory {
public:
  /// Takes the parts, alike in every process.
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
  /// How far `reader` has come with the changes of `owner`: their number and
  /// one more. 0: it has not begun to look; kLeft: it never will again.
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
