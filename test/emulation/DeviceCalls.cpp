//===- DeviceCalls.cpp - devices, as programs use them --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Calls for devices and their memory that programs use and Blink does not. Only
// in the libcudart that is compiled against CUDA's own headers.
//
//===----------------------------------------------------------------------===//

#include "test/emulation/Calls.h"
#include "test/emulation/CudaRuntime.h"
#include "test/emulation/Emulation.h"
#include "test/emulation/Streams.h"
#include "test/emulation/VirtualMemory.h"

#include <cstring>

using namespace blink::test;

cudaError_t cudaRuntimeGetVersion(int *version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int *version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *text) {
  const cudaError_t error = enter(__func__, kNothing);
  if (error != cudaSuccess)
    return error;
  for (int d = 0; d < emulatedMachine.devices; ++d) {
    char own[16];
    cudaDeviceGetPCIBusId(own, sizeof(own), d);
    // Both forms are valid, with and without a domain; the domain is 0.
    if (strcasecmp(text, own) == 0 || strcasecmp(text, own + 5) == 0) {
      *device = d;
      return cudaSuccess;
    }
  }
  return failed(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute,
                                   int device) {
  cudaDeviceProp of;
  const cudaError_t error = cudaGetDeviceProperties(&of, device);
  if (error != cudaSuccess)
    return error;
  switch (attribute) {
  case cudaDevAttrMaxThreadsPerBlock:
    *value = of.maxThreadsPerBlock;
    break;
  case cudaDevAttrMaxBlockDimX:
  case cudaDevAttrMaxBlockDimY:
  case cudaDevAttrMaxBlockDimZ:
    *value = of.maxThreadsDim[attribute - cudaDevAttrMaxBlockDimX];
    break;
  case cudaDevAttrMaxGridDimX:
  case cudaDevAttrMaxGridDimY:
  case cudaDevAttrMaxGridDimZ:
    *value = of.maxGridSize[attribute - cudaDevAttrMaxGridDimX];
    break;
  case cudaDevAttrMaxSharedMemoryPerBlock:
    *value = int(of.sharedMemPerBlock);
    break;
  case cudaDevAttrMaxSharedMemoryPerBlockOptin:
    *value = int(of.sharedMemPerBlockOptin);
    break;
  case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
    *value = int(of.sharedMemPerMultiprocessor);
    break;
  case cudaDevAttrTotalConstantMemory:
    *value = int(of.totalConstMem);
    break;
  case cudaDevAttrWarpSize:
    *value = of.warpSize;
    break;
  case cudaDevAttrMultiProcessorCount:
    *value = of.multiProcessorCount;
    break;
  case cudaDevAttrMaxBlocksPerMultiprocessor:
    *value = of.maxBlocksPerMultiProcessor;
    break;
  case cudaDevAttrMaxThreadsPerMultiProcessor:
    *value = of.maxThreadsPerMultiProcessor;
    break;
  case cudaDevAttrMaxRegistersPerBlock:
  case cudaDevAttrMaxRegistersPerMultiprocessor:
    *value = of.regsPerBlock;
    break;
  case cudaDevAttrComputeCapabilityMajor:
    *value = of.major;
    break;
  case cudaDevAttrComputeCapabilityMinor:
    *value = of.minor;
    break;
  case cudaDevAttrPciBusId:
    *value = of.pciBusID;
    break;
  case cudaDevAttrPciDeviceId:
    *value = of.pciDeviceID;
    break;
  case cudaDevAttrPciDomainId:
    *value = of.pciDomainID;
    break;
  case cudaDevAttrConcurrentKernels:
  case cudaDevAttrAsyncEngineCount:
  case cudaDevAttrUnifiedAddressing:
  case cudaDevAttrCanMapHostMemory:
  case cudaDevAttrHostRegisterSupported:
  case cudaDevAttrMemoryPoolsSupported:
    *value = 1;
    break;
  case cudaDevAttrMemoryPoolSupportedHandleTypes:
    *value = int(of.memoryPoolSupportedHandleTypes);
    break;
  case cudaDevAttrIntegrated:
  case cudaDevAttrComputeMode:
  case cudaDevAttrEccEnabled:
  case cudaDevAttrKernelExecTimeout:
  case cudaDevAttrStreamPrioritiesSupported:
  case cudaDevAttrManagedMemory:
  case cudaDevAttrPageableMemoryAccess:
  case cudaDevAttrConcurrentManagedAccess:
  case cudaDevAttrHostNativeAtomicSupported:
  case cudaDevAttrCooperativeLaunch:
  case cudaDevAttrClusterLaunch:
  case cudaDevAttrGPUDirectRDMASupported:
  case cudaDevAttrIpcEventSupport:
    *value = 0;
    break;
  default: // a program that needs more of CUDA's should say so
    return failed(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  const cudaError_t error = enter(__func__, kContext | kNoCapture);
  if (error != cudaSuccess)
    return error;
  if (spoilCaptures(currentDevice()))
    return failed(cudaErrorStreamCaptureUnsupported);
  drainDevice(currentDevice());
  return cudaSuccess;
}

cudaError_t cudaDeviceReset() {
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess)
    return error;
  const int device = currentDevice();
  freeDevice(device);
  forgetPeers(device);
  forgetContext(device);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  *least = *greatest = 0; // there are no priorities
  return enter(__func__, kContext);
}

cudaError_t cudaMallocHost(void **memory, size_t bytes) {
  return cudaHostAlloc(memory, bytes, cudaHostAllocDefault);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes,
                                     const void *address) {
  const cudaError_t error = enter(__func__, kContext);
  if (error != cudaSuccess)
    return error;
  *attributes = {};
  attributes->type = cudaMemoryTypeUnregistered;
  attributes->device = -2; // CUDA's value for this
  EmulatedPiece piece{};
  void *own = const_cast<void *>(address);
  const bool isPiece = findPiece(address, piece);
  if ((isPiece && piece.onHost) || findRegistered(address)) {
    attributes->type = cudaMemoryTypeHost;
    attributes->device = isPiece ? piece.device : currentDevice();
    attributes->devicePointer =
        static_cast<char *>(own) + emulatedMachine.hostOffset;
    attributes->hostPointer = own;
  } else if (isPiece || isOfDevices(address)) {
    attributes->type = cudaMemoryTypeDevice;
    attributes->devicePointer = own;
    attributes->device = piece.device;
    if (!isPiece)
      cuPointerGetAttribute(&attributes->device,
                            CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                            reinterpret_cast<CUdeviceptr>(address));
  }
  return cudaSuccess;
}

cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream) {
  const cudaError_t error = enter(__func__, kContext);
  if (error != cudaSuccess)
    return error;
  if (!isPooled(memory)) // CUDA frees cudaMalloc's memory, too
    return failed(cudaErrorInvalidValue);
  return enqueue(stream, [memory] {
    cudaError_t freed;
    freePooled(memory, freed);
  });
}
