//===- SteadyPart.cpp - the part of a rate that fair links keep -----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/simulate/SteadyPart.h"

#include "compiler/simulate/Simulate.h"

#include <algorithm>

using namespace blink;

llvm::Expected<double> blink::steadyPart(const FoldProgram &program,
                                         const MessageTime &time,
                                         double least) {
  // As much as a compiler has time for. If trees drift apart, it shows within
  // this number of rounds.
  constexpr double kTransfers = 60000, kRounds = 1024;
  const double roundBytes = time.flow.chunkBytes / time.flow.largest;
  const double rounds =
      std::min(kRounds, kTransfers / double(program.channels.size()));
  double part = 1;
  uint64_t before = 0;
  for (uint64_t bytes : {kReferenceBytes, 4 * kReferenceBytes}) {
    while (bytes > kReferenceBytes / 4 && double(bytes) > rounds * roundBytes)
      bytes /= 2;
    if (bytes == before || part < least)
      break;
    before = bytes;
    SimulationOptions options;
    options.mostMicroseconds =
        least > 0 ? time.linksAt(bytes) / least : kInfinity;
    llvm::Expected<Simulation> simulation = simulate(
        program, sched::Protocol::simple, time.flow.sizes(), bytes, options);
    if (!simulation)
      return simulation.takeError();
    part = std::min(part, time.linksAt(bytes) / simulation->microseconds);
  }
  return part;
}
