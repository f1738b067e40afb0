//===- Routes.h - copies that measure a machine's links ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PROBE_MEASURE_ROUTES_H
#define BLINK_COMPILER_PROBE_MEASURE_ROUTES_H

#include "compiler/probe/measure/Copier.h"
#include "compiler/topology/Topology.h"

namespace blink {

/// A copy and the links that it crosses.
struct Route {
  Place from, to;
  std::vector<int> links; ///< indices into Topology::links
};

/// Routes that are measured together, or a single route.
struct Run {
  std::vector<int> routes;
};

struct MeasurePlan {
  std::vector<Route> routes;
  std::vector<Run> runs; ///< single routes first, then larger and larger sets
};

/// Plans to measure every link that copies can cross: alone, and then together
/// with the links that share a switch or a host with it. `topology` is of
/// machineGraph() or hostMachine(): GPU k is the k-th node of kind gpu, and
/// node "cpu1" is NUMA node 1. The copies are like those of schedules: between
/// two GPUs over direct links and through switches, and over PCIe to and from
/// host memory, that of the near NUMA node and of every other.
///
/// No GPU sends or receives more than one copy of another GPU at a time, as it
/// may have no more than two copy engines.
MeasurePlan planGpuRuns(const Topology &topology, Copier &copier);

/// Plans the runs of a machine whose nodes of kind gpu are cores: each core
/// copies within its near memory, over its link there and back, and to the
/// memories of the others.
MeasurePlan planHostRuns(const Topology &topology, Copier &copier);

/// Returns the ends of a route: "gpu0 -> gpu1", "cpu0 -> gpu3".
std::string toString(const Topology &topology, const Route &route);

} // namespace blink

#endif // BLINK_COMPILER_PROBE_MEASURE_ROUTES_H
