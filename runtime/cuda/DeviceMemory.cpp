//===- DeviceMemory.cpp - owners of CUDA's resources ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/DeviceMemory.h"

#include <dlfcn.h>

namespace blink::runtime {

namespace {

/// A function of the driver's, or null. The driver is in the process already;
/// its library is not there when this one is linked.
template <typename Function> Function *driverFunction(const char *name) {
  void *driver = dlopen("libcuda.so.1", RTLD_LAZY);
  return driver ? reinterpret_cast<Function *>(dlsym(driver, name)) : nullptr;
}

} // namespace

cudaError_t allocationOf(const void *address, const char *&begin) {
  static const auto function = driverFunction<int(
      unsigned long long *base, size_t *size, unsigned long long address)>(
      "cuMemGetAddressRange_v2");
  unsigned long long base = 0;
  size_t size = 0;
  if (!function || function(&base, &size,
                            reinterpret_cast<unsigned long long>(address)) != 0)
    return cudaErrorInvalidValue;
  begin = reinterpret_cast<const char *>(base);
  return cudaSuccess;
}

bool isOpenToPeers(const void *address) {
  static const auto function =
      driverFunction<int(void *value, int attribute,
                         unsigned long long address)>("cuPointerGetAttribute");
  // CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE: what processes can share
  // in this way is what peer access was made for.
  constexpr int kIpcCapable = 10;
  int capable = 0;
  return function &&
         function(&capable, kIpcCapable,
                  reinterpret_cast<unsigned long long>(address)) == 0 &&
         capable;
}

} // namespace blink::runtime
