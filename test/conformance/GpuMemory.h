//===- GpuMemory.h - GPU memory of every kind -------------------*- C++ -*-===//
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

/// Memory of the device that is current when the object is made.
class GpuMemory {
public:
  /// `kind`:
  ///
  ///   plain      from cudaMalloc
  ///   blink      from blinkMemAlloc
  ///   pool       from a memory pool that can be shared
  ///   ownpool    from the pool of cudaMallocAsync, which cannot be shared
  ///   mapped     one mapping (cuMemMap)
  ///   pieces     several adjacent mappings; the buffer crosses their borders
  ///   fabric     the same, with handles for fabrics
  ///   closed     the same, without handles to share
  ///
  /// begin() is null if this machine has no memory of this kind.
  GpuMemory(const std::string &kind, size_t bytes);
  ~GpuMemory();
  GpuMemory(const GpuMemory &) = delete;

  /// A place inside the memory, not its start. Aligned to 64 bytes.
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
