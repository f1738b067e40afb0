//===- Copies.cpp - copying and filling on emulated devices ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/emulation/Calls.h"
#include "test/emulation/CudaRuntime.h"
#include "test/emulation/Emulation.h"
#include "test/emulation/Streams.h"
#include "test/emulation/VirtualMemory.h"

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

using namespace blink::test;

bool blink::test::isRange(const void *address, size_t bytes, bool onDevice) {
  if (bytes == 0)
    return true;
  EmulatedPiece piece{};
  if (findPiece(address, piece))
    return static_cast<const char *>(address) + bytes <=
           piece.begin + piece.bytes;
  return !onDevice || isOfDevices(address) || findRegistered(address);
}

namespace {

/// Checks that both sides are where the call says they are.
cudaError_t check(const void *to, const void *from, size_t bytes,
                  cudaMemcpyKind kind) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
    return failed(cudaErrorInvalidMemcpyDirection);
  const bool toDevice =
      kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool fromDevice =
      kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  return isRange(to, bytes, toDevice) && isRange(from, bytes, fromDevice)
             ? cudaSuccess
             : failed(cudaErrorInvalidValue);
}

} // namespace

cudaError_t cudaMemset(void *memory, int value, size_t bytes) {
  const cudaError_t error = enter(__func__, kContext | kNoCapture);
  return error == cudaSuccess ? cudaMemsetAsync(memory, value, bytes, nullptr)
                              : error;
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes,
                            cudaStream_t stream) {
  const cudaError_t error = enter(__func__, kContext);
  if (error != cudaSuccess)
    return error;
  if (!isRange(memory, bytes, true))
    return failed(cudaErrorInvalidValue);
  return enqueue(stream, [=] { std::memset(memory, value, bytes); });
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                       cudaMemcpyKind kind) {
  cudaError_t error = enter(__func__, kContext | kNoCapture);
  if (error == cudaSuccess)
    error = check(to, from, bytes, kind);
  // Memory that is not pinned goes through a buffer of the driver. The end of
  // it may still be on its way to the device when the call returns.
  constexpr size_t kBuffer = 64 << 10;
  const bool toDevice = isOfDevices(to) && !isOfDevices(from);
  const size_t late = toDevice ? std::min(bytes, kBuffer) : 0;
  const char *end = static_cast<const char *>(from) + bytes;
  if (error == cudaSuccess)
    error = streamOf(nullptr).pushAndDrain(
        [=] { std::memcpy(to, from, bytes - late); });
  if (error == cudaSuccess && late != 0)
    error = enqueue(nullptr, [end = static_cast<char *>(to) + bytes,
                              buffer = std::vector<char>(end - late, end),
                              delay = emulatedMachine.copyDelay] {
      std::this_thread::sleep_for(delay);
      std::memcpy(end - buffer.size(), buffer.data(), buffer.size());
    });
  return error;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                            cudaMemcpyKind kind, cudaStream_t stream) {
  cudaError_t error = enter(__func__, kContext);
  if (error == cudaSuccess)
    error = check(to, from, bytes, kind);
  return error == cudaSuccess ? enqueue(stream,
                                        [=, delay = emulatedMachine.copyDelay] {
                                          std::this_thread::sleep_for(delay);
                                          std::memcpy(to, from, bytes);
                                        })
                              : error;
}
