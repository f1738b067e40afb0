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
                                        uint64_t bytes,
                                        sched::Protocol protocol) {
  SimulationOptions options;
  modelCosts().addTo(options, program, protocol, bytes);
  llvm::Expected<Simulation> simulation =
      simulate(program, protocol, chunks, bytes, options);
  if (!simulation)
    return simulation.takeError();
  return simulation->microseconds;
}
