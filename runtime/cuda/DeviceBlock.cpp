//===- DeviceBlock.cpp - GPU memory of blinkMemAlloc ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/DeviceBlock.h"

#include "runtime/cuda/DeviceMemory.h"
#include "runtime/cuda/MappedMemory.h"

namespace blink::runtime {
namespace {

bool has(CUdevice device, CUdevice_attribute attribute) {
  int value = 0;
  return driver().cuDeviceGetAttribute(&value, attribute, device) ==
             CUDA_SUCCESS &&
         value;
}

/// Allocates mapped memory if the device and its driver can share that.
CUresult allocateMapped(int device, size_t bytes,
                        std::shared_ptr<char> &memory) {
  CUdevice handle = 0;
  if (driver().cuDeviceGet(&handle, device) != CUDA_SUCCESS ||
      !has(handle, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) ||
      !has(handle,
           CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED))
    return CUDA_ERROR_NOT_SUPPORTED;
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device;
  properties.allocFlags.gpuDirectRDMACapable =
      has(handle, CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED);
  size_t granularity = 0;
  CUresult result = driver().cuMemGetAllocationGranularity(
      &granularity, &properties, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
  if (result != CUDA_SUCCESS)
    return result;
  const size_t grains = (bytes - 1) / granularity + 1;
  if (grains > PTRDIFF_MAX / granularity)
    return CUDA_ERROR_OUT_OF_MEMORY;
  const size_t whole = grains * granularity;
  AllocationHandle piece;
  result = piece.take([&](CUmemGenericAllocationHandle *taken) {
    return driver().cuMemCreate(taken, whole, &properties, 0);
  });
  auto mapped = std::make_shared<MappedMemory>();
  if (result == CUDA_SUCCESS)
    result = mapped->reserve(whole);
  if (result == CUDA_SUCCESS)
    result = mapped->add(piece, whole);
  if (result == CUDA_SUCCESS)
    result = mapped->openTo(device);
  int count = 0;
  if (result == CUDA_SUCCESS && cudaGetDeviceCount(&count) == cudaSuccess)
    for (int other = 0; other < count; ++other) {
      // Errors are ignored: a device that gets no access is named when the
      // memory is registered.
      int can = 0;
      if (other != device &&
          cudaDeviceCanAccessPeer(&can, other, device) == cudaSuccess && can)
        mapped->openTo(other);
    }
  if (result == CUDA_SUCCESS)
    memory = {mapped, mapped->begin()};
  return result;
}

} // namespace

bool isOnDevice() {
  CUcontext context = nullptr;
  return driverIsLoaded() &&
         driver().cuCtxGetCurrent(&context) == CUDA_SUCCESS && context;
}

Status allocateOnDevice(size_t bytes, std::shared_ptr<char> &memory) {
  const std::string what =
      "cannot allocate " + std::to_string(bytes) + " bytes of GPU memory";
  int device = 0;
  Status status = cudaStatus(cudaGetDevice(&device), what);
  if (!status.ok())
    return status;
  const CUresult result = allocateMapped(device, bytes, memory);
  if (result == CUDA_SUCCESS || result == CUDA_ERROR_OUT_OF_MEMORY)
    return driverStatus(result, what);
  // Older GPUs, and containers in which mapped memory cannot be shared: for
  // cudaMalloc's memory CUDA has another way to share.
  void *address = nullptr;
  status = cudaStatus(cudaMalloc(&address, bytes), what);
  if (status.ok())
    memory.reset(static_cast<char *>(address), cudaFree);
  return status;
}

} // namespace blink::runtime
