//===- Kernels.h - kernels to measure Blink's against -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The seam between blink-gpu-bench and device code; test/emulation has another
// one behind it.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_GPUCHECK_KERNELS_H
#define BLINK_TOOLS_GPUCHECK_KERNELS_H

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>

namespace blink::gpubench {

/// As a lane has.
inline constexpr uint32_t kBlockThreads = 512;

/// Multiprocessors of the current device.
cudaError_t countProcessors(int &count);

/// Starts a kernel that does nothing.
cudaError_t launchEmpty(uint32_t numBlocks, cudaStream_t stream);

/// Starts a copy of `bytes`, a multiple of 16, by so many blocks on each
/// multiprocessor of the current device, 16 bytes a thread and access.
cudaError_t launchCopy(void *to, const void *from, size_t bytes,
                       uint32_t blocksEach, cudaStream_t stream);

/// How lanes copy: each block a part of the whole, in one piece.
struct LaneShape {
  uint32_t blocks = 1;
  uint32_t threads = kBlockThreads;
  uint32_t unroll = 4;      ///< loads of 16 bytes in flight a thread: 4 or 8
  uint32_t storeBytes = 16; ///< 16, or four stores of 4
};
/// Starts a copy of `bytes`, a multiple of 16.
cudaError_t launchLaneCopy(void *to, const void *from, size_t bytes,
                           const LaneShape &shape, cudaStream_t stream);

/// What is done over and over, at system scope.
enum class Turn {
  acquire,        ///< a thread loads a word that nobody writes
  fence,          ///< a thread makes a fence, with nothing to wait for
  stores,         ///< a block stores 64 bytes a thread, and meets
  storesAndFence, ///< and then a thread makes a fence
  pingPong,       ///< two blocks answer each other through two words
};
/// Memory for that.
struct TurnMemory {
  uint32_t failed; ///< set where a block gave up waiting
  alignas(128) uint32_t ping;
  alignas(128) uint32_t pong;
  alignas(128) unsigned char stores[64 * kBlockThreads];
};
/// Starts so many of it, one after the other. `memory` was zero at first.
cudaError_t launchTurns(Turn turn, TurnMemory *memory, uint32_t times,
                        cudaStream_t stream);

} // namespace blink::gpubench

#endif // BLINK_TOOLS_GPUCHECK_KERNELS_H
