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

/// Whether a GPU is current in the calling thread: it has made one so, or used
/// one.
bool isOnDevice();

/// At least `bytes` of the current GPU's memory, for it and all GPUs that reach
/// it, in a form that other processes can map. Errors: CUDA's.
Status allocateOnDevice(size_t bytes, std::shared_ptr<char> &memory);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_DEVICEBLOCK_H
