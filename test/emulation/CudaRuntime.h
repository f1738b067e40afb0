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

/// Runs `work` when all earlier work of the stream is done. The stream must
/// belong to the current device.
cudaError_t enqueue(cudaStream_t stream, std::function<void()> work);

/// Whether both devices exist and `device` can reach the memory of `other`.
bool reaches(int device, int other);

/// A piece of memory from cudaMalloc or cudaHostAlloc.
struct EmulatedPiece {
  const char *begin;
  size_t bytes;
  int device;
  bool onHost;
};
bool findPiece(const void *address, EmulatedPiece &piece);
/// Frees all pieces of a device.
void freeDevice(int device);

/// Returns a device's free bytes: a share of the host's memory.
size_t freeBytes();
size_t totalBytes();

/// Whether a range that a call names is valid: it does not go beyond the end of
/// a piece and, with `onDevice`, lies in memory that devices can reach.
bool isRange(const void *address, size_t bytes, bool onDevice);

/// Whether the address lies in registered ordinary memory. Sets the beginning
/// of the range if `begin` is not null.
bool findRegistered(const void *address, const void **begin = nullptr);

/// Ends a device's access to other devices and theirs to it, as the end of the
/// device does.
void forgetPeers(int device);

} // namespace blink::test

#endif // BLINK_TEST_EMULATION_CUDARUNTIME_H
