//===- SharedBlocks.cpp - memory that other processes can map -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/SharedBlocks.h"

#include "runtime/Fork.h"
#include "runtime/Mapping.h"
#include "runtime/job/Descriptor.h"

#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>

namespace blink::runtime {
namespace {

struct Block {
  uint64_t bytes = 0;
  std::shared_ptr<char> memory;
  Descriptor file; ///< empty if the memory is of another kind
  uint64_t device = 0, inode = 0;
  unsigned uses = 0;
};

/// All blocks of the process, by address.
struct Blocks {
  ForkSafeMutex mutex;
  std::map<uintptr_t, Block> byAddress;

  static Blocks &get() {
    // Never destroyed: threads may call blinkMemFree while the process exits.
    static Blocks &blocks = *new Blocks;
    return blocks;
  }

  /// Returns the block that contains the byte at `address`, or end().
  auto find(uintptr_t address) {
    auto next = byAddress.upper_bound(address);
    if (next == byAddress.begin())
      return byAddress.end();
    auto block = std::prev(next);
    return address - block->first < block->second.bytes ? block
                                                        : byAddress.end();
  }
};

uintptr_t addressOf(const void *memory) {
  return reinterpret_cast<uintptr_t>(memory);
}

void add(Block block) {
  Blocks &blocks = Blocks::get();
  std::lock_guard<std::mutex> lock(blocks.mutex);
  blocks.byAddress[addressOf(block.memory.get())] = std::move(block);
}

Status noMemory(size_t bytes, int error) {
  return Status(blinkSystemError, "cannot allocate ", bytes,
                " bytes that processes share: ", std::strerror(error));
}

} // namespace

Status allocateBlock(size_t bytes, void *&result) {
  result = nullptr;
  const size_t page = size_t(sysconf(_SC_PAGESIZE));
  // Otherwise mmap would grant more than there is, and the process would be
  // killed when it used the memory.
  if (bytes / page >= size_t(sysconf(_SC_PHYS_PAGES)))
    return noMemory(bytes, ENOMEM);
  Block block;
  block.bytes = (bytes + page - 1) / page * page;
  block.file = makeMemoryFile("blink-buffer", block.bytes);
  struct stat status;
  if (block.file && fstat(block.file.get(), &status) == 0)
    block.memory = mapFile(block.bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                           block.file.get());
  if (!block.memory)
    return noMemory(bytes, errno);
  block.device = status.st_dev;
  block.inode = status.st_ino;
  result = block.memory.get();
  add(std::move(block));
  return {};
}

void adoptBlock(std::shared_ptr<char> memory, size_t bytes) {
  Block block;
  block.bytes = bytes;
  block.memory = std::move(memory);
  add(std::move(block));
}

Status freeBlock(void *memory) {
  std::shared_ptr<char> freed; // destroyed after the lock is released
  Blocks &blocks = Blocks::get();
  std::lock_guard<std::mutex> lock(blocks.mutex);
  auto block = blocks.byAddress.find(addressOf(memory));
  if (block == blocks.byAddress.end())
    return {blinkInvalidArgument, "the pointer is none of blinkMemAlloc, or "
                                  "has been freed"};
  if (block->second.uses != 0)
    return {blinkInvalidUsage,
            "the memory is registered with a communicator: deregister it or "
            "destroy the communicator first"};
  freed = std::move(block->second.memory);
  blocks.byAddress.erase(block);
  return {};
}

bool useBlock(const void *memory, uint64_t bytes, SharedPlace &place) {
  Blocks &blocks = Blocks::get();
  std::lock_guard<std::mutex> lock(blocks.mutex);
  auto found = blocks.find(addressOf(memory));
  if (found == blocks.byAddress.end())
    return false;
  Block &block = found->second;
  const uint64_t offset = addressOf(memory) - found->first;
  if (bytes > block.bytes - offset)
    return false;
  ++block.uses;
  place = {block.file.get(), offset, block.device, block.inode};
  return true;
}

void releaseBlock(const void *memory) {
  Blocks &blocks = Blocks::get();
  std::lock_guard<std::mutex> lock(blocks.mutex);
  auto block = blocks.find(addressOf(memory));
  if (block != blocks.byAddress.end() && block->second.uses != 0)
    --block->second.uses;
}

} // namespace blink::runtime
