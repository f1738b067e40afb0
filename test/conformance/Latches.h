//===- Latches.h - waiting for an event -------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_CONFORMANCE_LATCHES_H
#define BLINK_TEST_CONFORMANCE_LATCHES_H

#include <chrono>
#include <thread>

namespace blink::test {

/// Waits until `happened()` is true. Returns false if that takes longer than
/// the limit, which is ample on any machine.
template <typename Happened>
bool waitUntil(const Happened &happened,
               std::chrono::milliseconds limit = std::chrono::seconds(60)) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!happened()) {
    if (std::chrono::steady_clock::now() > end)
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1)); // and retry
  }
  return true;
}

} // namespace blink::test

#endif // BLINK_TEST_CONFORMANCE_LATCHES_H
