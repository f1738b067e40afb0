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

/// A message of `bytes` as the host back end moves it, when a thread a rank
/// calls and processors are not more than ranks (else they help, which is not
/// simulated). There are no links: a fold takes what its thread needs for it,
/// and `notice` later others see that it is over. A rank's lanes share its
/// thread, which goes from one to the next when one has to wait. Where there
/// are more threads than processors, each of these has every so many, and turns
/// to the next one when one finds nothing to do, as threads do that yield.
///
/// Folds move what they do with the borrowed buffers, and slots that several
/// readers share, of runtime/plan/Plan.cpp. Errors: as simulate().
llvm::Expected<Simulation> simulateHost(const FoldProgram &program,
                                        sched::ChunkSizes chunks,
                                        uint64_t bytes, const LaneCosts &lane,
                                        const HostCosts &host);

} // namespace blink

#endif // BLINK_COMPILER_SIMULATE_HOSTSIMULATION_H
