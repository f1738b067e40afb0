//===- CommState.cpp - a communicator and its locks -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/python/CommState.h"

namespace blink::python {

CommState::~CommState() {
  // No call is under way, because calls keep this object alive. After fork()
  // the communicator belongs to the parent.
  if (handle && usable().ok() && blinkCommDestroy(handle) != blinkSuccess)
    blinkCommAbort(handle);
}

} // namespace blink::python
