//===- Init.h - communicators that join by an id ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_API_INIT_H
#define BLINK_RUNTIME_API_INIT_H

#include "runtime/api/Comm.h"

namespace blink::runtime {

/// The arguments of a blinkCommInitRank, until its communicator is made.
struct PendingInit {
  const BackendEntry *entry = nullptr;
  BackendRequest request;
  bool blocking = true;
  blinkComm_t *result = nullptr;
};

/// Makes the communicators of one group, or of a single call: all of them or
/// none. Ranks of one job wait for each other, so each has a thread; an error
/// of one ends them all. Returns the first error; if one of the calls is not
/// blocking, returns blinkInProgress at once.
blinkResult_t initTogether(std::vector<PendingInit> inits);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_API_INIT_H
