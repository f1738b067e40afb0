//===- WorkerState.h - which rank this process is ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_CONFORMANCE_WORKERSTATE_H
#define BLINK_TEST_CONFORMANCE_WORKERSTATE_H

#include "runtime/blink.h"

#include <algorithm>
#include <vector>

namespace blink::test {

/// Set by Worker.cpp before any scenario. A scenario that frees the
/// communicator sets `comm` to null or to another one.
inline int numRanks, self;
inline blinkComm_t comm;

/// Returns true if all ranks pass true: ranks agree by it on what each of them
/// sees only for itself.
inline bool allSay(bool word) {
  const char said = word;
  std::vector<char> all(size_t(numRanks), 0);
  return blinkCommExchange(comm, &said, 1, all.data(), nullptr, 0) ==
             blinkSuccess &&
         std::count(all.begin(), all.end(), 1) == numRanks;
}

} // namespace blink::test

#endif // BLINK_TEST_CONFORMANCE_WORKERSTATE_H
