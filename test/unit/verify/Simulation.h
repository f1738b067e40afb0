//===- Simulation.h - lanes, slots and memory, run for real -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A second opinion for the verifier: it runs a variant on words instead of
// numbers, fold by fold, in an order that chance decides. Slow and simple, and
// knows no theorem.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_UNIT_VERIFY_SIMULATION_H
#define BLINK_TEST_UNIT_VERIFY_SIMULATION_H

#include "test/unit/verify/VerifySupport.h"

#include <map>

namespace blink::test {

struct SimulationResult {
  bool finished = false; ///< false: the lanes wait for each other
  /// What each (rank, output block, tree, chunk) ends with; a contribution of
  /// rank r is "r", a sum "(a+b)", what was never written "?".
  std::map<std::vector<uint32_t>, std::string> outputs;
};

/// Runs the first variant with `chunks[tree]` chunks of each tree. In place,
/// an output and the input it aliases are one cell.
SimulationResult simulate(const TestSchedule &schedule,
                          const std::vector<uint32_t> &chunks, bool inPlace,
                          std::mt19937 &random);

} // namespace blink::test

#endif // BLINK_TEST_UNIT_VERIFY_SIMULATION_H
