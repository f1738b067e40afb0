//===- Driver.cpp - the emulated driver's functions -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/Driver.h"

#include <cstring>

bool blink::runtime::driverIsLoaded() { return true; }

void *blink::runtime::driverSymbol(const char *name) {
#define BLINK_EMULATED(function)                                               \
  if (std::strcmp(name, BLINK_DRIVER_TEXT(function)) == 0)                     \
    return reinterpret_cast<void *>(&::function);
  BLINK_DRIVER_FUNCTIONS(BLINK_EMULATED)
#undef BLINK_EMULATED
  return nullptr;
}
