//===- HostMemory.cpp - ordinary memory devices can reach -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/emulation/Calls.h"
#include "test/emulation/CudaRuntime.h"
#include "test/emulation/Emulation.h"

#include <map>
#include <mutex>

using namespace blink::test;

namespace {

std::mutex registeredMutex;
/// Returns the registered ranges: begin and bytes.
std::map<const char *, size_t> &registered() {
  static auto &ranges = *new std::map<const char *, size_t>;
  return ranges;
}

/// Whether a registered range overlaps these bytes. The caller holds the mutex.
bool overlaps(const char *begin, size_t bytes) {
  const auto next = registered().lower_bound(begin);
  if (next != registered().end() && next->first < begin + bytes)
    return true;
  return next != registered().begin() &&
         std::prev(next)->first + std::prev(next)->second > begin;
}

} // namespace

bool blink::test::findRegistered(const void *address, const void **begin) {
  const std::lock_guard<std::mutex> lock(registeredMutex);
  const auto *at = static_cast<const char *>(address);
  const auto next = registered().upper_bound(at);
  if (next == registered().begin())
    return false;
  const auto &[start, bytes] = *std::prev(next);
  if (begin)
    *begin = start;
  return at < start + bytes;
}

cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned) {
  const cudaError_t error = enter(__func__, kContext | kNoCapture);
  if (error != cudaSuccess)
    return error;
  const auto *begin = static_cast<const char *>(memory);
  if (!memory || bytes == 0)
    return failed(cudaErrorInvalidValue);
  const std::lock_guard<std::mutex> lock(registeredMutex);
  if (overlaps(begin, bytes))
    return failed(cudaErrorHostMemoryAlreadyRegistered);
  registered()[begin] = bytes;
  return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *memory) {
  const cudaError_t error = enter(__func__, kContext | kNoCapture);
  if (error != cudaSuccess)
    return error;
  const std::lock_guard<std::mutex> lock(registeredMutex);
  return registered().erase(static_cast<const char *>(memory))
             ? cudaSuccess
             : failed(cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaHostGetDevicePointer(void **there, void *memory,
                                     unsigned flags) {
  const cudaError_t error = enter(__func__, kContext);
  if (error != cudaSuccess)
    return error;
  EmulatedPiece piece{};
  if (flags != 0 ||
      (!findRegistered(memory) && !(findPiece(memory, piece) && piece.onHost)))
    return failed(cudaErrorInvalidValue);
  *there = static_cast<char *>(memory) + emulatedMachine.hostOffset;
  return cudaSuccess;
}
