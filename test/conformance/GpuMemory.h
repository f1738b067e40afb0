//===- GpuMemory.h - memory of GPUs, of every kind --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_CONFORMANCE_GPUMEMORY_H
#define BLINK_TEST_CONFORMANCE_GPUMEMORY_H

#include "runtime/cuda/MappedMemory.h"

#include <cuda_runtime_api.h>
#include <memory>
#include <string>

namespace blink::test {

/// Memory of the device that is current when it is made.
class GpuMemory {
public:
  /// `kind`:
  ///   plain      cudaMalloc's
  ///   blink      blinkMemAlloc's
  ///   pool       of a memory pool that can be shared
  ///   ownpool    of cudaMallocAsync's pool, which cannot
  ///   mapped     one mapping (cuMemMap)
  ///   pieces     several side by side; the buffer crosses from one to the next
  ///   fabric     likewise, with handles for fabrics
  ///   closed     likewise, with no handles to share
  /// begin() is null if there is no memory of this kind here.
  GpuMemory(const std::string &kind, size_t bytes);
  ~GpuMemory();
  GpuMemory(const GpuMemory &) = delete;

  /// Not where the memory begins. Aligned to 64 bytes.
  char *begin() const { return begin_; }
  float *floats() const { return reinterpret_cast<float *>(begin_); }

private:
  void allocateMapped(size_t bytes, size_t numPieces, int handleTypes);

  const std::string kind_;
  void *memory_ = nullptr;
  cudaMemPool_t pool_ = nullptr;
  std::unique_ptr<runtime::MappedMemory> mapped_;
  char *begin_ = nullptr;
};

} // namespace blink::test

#endif // BLINK_TEST_CONFORMANCE_GPUMEMORY_H
