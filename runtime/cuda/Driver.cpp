//===- Driver.cpp - finding CUDA's driver ---------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/Driver.h"

#include "runtime/Fork.h"

#include <dlfcn.h>

namespace blink::runtime {

/// Opens the driver's library under a lock that fork() takes, too: a child that
/// is forked while the dynamic linker looks for a library finds the linker's
/// table half written.
static void *openDriver(int flags) {
  static ForkSafeMutex &mutex = *new ForkSafeMutex;
  const std::lock_guard<std::mutex> lock(mutex);
  return dlopen("libcuda.so.1", flags);
}

void *driverSymbol(const char *name) {
  void *driver = openDriver(RTLD_LAZY);
  return driver ? dlsym(driver, name) : nullptr;
}

bool driverIsLoaded() { return openDriver(RTLD_LAZY | RTLD_NOLOAD) != nullptr; }

} // namespace blink::runtime
