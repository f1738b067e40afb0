//===- CudaRuntime.h - work for emulated streams ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_EMULATION_CUDARUNTIME_H
#define BLINK_TEST_EMULATION_CUDARUNTIME_H

#include <cuda_runtime_api.h>
#include <functional>
#include <memory>

namespace blink::test {

/// Runs `work` when all earlier work of the stream is done.
void enqueue(cudaStream_t stream, std::function<void()> work);

} // namespace blink::test

#endif // BLINK_TEST_EMULATION_CUDARUNTIME_H
