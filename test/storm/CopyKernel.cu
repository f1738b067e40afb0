//===- CopyKernel.cu - copies that use no copy queue ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/storm/CopyKernel.h"

#include <algorithm>
#include <cstdint>

namespace blink::storm {
namespace {

constexpr unsigned kThreads = 256;
/// Few, so that lanes keep the multiprocessors.
constexpr unsigned kMostBlocks = 8;
/// Accesses in flight, to hide some of the way to the host.
constexpr int kUnroll = 4;

/// Copies `head` bytes, `packs` packs of 16 bytes, and `tail` bytes. Both sides
/// are aligned to 16 bytes after the head, or there are no packs.
__global__ void __launch_bounds__(kThreads)
    copyKernel(unsigned char *to, const unsigned char *from, size_t head,
               size_t packs, size_t tail) {
  const size_t stride = size_t(gridDim.x) * blockDim.x;
  const size_t thread = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  for (size_t i = thread; i < head; i += stride)
    to[i] = from[i];
  auto *packTo = reinterpret_cast<uint4 *>(to + head);
  const auto *packFrom = reinterpret_cast<const uint4 *>(from + head);
  size_t i = thread;
  for (; i + (kUnroll - 1) * stride < packs; i += kUnroll * stride) {
    uint4 held[kUnroll];
#pragma unroll
    for (int u = 0; u < kUnroll; ++u)
      held[u] = packFrom[i + u * stride];
#pragma unroll
    for (int u = 0; u < kUnroll; ++u)
      packTo[i + u * stride] = held[u];
  }
  for (; i < packs; i += stride)
    packTo[i] = packFrom[i];
  const size_t end = head + packs * sizeof(uint4);
  for (size_t t = thread; t < tail; t += stride)
    to[end + t] = from[end + t];
}

} // namespace

cudaError_t prepareCopies() {
  cudaFuncAttributes attributes;
  return cudaFuncGetAttributes(&attributes, copyKernel);
}

cudaError_t launchCopy(void *to, const void *from, size_t bytes,
                       cudaStream_t stream) {
  if (bytes == 0)
    return cudaSuccess;
  constexpr size_t kPack = sizeof(uint4);
  const auto toAddress = reinterpret_cast<uintptr_t>(to);
  const auto fromAddress = reinterpret_cast<uintptr_t>(from);
  const bool alike = toAddress % kPack == fromAddress % kPack;
  const size_t head =
      alike ? std::min(bytes, (kPack - toAddress % kPack) % kPack) : bytes;
  const size_t packs = (bytes - head) / kPack;
  const size_t tail = bytes - head - packs * kPack;
  const size_t most = std::max({head, packs, tail});
  const size_t blocks =
      std::min<size_t>(kMostBlocks, (most + kThreads - 1) / kThreads);
  copyKernel<<<unsigned(blocks), kThreads, 0, stream>>>(
      static_cast<unsigned char *>(to),
      static_cast<const unsigned char *>(from), head, packs, tail);
  return cudaGetLastError();
}

} // namespace blink::storm
