//===- CudaRuntime.h - work for emulated streams ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_EMULATION_CUDARUNTIME_H
#define BLINK_TEST_EMULATION_CUDARUNTIME_H

#include <cuda_runtime_api.h>
#include <functional>
#include <memory>

namespace blink::test {

/// Runs `work` when all earlier work of the stream is done, which must be of
/// the current device.
cudaError_t enqueue(cudaStream_t stream, std::function<void()> work);

/// Whether both devices exist and one reaches the other's memory.
bool reaches(int device, int other);

/// A piece of memory of cudaMalloc's or cudaHostAlloc's.
struct EmulatedPiece {
  const char *begin;
  size_t bytes;
  int device;
  bool onHost;
};
bool findPiece(const void *address, EmulatedPiece &piece);

} // namespace blink::test

#endif // BLINK_TEST_EMULATION_CUDARUNTIME_H
