//===- ShortTimes.cpp - what short messages take --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/simulate/ShortTimes.h"

#include "compiler/simulate/LaneCosts.h"
#include "compiler/simulate/Simulate.h"

using namespace blink;

llvm::Expected<ShortTimes> blink::shortTimes(const FoldProgram &program,
                                             sched::ChunkSizes chunks) {
  constexpr sched::Protocol kProtocol = sched::Protocol::simple;
  const DeviceCosts costs = modelCosts();
  ShortTimes times;
  for (size_t i = 0; i < kShortSizes.size(); ++i) {
    SimulationOptions options;
    costs.addTo(options, program, kProtocol, kShortSizes[i]);
    llvm::Expected<Simulation> simulation =
        simulate(program, kProtocol, chunks, kShortSizes[i], options);
    if (!simulation)
      return simulation.takeError();
    times[i] = simulation->microseconds;
  }
  return times;
}
