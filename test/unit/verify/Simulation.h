//===- Simulation.h - actually runs lanes and slots -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A second opinion for the verifier: it runs a variant on words instead of
// numbers, fold by fold, in random order. It is slow and simple, and uses no
// theorem.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_UNIT_VERIFY_SIMULATION_H
#define BLINK_TEST_UNIT_VERIFY_SIMULATION_H

#include "test/unit/verify/VerifySupport.h"

#include <map>

namespace blink::test {

struct SimulationResult {
  bool finished = false; ///< false: a deadlock
  /// The final value of each (rank, output block, tree, chunk). A contribution
  /// of rank r is "r", a sum is "(a+b)", and "?" was never written.
  std::map<std::vector<uint32_t>, std::string> outputs;
};

/// Runs the first variant with `chunks[tree]` chunks of each tree. In place, an
/// output and the input that it aliases are one cell.
SimulationResult simulate(const TestSchedule &schedule,
                          const std::vector<uint32_t> &chunks, bool inPlace,
                          std::mt19937 &random);

} // namespace blink::test

#endif // BLINK_TEST_UNIT_VERIFY_SIMULATION_H
