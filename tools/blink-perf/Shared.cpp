//===- Shared.cpp - what the workers of a run share -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blink-perf/Shared.h"

#include <new>

namespace blink::perf {

Shared::Shared(int numWorkers, size_t numCases, size_t referenceBytes)
    : SharedState(numWorkers,
                  wholePages(kResultsAt + numCases * sizeof(Result)) +
                      wholePages(referenceBytes)),
      referenceAt_(wholePages(kResultsAt + numCases * sizeof(Result))) {
  for (size_t i = 0; i < numCases; ++i)
    new (&result(i)) Result;
}

bool Shared::conclude(size_t index, bool first) {
  if (!SharedState::barrier())
    return false;
  if (first)
    finish(uint32_t(index + 1));
  return true;
}

} // namespace blink::perf
