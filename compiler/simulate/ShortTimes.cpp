//===- ShortTimes.cpp - what short messages take --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/simulate/ShortTimes.h"

#include "compiler/simulate/LaneCosts.h"
#include "compiler/simulate/Simulate.h"

using namespace blink;

llvm::Expected<double> blink::shortTime(const FoldProgram &program,
                                        sched::ChunkSizes chunks,
                                        uint64_t bytes) {
  constexpr sched::Protocol kProtocol = sched::Protocol::simple;
  SimulationOptions options;
  modelCosts().addTo(options, program, kProtocol, bytes);
  llvm::Expected<Simulation> simulation =
      simulate(program, kProtocol, chunks, bytes, options);
  if (!simulation)
    return simulation.takeError();
  return simulation->microseconds;
}
