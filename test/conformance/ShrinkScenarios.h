//===- ShrinkScenarios.h - processes that go on without some ----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_CONFORMANCE_SHRINKSCENARIOS_H
#define BLINK_TEST_CONFORMANCE_SHRINKSCENARIOS_H

#include "runtime/blink.h"

#include <algorithm>
#include <string>
#include <vector>

namespace blink::test {

using Ranks = std::vector<int>;

/// The ranks that are left.
inline Ranks without(int numRanks, const Ranks &excluded) {
  Ranks ranks;
  for (int rank = 0; rank < numRanks; ++rank)
    if (std::find(excluded.begin(), excluded.end(), rank) == excluded.end())
      ranks.push_back(rank);
  return ranks;
}

/// One rank of a scenario "shrink-...", as ShrinkProcessesTest describes them.
/// `flag`: a path where nothing is, for ranks to signal with. Frees `comm` and
/// may replace it. Returns "good" or what went wrong.
std::string shrinkScenario(const std::string &scenario, blinkComm_t &comm,
                           int numRanks, int self, const std::string &flag);

} // namespace blink::test

#endif // BLINK_TEST_CONFORMANCE_SHRINKSCENARIOS_H
