//===- Floats.h - buffers for either back end -------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_CONFORMANCE_FLOATS_H
#define BLINK_TEST_CONFORMANCE_FLOATS_H

#if BLINK_TEST_CUDA
#include "runtime/cuda/DeviceMemory.h"
#endif

#include "doctest/doctest.h"

#include <vector>

namespace blink::test {

/// Floats on the host, with a copy in the memory that the back end needs.
class Floats {
public:
  explicit Floats(size_t count) : host(count) {
    memory = host.data();
#if BLINK_TEST_CUDA
    void *device = nullptr;
    REQUIRE(cudaMalloc(&device, bytes()) == cudaSuccess);
    memory = static_cast<float *>(device);
#endif
  }
  ~Floats() {
#if BLINK_TEST_CUDA
    cudaFree(memory);
#endif
  }
  Floats(const Floats &) = delete;

  size_t bytes() const { return host.size() * sizeof(float); }
  void upload() {
#if BLINK_TEST_CUDA
    REQUIRE(runtime::copyToDevice(memory, host.data(), bytes()) == cudaSuccess);
#endif
  }
  void download() {
#if BLINK_TEST_CUDA
    REQUIRE(cudaMemcpy(host.data(), memory, bytes(), cudaMemcpyDeviceToHost) ==
            cudaSuccess);
#endif
  }

  std::vector<float> host;
  float *memory;
};

} // namespace blink::test

#endif // BLINK_TEST_CONFORMANCE_FLOATS_H
