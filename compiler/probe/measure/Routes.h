//===- Routes.h - what is copied to measure a machine's links ---*- C++ -*-===//
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

/// Routes that are measured together; or one alone.
struct Run {
  std::vector<int> routes;
};

struct MeasurePlan {
  std::vector<Route> routes;
  std::vector<Run> runs; ///< each alone first, then larger and larger ones
};

/// Plans to measure every link that copies can cross: alone, and then together
/// with what it shares a switch or a host with. `topology` is of machineGraph()
/// or hostMachine(): GPU k is the k-th node of kind gpu, and node "cpu1" is
/// NUMA node 1. Of GPUs the copies are those that schedules have: over links
/// between two GPUs and through switches, and over PCIe to and from host
/// memory, the near one's and every other's.
///
/// No GPU sends or receives more than one copy of another GPU at a time, since
/// it may have no more than two engines for copies.
MeasurePlan planGpuRuns(const Topology &topology, Copier &copier);

/// The same where the nodes of kind gpu are cores: each copies within the
/// memory that is near, by its link to there and back, and to the others'.
MeasurePlan planHostRuns(const Topology &topology, Copier &copier);

/// "gpu0 -> gpu1", "cpu0 -> gpu3": the ends of a route.
std::string toString(const Topology &topology, const Route &route);

} // namespace blink

#endif // BLINK_COMPILER_PROBE_MEASURE_ROUTES_H
