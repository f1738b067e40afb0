//===- Driver.cpp - finding CUDA's driver ---------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/Driver.h"

#include "runtime/Fork.h"

#include <dlfcn.h>

namespace blink::runtime {

void *driverSymbol(const char *name) {
  void *driver = dlopen("libcuda.so.1", RTLD_LAZY);
  return driver ? dlsym(driver, name) : nullptr;
}

bool driverIsLoaded() {
  // A child that is forked while the linker looks for a library finds its
  // table half gone.
  static ForkSafeMutex &mutex = *new ForkSafeMutex;
  const std::lock_guard<std::mutex> lock(mutex);
  return dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD) != nullptr;
}

} // namespace blink::runtime
