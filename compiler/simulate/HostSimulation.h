//===- HostSimulation.h - a schedule on the host back end -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_SIMULATE_HOSTSIMULATION_H
#define BLINK_COMPILER_SIMULATE_HOSTSIMULATION_H

#include "compiler/simulate/LaneCosts.h"
#include "compiler/simulate/Simulate.h"

namespace blink {

/// Simulates a message of `bytes` on the host back end, with one calling thread
/// for each rank and no more processors than ranks (further ones would help,
/// which is not simulated). There are no links: a fold takes the time that its
/// thread needs for it, and other ranks see `notice` later that it is over. A
/// rank's lanes share its thread, which turns to the next lane when one has to
/// wait. If there are more threads than processors, each processor has its
/// share of the threads, and turns to the next one when a thread finds nothing
/// to do, as threads do that yield.
///
/// Folds move as much as they do with the borrowed buffers, and with the slots
/// that several readers share, of runtime/plan/Plan.cpp. Errors: as of
/// simulate().
llvm::Expected<Simulation> simulateHost(const FoldProgram &program,
                                        sched::ChunkSizes chunks,
                                        uint64_t bytes, const LaneCosts &lane,
                                        const HostCosts &host,
                                        const SimulationWatcher &watcher = {});

} // namespace blink

#endif // BLINK_COMPILER_SIMULATE_HOSTSIMULATION_H
