//===- Oracles.h - optima by enumeration ------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Optimal rates of small graphs of GPUs joined directly, from theorems that
// count cuts. No linear program, no tree, no code of the solver.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_UNIT_PACKING_ORACLES_H
#define BLINK_TEST_UNIT_PACKING_ORACLES_H

#include "compiler/packing/Packing.h"

#include <random>
#include <vector>

namespace blink::test {

/// Bandwidth from GPU to GPU, [from][to], 0 for none.
using Capacities = std::vector<std::vector<double>>;

/// Edmonds 1973: the smallest cut that has `root` on its near side.
double broadcastOptimum(const Capacities &capacities, int root);
/// Edmonds with a source that feeds every GPU x: n times the largest x with
/// cut(S) >= x |S| for every proper subset S.
double allgatherOptimum(const Capacities &capacities);
/// Nash-Williams and Tutte 1961: over all partitions, the bandwidth between
/// parts divided by (parts - 1). Capacities must be symmetric.
double allreduceOptimum(const Capacities &capacities);
Capacities reversed(const Capacities &capacities);

/// The nvlink bandwidths between some GPUs of a machine.
Capacities capacitiesOf(const Topology &topology, const std::vector<int> &gpus);

/// A machine of GPUs joined as the matrix says.
Topology machineOf(const Capacities &capacities);

/// Random capacities of 1 to 4 units of 5 GB/s that connect everything both
/// ways; `symmetric` makes both directions equal.
Capacities randomCapacities(std::minstd_rand &random, int n, bool symmetric);

} // namespace blink::test

#endif // BLINK_TEST_UNIT_PACKING_ORACLES_H
