//===- SharedBlocks.h - memory that other processes can map -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What blinkMemAlloc gives. On the host each block is a file without a name, so
// that another process can have the same pages at an address of its own; what
// GPUs have comes from their back end.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_SHAREDBLOCKS_H
#define BLINK_RUNTIME_JOB_SHAREDBLOCKS_H

#include "runtime/Status.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace blink::runtime {

/// Where some memory of this process is for others.
struct SharedPlace {
  int file = -1;       ///< the descriptor, in this process
  uint64_t offset = 0; ///< in the file
  uint64_t device = 0; ///< this and `inode` tell the file from all others
  uint64_t inode = 0;
};

/// A block of at least `bytes`, zero, aligned to a page. Thread-safe, as all of
/// these. Errors: system error if memory or file descriptors run out.
Status allocateBlock(size_t bytes, void *&memory);

/// Makes memory of another kind a block, which has no file.
void adoptBlock(std::shared_ptr<char> memory, size_t bytes);

/// Errors: invalid argument if `memory` is no block's begin; invalid usage if
/// some of it is in use.
Status freeBlock(void *memory);

/// If all `bytes` from `memory` are in one block, keeps it from being freed
/// until releaseBlock(memory) and gives their place.
bool useBlock(const void *memory, uint64_t bytes, SharedPlace &place);
void releaseBlock(const void *memory);

/// The same as a scope. Of memory that is in no block, nothing.
class BlockUse {
public:
  BlockUse() = default;
  BlockUse(const void *memory, uint64_t bytes) {
    SharedPlace place;
    if (useBlock(memory, bytes, place))
      memory_ = memory;
  }
  BlockUse(BlockUse &&other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)) {}
  BlockUse &operator=(BlockUse &&other) noexcept {
    std::swap(memory_, other.memory_);
    return *this;
  }
  ~BlockUse() {
    if (memory_)
      releaseBlock(memory_);
  }

private:
  const void *memory_ = nullptr;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_SHAREDBLOCKS_H
