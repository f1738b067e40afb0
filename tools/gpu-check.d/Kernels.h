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

/// Starts a kernel that does nothing.
cudaError_t launchEmpty(uint32_t numBlocks, cudaStream_t stream);

/// Starts a copy of `bytes`, a multiple of 16, by so many blocks on each
/// multiprocessor of the current device, 16 bytes a thread and access.
cudaError_t launchCopy(void *to, const void *from, size_t bytes,
                       uint32_t blocksEach, cudaStream_t stream);

} // namespace blink::gpubench

#endif // BLINK_TOOLS_GPUCHECK_KERNELS_H
