//===- GpuMemory.cpp - GPU memory of every kind ---------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/GpuMemory.h"

#include "runtime/blink.h"

namespace blink::test {

using runtime::driver;

namespace {

constexpr size_t kOffset = 64;

/// Makes a pool on first use: most tests need none.
cudaMemPool_t makePool() {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.handleTypes = cudaMemHandleTypePosixFileDescriptor;
  properties.location.type = cudaMemLocationTypeDevice;
  cudaGetDevice(&properties.location.id);
  cudaMemPool_t pool = nullptr;
  return cudaMemPoolCreate(&pool, &properties) == cudaSuccess ? pool : nullptr;
}

} // namespace

GpuMemory::GpuMemory(const std::string &kind, size_t bytes) : kind_(kind) {
  const size_t all = bytes + kOffset;
  if (kind == "plain" && cudaMalloc(&memory_, all) != cudaSuccess)
    memory_ = nullptr;
  if (kind == "blink" && blinkMemAlloc(&memory_, all) != blinkSuccess)
    memory_ = nullptr;
  if (kind == "pool" && (pool_ = makePool()) &&
      cudaMallocFromPoolAsync(&memory_, all, pool_, nullptr) != cudaSuccess)
    memory_ = nullptr;
  if (kind == "ownpool" &&
      cudaMallocAsync(&memory_, all, nullptr) != cudaSuccess)
    memory_ = nullptr;
  if (memory_ && cudaStreamSynchronize(nullptr) == cudaSuccess)
    begin_ = static_cast<char *>(memory_) + kOffset;
  if (kind == "mapped")
    allocateMapped(bytes, 1, 1);
  if (kind == "pieces")
    allocateMapped(bytes, 3, 1);
  if (kind == "fabric")
    allocateMapped(bytes, 3, 8);
  if (kind == "closed")
    allocateMapped(bytes, 3, 0);
}

GpuMemory::~GpuMemory() {
  if (kind_ == "blink")
    blinkMemFree(memory_);
  else if (memory_)
    cudaFree(memory_);
  if (pool_)
    cudaMemPoolDestroy(pool_);
}

void GpuMemory::allocateMapped(size_t bytes, size_t numPieces,
                               int handleTypes) {
  int device = 0;
  cudaGetDevice(&device);
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.requestedHandleTypes = CUmemAllocationHandleType(handleTypes);
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device;
  size_t grain = 0;
  if (driver().cuMemGetAllocationGranularity(
          &grain, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM) !=
      CUDA_SUCCESS)
    return;
  const size_t piece = (bytes + kOffset - 1) / grain * grain + grain;
  mapped_ = std::make_unique<runtime::MappedMemory>();
  bool good = mapped_->reserve(numPieces * piece) == CUDA_SUCCESS;
  for (size_t i = 0; i < numPieces && good; ++i) {
    runtime::AllocationHandle handle;
    good = handle.take([&](CUmemGenericAllocationHandle *taken) {
      return driver().cuMemCreate(taken, piece, &properties, 0);
    }) == CUDA_SUCCESS &&
           mapped_->add(handle, piece) == CUDA_SUCCESS;
  }
  if (good && mapped_->openTo(device) == CUDA_SUCCESS)
    begin_ =
        mapped_->begin() + (numPieces > 1 ? piece - bytes / 128 * 64 : kOffset);
}

} // namespace blink::test
