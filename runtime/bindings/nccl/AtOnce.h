//===- AtOnce.h - several ranks on one thread -------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_NCCL_ATONCE_H
#define BLINK_RUNTIME_BINDINGS_NCCL_ATONCE_H

#include <cstddef>
#include <cuda_runtime_api.h>
#include <thread>
#include <vector>

namespace blink::nccl {

/// Makes a device current, and restores the previous one at the end.
class CurrentDevice {
public:
  explicit CurrentDevice(int device) {
    cudaGetDevice(&before_);
    cudaSetDevice(device);
  }
  ~CurrentDevice() { cudaSetDevice(before_); }
  CurrentDevice(const CurrentDevice &) = delete;

private:
  int before_ = 0;
};

/// Runs body(i) for all i at the same time, because ranks of one thread may
/// wait for each other. If a thread cannot be started, waits for those that
/// were, and throws std::system_error; `body` must not throw.
template <typename Body> void atOnce(size_t count, Body body) {
  if (count == 0)
    return;
  struct Joined {
    std::vector<std::thread> threads;
    ~Joined() {
      for (std::thread &thread : threads)
        thread.join();
    }
  } running;
  running.threads.reserve(count - 1);
  for (size_t i = 1; i < count; ++i)
    running.threads.emplace_back([&body, i] { body(i); });
  body(0);
}

} // namespace blink::nccl

#endif // BLINK_RUNTIME_BINDINGS_NCCL_ATONCE_H
