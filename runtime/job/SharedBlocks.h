//===- SharedBlocks.h - memory that other processes can map -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The memory of blinkMemAlloc. On the host each block is a file without a name,
// so that another process can map the same pages at an address of its own. The
// memory of GPUs comes from their back end.
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

/// How other processes can find some memory of this process.
struct SharedPlace {
  int file = -1;       ///< descriptor in this process
  uint64_t offset = 0; ///< in the file
  uint64_t device = 0; ///< together with `inode`, identifies the file
  uint64_t inode = 0;
};

/// Allocates a block of at least `bytes`, zeroed and aligned to a page.
/// Thread-safe, like all functions here. Errors: system error if memory or file
/// descriptors run out.
Status allocateBlock(size_t bytes, void *&memory);

/// Registers memory of another kind as a block, which has no file.
void adoptBlock(std::shared_ptr<char> memory, size_t bytes);

/// Errors: invalid argument if `memory` is not the beginning of a block;
/// invalid usage if some of it is in use.
Status freeBlock(void *memory);

/// If all `bytes` from `memory` lie in one block, sets `place`, keeps the block
/// from being freed until releaseBlock(memory), and returns true.
bool useBlock(const void *memory, uint64_t bytes, SharedPlace &place);
void releaseBlock(const void *memory);

/// Uses a block for the lifetime of this object. Does nothing for memory that
/// is in no block.
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
