//===- Replay.cpp - a message, as the simulator sees it -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/report/page/Replay.h"

#include "compiler/plan/TimeModel.h"

#include <algorithm>

using namespace blink;

static constexpr size_t kMostTransfers = 6000;
static constexpr size_t kMostChunks = 8;

llvm::Expected<std::optional<PageReplay>>
blink::replayOf(const FoldProgram &program, const sched::Variant &variant) {
  const size_t channels = program.channels.size();
  if (channels == 0 || 2 * channels > kMostTransfers)
    return std::nullopt;
  const size_t chunks = std::min(kMostChunks, kMostTransfers / channels);
  PageReplay replay;
  // A little less than so many whole chunks, and not one byte of one more.
  replay.bytes = std::max<uint64_t>(
      variant.min_bytes(),
      uint64_t(double(chunks) * variant.chunk_bytes() / largestShare(program)));
  const ProtocolCosts costs = costsOf(variant.protocol());
  SimulationOptions options;
  options.stepCost = costs.chunkOverhead;
  options.laneRate = costs.laneRate;
  options.details = true;
  llvm::Expected<Simulation> simulation =
      simulate(program, variant.protocol(), variant.chunk_bytes(), replay.bytes,
               options);
  if (!simulation)
    return simulation.takeError();
  replay.simulation = std::move(*simulation);
  return replay;
}
