//===- BenchKernels.cpp - tools/gpu-check.d's kernels, emulated -----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/emulation/CudaRuntime.h"
#include "tools/gpu-check.d/Kernels.h"

#include <chrono>
#include <cstring>
#include <thread>

namespace blink::gpubench {

cudaError_t countProcessors(int &count) {
  count = 2;
  return cudaSuccess;
}

cudaError_t launchEmpty(uint32_t, cudaStream_t stream) {
  return test::enqueue(stream, [] {});
}

cudaError_t launchCopy(void *to, const void *from, size_t bytes, uint32_t,
                       cudaStream_t stream) {
  return test::enqueue(stream, [=] { std::memcpy(to, from, bytes); });
}

cudaError_t launchLaneCopy(void *to, const void *from, size_t bytes,
                           const LaneShape &, cudaStream_t stream) {
  return launchCopy(to, from, bytes, 1, stream);
}

bool hasRoom(const FoldShape &) { return true; }

cudaError_t launchFold(void *to, const void *from, size_t bytes,
                       const FoldShape &shape, cudaStream_t stream) {
  return test::enqueue(stream, [=] {
    const size_t count = bytes / sizeof(float);
    const auto *sources = static_cast<const float *>(from);
    for (size_t i = 0; i < count; ++i) {
      float sum = 0;
      for (uint32_t s = 0; s < shape.sources; ++s)
        sum += sources[s * count + i];
      for (uint32_t d = 0; d < shape.destinations; ++d)
        static_cast<float *>(to)[d * count + i] = sum;
    }
  });
}

cudaError_t launchMeeting(MeetingMemory *memory, uint32_t kernels,
                          cudaStream_t stream) {
  return test::enqueue(stream, [=] {
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::seconds(20);
    // Relaxed: nothing else is read or written.
    __atomic_fetch_add(&memory->arrived, 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(&memory->arrived, __ATOMIC_RELAXED) < kernels) {
      if (std::chrono::steady_clock::now() > end) {
        __atomic_fetch_add(&memory->failed, 1, __ATOMIC_RELAXED);
        return;
      }
      std::this_thread::yield();
    }
  });
}

cudaError_t launchTurns(Turn, TurnMemory *, uint32_t, cudaStream_t stream) {
  test::enqueue(stream, [] {});
  return cudaSuccess;
}

} // namespace blink::gpubench
