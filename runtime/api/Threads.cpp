//===- Threads.cpp - calls that wait for each other -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/Threads.h"

#include <system_error>
#include <thread>

namespace blink::runtime {

std::vector<Status> onThreads(size_t count,
                              const std::function<Status(size_t)> &body) {
  std::vector<Status> results(count);
  const auto run = [&](size_t i) {
    results[i] = withoutExceptions([&] { return body(i); });
  };
  std::vector<std::thread> threads;
  threads.reserve(count); // so that nothing throws while threads run
  for (size_t i = 0; i + 1 < count; ++i) {
    try {
      threads.emplace_back(run, i);
    } catch (const std::system_error &error) {
      results[i] =
          Status(blinkSystemError, "cannot start a thread: ", error.what());
    }
  }
  if (count != 0)
    run(count - 1);
  for (std::thread &thread : threads)
    thread.join();
  return results;
}

} // namespace blink::runtime
