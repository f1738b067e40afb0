//===- DeviceMemory.cpp - owners of CUDA's resources ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/DeviceMemory.h"

#include "runtime/cuda/Driver.h"

namespace blink::runtime {

cudaError_t pushDevice(int device) {
  // The context is not released: the CUDA runtime, which uses it next, keeps it
  // until the process ends. The runtime numbers devices as the driver does.
  CUcontext context = nullptr;
  return driver().cuDevicePrimaryCtxRetain(&context, device) == CUDA_SUCCESS &&
                 driver().cuCtxPushCurrent(context) == CUDA_SUCCESS
             ? cudaSuccess
             : cudaErrorDeviceUninitialized;
}

void popDevice() {
  CUcontext context = nullptr;
  driver().cuCtxPopCurrent(&context);
}

bool isOpenToPeers(const void *address) {
  // Memory that processes can share by legacy IPC is the memory that peer
  // access opens.
  int capable = 0;
  return driver().cuPointerGetAttribute(
             &capable, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
             reinterpret_cast<CUdeviceptr>(address)) == CUDA_SUCCESS &&
         capable;
}

} // namespace blink::runtime
