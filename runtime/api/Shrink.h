//===- Shrink.h - communicators of the remaining ranks ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_API_SHRINK_H
#define BLINK_RUNTIME_API_SHRINK_H

#include "runtime/api/Comm.h"
#include "runtime/job/Shrink.h"

namespace blink::runtime {

/// The arguments of a blinkCommShrink.
struct PendingShrink {
  std::shared_ptr<CommState> state;
  int rank;
  ShrinkRequest request;
  blinkComm_t *result;
};

/// Runs the shrinks of one group, or a single one. Returns the first error.
Status shrinkTogether(std::vector<PendingShrink> &shrinks);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_API_SHRINK_H
