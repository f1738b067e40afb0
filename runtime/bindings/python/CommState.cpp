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
  if (!handle || !usable().ok())
    return;
  // Ranks of other servers may need some time to hear the goodbye, in which
  // other threads go on.
  std::optional<nanobind::gil_scoped_release> release;
  if (PyGILState_Check())
    release.emplace();
  if (blinkCommDestroy(handle) != blinkSuccess)
    blinkCommAbort(handle);
}

} // namespace blink::python
