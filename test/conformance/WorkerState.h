//===- WorkerState.h - which rank this process is ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_CONFORMANCE_WORKERSTATE_H
#define BLINK_TEST_CONFORMANCE_WORKERSTATE_H

#include "runtime/blink.h"

namespace blink::test {

/// Set by Worker.cpp before any scenario; a scenario that frees the
/// communicator leaves null, or another one.
inline int numRanks, self;
inline blinkComm_t comm;

} // namespace blink::test

#endif // BLINK_TEST_CONFORMANCE_WORKERSTATE_H
