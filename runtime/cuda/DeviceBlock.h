//===- DeviceBlock.h - GPU memory of blinkMemAlloc --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_DEVICEBLOCK_H
#define BLINK_RUNTIME_CUDA_DEVICEBLOCK_H

#include "runtime/Status.h"

#include <cstddef>
#include <memory>

namespace blink::runtime {

/// Returns true if the calling thread has a current GPU: it has selected one,
/// or used one.
bool isOnDevice();

/// Allocates at least `bytes` of the current GPU's memory, which that GPU and
/// all GPUs with access to it can use, and which other processes can map.
/// Errors: CUDA's.
Status allocateOnDevice(size_t bytes, std::shared_ptr<char> &memory);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_DEVICEBLOCK_H
