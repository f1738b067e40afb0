//===- SteadyPart.cpp - what fair links keep of a rate --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/simulate/SteadyPart.h"

#include "compiler/simulate/Simulate.h"

#include <algorithm>

using namespace blink;

llvm::Expected<double> blink::steadyPart(const FoldProgram &program) {
  // A chunk whose time is not its links' latency.
  constexpr uint32_t kChunk = 64 << 10;
  constexpr double kChunks = 20000; // over channels, that are worth the time
  // Until the last hop of the deepest tree goes as steadily as the first.
  double first = 8;
  for (const FoldProgram::Tree &tree : program.trees)
    first = std::max(first, 4.0 * tree.depth);
  const double more =
      std::clamp(kChunks / double(program.channels.size()), 16.0, 96.0);
  const double rounds[] = {first, first + more};
  double microseconds[2], bytes[2];
  for (int i = 0; i < 2; ++i) {
    bytes[i] = rounds[i] * kChunk / largestShare(program);
    llvm::Expected<Simulation> simulation =
        simulate(program, sched::Protocol::simple, kChunk, uint64_t(bytes[i]));
    if (!simulation)
      return simulation.takeError();
    microseconds[i] = simulation->microseconds;
  }
  return (bytes[1] - bytes[0]) / (microseconds[1] - microseconds[0]) /
         (rateOfLinks(program) * kBytesPerMicrosecond);
}
