//===- ShrinkScenarios.h - processes that go on without others --*- C++ -*-===//
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

/// Returns the ranks that remain.
inline Ranks without(int numRanks, const Ranks &excluded) {
  Ranks ranks;
  for (int rank = 0; rank < numRanks; ++rank)
    if (std::find(excluded.begin(), excluded.end(), rank) == excluded.end())
      ranks.push_back(rank);
  return ranks;
}

/// Runs one rank of a scenario "shrink-...", as described in
/// ShrinkProcessesTest. `flag` is a path where no file exists; ranks signal
/// with it. Frees `comm` and may replace it. Returns "good" or what went wrong.
std::string shrinkScenario(const std::string &scenario, blinkComm_t &comm,
                           int numRanks, int self, const std::string &flag);

} // namespace blink::test

#endif // BLINK_TEST_CONFORMANCE_SHRINKSCENARIOS_H
