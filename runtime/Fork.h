//===- Fork.h - what a forked child may use ---------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A child has none of its parent's threads, and its copies of the parent's
// locks keep the state that they had at the fork. Communicators belong to the
// parent.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_FORK_H
#define BLINK_RUNTIME_FORK_H

#include <cstdint>
#include <mutex>

namespace blink::runtime {

/// Returns a number that differs between a child and its parent.
uint64_t forkGeneration();

/// A lock that is never held when a child starts, because fork() waits until it
/// is free. For data that belongs to the whole process. Such a lock is never
/// destroyed, and no thread holds two of them.
class ForkSafeMutex : public std::mutex {
public:
  ForkSafeMutex();

private:
  friend struct ForkHandlers;
  ForkSafeMutex *next_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_FORK_H
