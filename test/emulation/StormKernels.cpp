//===- StormKernels.cpp - the storm's kernel, emulated --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/storm/CopyKernel.h"

namespace blink::storm {

cudaError_t prepareCopies() { return cudaSuccess; }

// Emulated streams have no queues to share, and copies check both ranges.
cudaError_t launchCopy(void *to, const void *from, size_t bytes,
                       cudaStream_t stream) {
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
}

} // namespace blink::storm
