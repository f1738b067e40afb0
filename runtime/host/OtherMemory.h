//===- OtherMemory.h - reading other processes' buffers ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// One copy instead of two: the reader of a ring fetches a large chunk directly
// from the writer's buffer (process_vm_readv). The kernel allows that between
// processes of one user, except on hardened systems and in some containers;
// there the slots carry everything.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_HOST_OTHERMEMORY_H
#define BLINK_RUNTIME_HOST_OTHERMEMORY_H

#include <cerrno>
#include <cstdint>
#include <sys/uio.h>
#include <unistd.h>

namespace blink::runtime {

/// Copies `bytes` from an address of process `process`. Returns 0 or the error
/// number; EFAULT also if only part of it could be read.
inline int readOther(uint64_t process, uint64_t address, void *to,
                     uint64_t bytes) {
  iovec here{to, bytes};
  iovec there{reinterpret_cast<void *>(address), bytes};
  const ssize_t done = process_vm_readv(pid_t(process), &here, 1, &there, 1, 0);
  if (done < 0)
    return errno;
  return uint64_t(done) == bytes ? 0 : EFAULT;
}

/// A word that depends on its own address. A process that reads the expected
/// word at that address of the process with that number has found the right
/// process, and may read its memory.
class MemoryProbe {
public:
  uint64_t address() const { return reinterpret_cast<uint64_t>(&word_); }
  static bool readable(uint64_t process, uint64_t address) {
    uint64_t word = 0;
    return readOther(process, address, &word, sizeof(word)) == 0 &&
           word == (address ^ kMask);
  }

private:
  static constexpr uint64_t kMask = 0x6b6e696c426b6e69;
  const uint64_t word_ = reinterpret_cast<uint64_t>(this) ^ kMask;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_OTHERMEMORY_H
