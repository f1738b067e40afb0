//===- Fork.h - what a forked child may use ---------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A child has none of its parent's threads, and copies of its locks as they
// were. Communicators stay the parent's.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_FORK_H
#define BLINK_RUNTIME_FORK_H

#include <cstdint>
#include <mutex>

namespace blink::runtime {

/// A number that a child has other than its parent.
uint64_t forkGeneration();

/// A lock that no child finds taken: fork() waits for it. For what belongs to
/// the whole process; never destroyed, and nobody takes two.
class ForkSafeMutex : public std::mutex {
public:
  ForkSafeMutex();

private:
  friend struct ForkHandlers;
  ForkSafeMutex *next_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_FORK_H
