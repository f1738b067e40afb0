//===- Oracles.h - optima by enumeration ------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Optimal rates of small graphs of GPUs that are joined directly, from theorems
// about cuts. Uses no linear program, no trees, and no code of the solver.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_UNIT_PACKING_ORACLES_H
#define BLINK_TEST_UNIT_PACKING_ORACLES_H

#include "compiler/packing/Packing.h"

#include <random>
#include <vector>

namespace blink::test {

/// Bandwidth from GPU to GPU, as [from][to]; 0 if there is no link.
using Capacities = std::vector<std::vector<double>>;

/// Returns the smallest cut with `root` on its near side (Edmonds 1973).
double broadcastOptimum(const Capacities &capacities, int root);
/// Returns n times the largest x with cut(S) >= x |S| for every proper subset
/// S: Edmonds' theorem with a source that feeds every GPU x.
double allgatherOptimum(const Capacities &capacities);
/// Returns the minimum, over all partitions, of the bandwidth between parts
/// divided by (parts - 1) (Nash-Williams and Tutte 1961). Capacities must be
/// symmetric.
double allreduceOptimum(const Capacities &capacities);
Capacities reversed(const Capacities &capacities);

/// Returns the NVLink bandwidths between some GPUs of a machine.
Capacities capacitiesOf(const Topology &topology, const std::vector<int> &gpus);

/// Returns a machine of GPUs that are joined as the matrix says.
Topology machineOf(const Capacities &capacities);

/// Returns random capacities of 1 to 4 units of 5 GB/s that connect all GPUs in
/// both directions; `symmetric` makes both directions equal.
Capacities randomCapacities(std::minstd_rand &random, int n, bool symmetric);

} // namespace blink::test

#endif // BLINK_TEST_UNIT_PACKING_ORACLES_H
