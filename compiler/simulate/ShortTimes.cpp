//===- ShortTimes.cpp - what short messages take --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/simulate/ShortTimes.h"

#include "compiler/plan/NetworkCosts.h"
#include "compiler/simulate/LaneCosts.h"
#include "compiler/simulate/Simulate.h"

#include <algorithm>
#include <cmath>

using namespace blink;

double blink::simulatedFolds(const FoldProgram &program,
                             sched::ChunkSizes chunks, uint64_t bytes,
                             sched::Protocol protocol) {
  const double largest = double(bytes) * largestShare(program);
  const uint64_t chunk = sched::chunkBytesOfCall(chunks, uint64_t(largest));
  const uint64_t part = protocol == sched::Protocol::low_latency
                            ? std::min<uint64_t>(chunk, sched::kWaveBytes)
                            : chunk;
  return double(program.numFolds()) *
         std::max(1.0, std::ceil(largest / double(part)));
}

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
  return simulation->microseconds + incastTime(program, chunks, bytes);
}
