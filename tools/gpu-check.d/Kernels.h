//===- Kernels.h - kernels to compare Blink's with --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The interface between blink-gpu-bench and device code; test/emulation has
// another implementation.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_GPUCHECK_KERNELS_H
#define BLINK_TOOLS_GPUCHECK_KERNELS_H

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>

namespace blink::gpubench {

/// Threads of a block: as many as a lane has.
inline constexpr uint32_t kBlockThreads = 512;

/// Counts the multiprocessors of the current device.
cudaError_t countProcessors(int &count);

/// Launches a kernel that does nothing.
cudaError_t launchEmpty(uint32_t numBlocks, cudaStream_t stream);

/// Launches a copy of `bytes`, a multiple of 16, with `blocksEach` blocks on
/// each multiprocessor of the current device. Each access of a thread has 16
/// bytes.
cudaError_t launchCopy(void *to, const void *from, size_t bytes,
                       uint32_t blocksEach, cudaStream_t stream);

/// How lanes copy: each block copies one contiguous part.
struct LaneShape {
  uint32_t blocks = 1;
  uint32_t threads = kBlockThreads;
  uint32_t unroll = 4;      ///< 16-byte loads in flight per thread: 4 or 8
  uint32_t storeBytes = 16; ///< 16, or four stores of 4
};
/// Launches a copy of `bytes`, a multiple of 16.
cudaError_t launchLaneCopy(void *to, const void *from, size_t bytes,
                           const LaneShape &shape, cudaStream_t stream);

/// What lanes sum and store: each block adds a part of its own of all sources,
/// and stores the sum to all destinations.
struct FoldShape {
  static constexpr uint32_t kMostRanges = 8; ///< sources or destinations
  uint32_t blocks = 1;
  uint32_t sources = 1;
  uint32_t destinations = 1;
  /// Packs that a thread has room for in the block's stage
  /// (runtime/cuda/StagedFold.h); 0: packs are loaded into registers, two
  /// sources at a time, as on GPUs without asynchronous loads.
  uint32_t stagePacks = 0;
};
/// Whether the GPU has the shared memory for such a fold.
bool hasRoom(const FoldShape &shape);
/// Launches a sum of floats. The sources lie one after the other at `from`, the
/// destinations at `to`, each of `bytes`, a multiple of 16 times the blocks.
cudaError_t launchFold(void *to, const void *from, size_t bytes,
                       const FoldShape &shape, cudaStream_t stream);

/// The memory of kernels that wait for each other.
struct MeetingMemory {
  uint32_t arrived; ///< kernels that have begun
  uint32_t failed;  ///< kernels that gave up waiting
};
/// Launches a kernel of one thread, which waits until `kernels` of them have
/// begun, for about 300 ms at most. `memory` is zero before the first one.
cudaError_t launchMeeting(MeetingMemory *memory, uint32_t kernels,
                          cudaStream_t stream);

/// Operations to repeat, at system scope.
enum class Turn {
  acquire,        ///< a thread loads a word that nobody writes
  fence,          ///< a thread executes a fence with nothing to wait for
  stores,         ///< a block stores 64 bytes per thread and synchronizes
  storesAndFence, ///< the same, then a thread executes a fence
  pingPong,       ///< two blocks answer each other through two words
};
/// The memory of these operations.
struct TurnMemory {
  uint32_t failed; ///< set if a block gave up waiting
  alignas(128) uint32_t ping;
  alignas(128) uint32_t pong;
  alignas(128) unsigned char stores[64 * kBlockThreads];
};
/// Launches `times` operations in sequence. `memory` is zero at first.
cudaError_t launchTurns(Turn turn, TurnMemory *memory, uint32_t times,
                        cudaStream_t stream);

} // namespace blink::gpubench

#endif // BLINK_TOOLS_GPUCHECK_KERNELS_H
