//===- LeftMemory.cpp - memory that others still have mapped --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/LeftMemory.h"

#include <chrono>
#include <list>
#include <mutex>
#include <thread>

namespace blink::runtime {
namespace {

/// How long a rank that destroys its communicator waits for the other ranks to
/// do so.
constexpr std::chrono::milliseconds kLeaveTogether(100);

std::mutex keptMutex;
/// Never destroyed, because CUDA ends with the process, too.
std::list<std::function<bool()>> &left() {
  static auto &list = *new std::list<std::function<bool()>>;
  return list;
}

} // namespace

void keepWhile(std::function<bool()> mapped) {
  const auto end = std::chrono::steady_clock::now() + kLeaveTogether;
  while (mapped() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  {
    std::lock_guard<std::mutex> lock(keptMutex);
    left().push_back(std::move(mapped));
  }
  freeLeftMemory();
}

void freeLeftMemory() {
  std::list<std::function<bool()>> unmapped;
  {
    std::lock_guard<std::mutex> lock(keptMutex);
    for (auto one = left().begin(); one != left().end();) {
      const auto next = std::next(one);
      if (!(*one)())
        unmapped.splice(unmapped.end(), left(), one);
      one = next;
    }
  }
  // `unmapped` frees memory here, without the lock, since that waits for a
  // device.
}

} // namespace blink::runtime
