//===- LaneCursor.h - one lane's way through a collective -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Which fold is next: for chunk = 0, 1, 2, ... every step of the lane once, in
// order, passing over steps whose tree has no chunk of that number. The order
// that schedule.fbs states, for host and device alike.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CORE_LANECURSOR_H
#define BLINK_RUNTIME_CORE_LANECURSOR_H

#include "runtime/core/HostDevice.h"

#include <cstdint>

namespace blink::runtime {

/// A place in a lane. `chunksOf(step)` gives the number of chunks of the tree
/// of the lane's step number `step`; it is the same function on every call.
class LaneCursor {
public:
  /// Goes to the first fold of a lane of `numSteps` steps.
  template <typename ChunksOf>
  BLINK_HOST_DEVICE void start(uint32_t numSteps, const ChunksOf &chunksOf) {
    numSteps_ = numSteps;
    step_ = 0;
    chunk_ = 0;
    endChunk_ = 0;
    BLINK_ROLLED
    for (uint32_t s = 0; s < numSteps; ++s) {
      const uint64_t chunks = chunksOf(s);
      endChunk_ = chunks > endChunk_ ? chunks : endChunk_;
    }
    skipEmpty(chunksOf);
  }

  BLINK_HOST_DEVICE bool done() const { return chunk_ == endChunk_; }
  BLINK_HOST_DEVICE uint32_t step() const { return step_; }
  BLINK_HOST_DEVICE uint64_t chunk() const { return chunk_; }

  template <typename ChunksOf>
  BLINK_HOST_DEVICE void next(const ChunksOf &chunksOf) {
    advance();
    skipEmpty(chunksOf);
  }

private:
  BLINK_HOST_DEVICE void advance() {
    if (++step_ == numSteps_) {
      step_ = 0;
      ++chunk_;
    }
  }
  template <typename ChunksOf>
  BLINK_HOST_DEVICE void skipEmpty(const ChunksOf &chunksOf) {
    // Ends: some tree of the lane has every chunk below endChunk_.
    while (!done() && chunksOf(step_) <= chunk_)
      advance();
  }

  uint32_t numSteps_ = 0;
  uint32_t step_ = 0;
  uint64_t chunk_ = 0;
  uint64_t endChunk_ = 0;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CORE_LANECURSOR_H
