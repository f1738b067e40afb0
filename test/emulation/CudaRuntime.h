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
/// Frees all pieces of a device.
void freeDevice(int device);

/// What a device has left: its share of the host's memory.
size_t freeBytes();
size_t totalBytes();

/// Whether bytes that a call names are where it says they are: not beyond the
/// end of a piece, and, with `onDevice`, in memory that devices reach.
bool isRange(const void *address, size_t bytes, bool onDevice);

/// Whether the address is of ordinary memory that was registered; where devices
/// see it, and the beginning of the range.
bool findRegistered(const void *address, const void **begin = nullptr);

/// Ends what devices may do in each other's memory, as the end of one does.
void forgetPeers(int device);

} // namespace blink::test

#endif // BLINK_TEST_EMULATION_CUDARUNTIME_H
