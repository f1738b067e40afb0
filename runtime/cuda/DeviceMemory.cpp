//===- DeviceMemory.cpp - owners of CUDA's resources ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/DeviceMemory.h"

#include <dlfcn.h>

namespace blink::runtime {

cudaError_t allocationOf(const void *address, const char *&begin) {
  // Only the driver knows. It is in the process already, and its library is not
  // there when this one is linked.
  using Function = int (*)(unsigned long long *base, size_t *size,
                           unsigned long long address);
  static const auto function = reinterpret_cast<Function>([] {
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY);
    return driver ? dlsym(driver, "cuMemGetAddressRange_v2") : nullptr;
  }());
  unsigned long long base = 0;
  size_t size = 0;
  if (!function || function(&base, &size,
                            reinterpret_cast<unsigned long long>(address)) != 0)
    return cudaErrorInvalidValue;
  begin = reinterpret_cast<const char *>(base);
  return cudaSuccess;
}

} // namespace blink::runtime
