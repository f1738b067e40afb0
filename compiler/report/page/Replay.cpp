//===- Replay.cpp - a message, as the simulator sees it -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/report/page/Replay.h"

#include "compiler/plan/TimeModel.h"
#include "compiler/simulate/LaneCosts.h"

#include <algorithm>
#include <map>

using namespace blink;

static constexpr size_t kMostTransfers = 6000;
static constexpr size_t kMostChunks = 8;

static void addFolds(const SimulatedEvents &events, PageReplay &replay) {
  std::map<std::pair<size_t, size_t>, uint32_t> lanes;
  for (const LaneTimes &lane : replay.lanes)
    lanes.emplace(std::pair(lane.rank, lane.lane), uint32_t(lanes.size()));
  for (const sched::TracedFold &fold : events.folds)
    replay.folds.push_back(
        {lanes.at({fold.rank, fold.lane}), fold.begin, fold.end});
}

/// Merges the parts of a chunk, which had one rate each, into one transfer. A
/// transfer takes as many parts as add up to the bytes of its chunk, which are
/// known from the fold that wrote it.
static void addTransfers(const FoldProgram &program,
                         const SimulatedEvents &events, double wireBytes,
                         PageReplay &replay) {
  std::vector<std::vector<double>> chunks(program.channels.size());
  for (const sched::TracedFold &fold : events.folds) {
    const FoldProgram::Rank &rank = program.ranks[fold.rank];
    const size_t place = rank.lanes[fold.lane][fold.step];
    for (const FoldProgram::Operand &to :
         rank.destinationsOf(rank.folds[place]))
      if (to.isChannel())
        chunks[size_t(to.index)].push_back(wireBytes * double(fold.bytes));
  }
  struct Open {
    size_t chunk = 0;
    double left = 0;
    uint64_t begin = 0;
  };
  std::vector<Open> open(program.channels.size());
  for (const sched::TracedTransfer &part : events.transfers) {
    Open &at = open[part.channel];
    const std::vector<double> &sizes = chunks[part.channel];
    if (at.chunk == sizes.size())
      continue;
    if (at.left <= 0) {
      at.left = sizes[at.chunk];
      at.begin = part.begin;
    }
    at.left -= double(part.bytes) + 1; // parts are whole bytes, rounded
    if (at.left > 0)
      continue;
    double latency = 0;
    for (uint32_t link : program.pathOf(program.channels[part.channel]))
      latency += program.links[link].latency;
    replay.transfers.push_back(
        {part.channel, at.begin, part.end, part.end + uint64_t(latency * 1e3)});
    ++at.chunk;
    at.left = 0;
  }
}

llvm::Expected<std::optional<PageReplay>>
blink::replayOf(const FoldProgram &program, const sched::Variant &variant) {
  const size_t channels = program.channels.size();
  if (channels == 0 || 2 * channels > kMostTransfers)
    return std::nullopt;
  const size_t chunks = std::min(kMostChunks, kMostTransfers / channels);
  PageReplay replay;
  constexpr double kMostBytes = 1e15; // for shares of a crafted file
  replay.bytes =
      uint64_t(std::min(kMostBytes, double(chunks) * variant.chunk_bytes() /
                                        largestShare(program)));
  SimulationOptions options;
  modelCosts().addTo(options, program, variant.protocol(), replay.bytes);
  options.details = true;
  options.mostEvents = UINT64_MAX;
  llvm::Expected<Simulation> simulation =
      simulate(program, variant.protocol(), variant.chunk_bytes(), replay.bytes,
               options);
  if (!simulation)
    return simulation.takeError();
  replay.microseconds = simulation->microseconds;
  replay.lanes = simulation->details.lanes;
  addFolds(simulation->events, replay);
  addTransfers(program, simulation->events,
               costsOf(variant.protocol()).wireBytes, replay);
  for (const FoldProgram::Channel &channel : program.channels)
    replay.trees.push_back(channel.tree);
  replay.channels = pageHops(program);
  return replay;
}
