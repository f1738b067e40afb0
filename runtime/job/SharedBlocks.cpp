//===- SharedBlocks.cpp - memory that other processes can map -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/SharedBlocks.h"

#include "runtime/job/Descriptor.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace blink::runtime {
namespace {

struct Block {
  uint64_t bytes = 0;
  Descriptor file;
  uint64_t device = 0, inode = 0;
  std::shared_ptr<char> owned; ///< instead of the file
  unsigned uses = 0;
};

/// All blocks of the process, by address.
struct Blocks {
  std::mutex mutex;
  std::map<uintptr_t, Block> byAddress;

  static Blocks &get() {
    // Never destroyed: threads may free while the process exits.
    static Blocks &blocks = *new Blocks;
    return blocks;
  }

  /// The block that has the byte at `address`, or end().
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

Status noMemory(size_t bytes, int error) {
  return {blinkSystemError,
          "cannot allocate " + std::to_string(bytes) +
              " bytes that processes share: " + std::strerror(error)};
}

} // namespace

Status allocateBlock(size_t bytes, void *&result) {
  result = nullptr;
  const size_t page = size_t(sysconf(_SC_PAGESIZE));
  // More than there is would be given, and the process killed when it used it.
  if (bytes / page >= size_t(sysconf(_SC_PHYS_PAGES)))
    return noMemory(bytes, ENOMEM);
  Block block;
  block.bytes = (bytes + page - 1) / page * page;
  block.file =
      Descriptor(memfd_create("blink-buffer", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  struct stat status;
  if (!block.file || fstat(block.file.get(), &status) != 0 ||
      ftruncate(block.file.get(), off_t(block.bytes)) != 0)
    return noMemory(bytes, errno);
  // A process that shrank it would kill the others.
  fcntl(block.file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
  void *memory = mmap(nullptr, block.bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                      block.file.get(), 0);
  if (memory == MAP_FAILED)
    return noMemory(bytes, errno);
  block.device = status.st_dev;
  block.inode = status.st_ino;
  Blocks &blocks = Blocks::get();
  std::lock_guard<std::mutex> lock(blocks.mutex);
  blocks.byAddress[addressOf(memory)] = std::move(block);
  result = memory;
  return {};
}

void adoptBlock(std::shared_ptr<char> memory, size_t bytes) {
  Blocks &blocks = Blocks::get();
  std::lock_guard<std::mutex> lock(blocks.mutex);
  Block &block = blocks.byAddress[addressOf(memory.get())];
  block.bytes = bytes;
  block.owned = std::move(memory);
}

Status freeBlock(void *memory) {
  std::shared_ptr<char> owned; // freed without the lock
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
  owned = std::move(block->second.owned);
  if (!owned)
    munmap(memory, block->second.bytes);
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
