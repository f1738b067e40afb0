//===- CudaDriver.cpp - the calls of CUDA's driver for copies -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/probe/measure/CudaDriver.h"

#include "compiler/support/Error.h"

#include <dlfcn.h>

using namespace blink;
using namespace blink::cuda;

llvm::Expected<Driver> Driver::load() {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return makeError("CUDA: no libcuda.so.1, with which NVIDIA's driver comes: "
                     "--measure needs it");
  Driver driver = {};
  const char *missing = nullptr;
#define BLINK_FIND(name)                                                       \
  if (driver.name =                                                            \
          reinterpret_cast<decltype(driver.name)>(dlsym(library, #name));      \
      !driver.name)                                                            \
  missing = #name
  BLINK_FIND(cuInit);
  BLINK_FIND(cuDriverGetVersion);
  BLINK_FIND(cuGetErrorName);
  BLINK_FIND(cuDeviceGetByPCIBusId);
  BLINK_FIND(cuDeviceGetName);
  BLINK_FIND(cuDeviceCanAccessPeer);
  BLINK_FIND(cuDevicePrimaryCtxRetain);
  BLINK_FIND(cuDevicePrimaryCtxRelease_v2);
  BLINK_FIND(cuCtxSetCurrent);
  BLINK_FIND(cuCtxEnablePeerAccess);
  BLINK_FIND(cuMemAlloc_v2);
  BLINK_FIND(cuMemFree_v2);
  BLINK_FIND(cuMemHostRegister_v2);
  BLINK_FIND(cuMemHostUnregister);
  BLINK_FIND(cuMemcpyPeerAsync);
  BLINK_FIND(cuMemcpyHtoDAsync_v2);
  BLINK_FIND(cuMemcpyDtoHAsync_v2);
  BLINK_FIND(cuStreamCreate);
  BLINK_FIND(cuStreamDestroy_v2);
  BLINK_FIND(cuStreamWaitEvent);
  BLINK_FIND(cuEventCreate);
  BLINK_FIND(cuEventDestroy_v2);
  BLINK_FIND(cuEventRecord);
  BLINK_FIND(cuEventQuery);
  BLINK_FIND(cuEventElapsedTime);
#undef BLINK_FIND
  if (missing)
    return makeError("CUDA: libcuda.so.1 has no {0}; a driver of CUDA 11 or "
                     "later is needed",
                     missing);
  if (llvm::Error error = driver.check(driver.cuInit(0), "cuInit"))
    return error;
  return driver;
}

llvm::Error Driver::check(int result, const llvm::Twine &what) const {
  if (result == kSuccess)
    return llvm::Error::success();
  const char *name = nullptr;
  if (cuGetErrorName(result, &name) != kSuccess || !name)
    name = "an error that has no name";
  return makeError("CUDA: " + what + ": " + name);
}
