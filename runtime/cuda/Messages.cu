//===- Messages.cu - the kernel of messages -------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The blocks of a launch run ends of several messages, with one block for each
// tree of a message, so that all messages of a group proceed at the same time.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/CudaBlock.h"
#include "runtime/cuda/KernelTable.h"
#include "runtime/cuda/Lane.h"

namespace blink::runtime {
namespace {

__global__ void __launch_bounds__(kBlockThreads, 1)
    messages(const __grid_constant__ MessageLaunch launch) {
  CudaBlock block;
  runMessageBlock(block, launch, blockIdx.x);
}

} // namespace

const void *messageKernel() {
  return reinterpret_cast<const void *>(&messages);
}

} // namespace blink::runtime
