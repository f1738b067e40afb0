//===- NetworkCosts.cpp - what messages between servers cost --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/NetworkCosts.h"

#include "compiler/packing/Packing.h"
#include "compiler/support/Infinity.h"
#include "compiler/topology/symmetry/Symmetry.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace blink;

static double engineOf(double latency) {
  return std::min(latency / 2, kMostEngine);
}

static bool crossesNic(const Topology &topology, const Path &path) {
  return llvm::any_of(path, [&](int link) {
    return topology.nodes[topology.links[link].to].kind == NodeKind::nic;
  });
}

std::vector<double> blink::engineCosts(const FoldProgram &program) {
  std::vector<double> costs;
  for (const FoldProgram::Channel &channel : program.channels)
    costs.push_back(
        engineOf(channel.leavesMachine() ? program.latencyOf(channel) : 0));
  return costs;
}

double blink::engineCost(const RankTopology &rankTopology, const Path &path) {
  const Topology &topology = rankTopology.topology();
  if (!crossesNic(topology, path))
    return 0;
  double latency = 0;
  for (int link : path)
    latency += topology.links[link].latency;
  return engineOf(latency);
}

/// Returns the bandwidth of the channel's slowest link, in GB/s.
static double narrowestOf(const FoldProgram &program,
                          const FoldProgram::Channel &channel) {
  double narrowest = kInfinity;
  for (uint32_t link : program.pathOf(channel))
    narrowest = std::min(narrowest, program.links[link].bandwidth);
  return narrowest;
}

/// Returns the part of each channel's microseconds that falls on the processor
/// that all lanes of a rank share.
static std::vector<double> processorCosts(const FoldProgram &program) {
  std::vector<double> costs = engineCosts(program);
  for (double &cost : costs)
    cost *= cost / kMostEngine;
  return costs;
}

double blink::busiestEngine(const FoldProgram &program) {
  if (!leavesMachine(program))
    return 0;
  const std::vector<double> costs = processorCosts(program);
  std::vector<double> ranks(program.ranks.size(), 0);
  const Symmetry *symmetry = program.symmetry.get();
  for (auto [channel, cost] : llvm::zip_equal(program.channels, costs))
    for (int end : {channel.source, channel.destination})
      ranks[symmetry ? symmetry->representative(end) : end] += cost;
  return *std::max_element(ranks.begin(), ranks.end());
}

double blink::unseenEngine(const FoldProgram &program) {
  if (!leavesMachine(program))
    return 0;
  const std::vector<double> costs = processorCosts(program);
  const auto costOf = [&](llvm::ArrayRef<FoldProgram::Operand> operands) {
    double sum = 0;
    for (const FoldProgram::Operand &operand : operands)
      sum += operand.isChannel() ? costs[operand.index] : 0;
    return sum;
  };
  double most = 0;
  for (const FoldProgram::Rank &rank : program.ranks) {
    double sum = 0, reads = 0, writes = 0;
    for (const FoldProgram::Fold &fold : rank.folds) {
      const double read = costOf(rank.sourcesOf(fold));
      const double written = costOf(rank.destinationsOf(fold));
      sum += read + written;
      reads = std::max(reads, read);
      writes = std::max(writes, written);
    }
    most = std::max(most, sum - reads - writes);
  }
  return most;
}

double blink::incastOf(const FoldProgram &program) {
  if (!leavesMachine(program))
    return 0;
  const std::vector<double> costs = engineCosts(program);
  std::vector<char> isDown(program.channels.size()); // carries whole sums
  for (const FoldProgram::Rank &rank : program.ranks)
    for (const FoldProgram::Fold &fold : rank.folds)
      for (const FoldProgram::Operand &to : rank.destinationsOf(fold))
        if (to.isChannel())
          isDown[to.index] = fold.completes;
  double most = 0;
  for (const FoldProgram::Rank &rank : program.ranks) {
    double sum = 0;
    for (const bool down : {false, true}) {
      llvm::SmallDenseMap<int, double> senders; // the longest chunk of each
      for (const FoldProgram::Fold &fold : rank.folds)
        for (const FoldProgram::Operand &from : rank.sourcesOf(fold)) {
          if (!from.isChannel() || costs[from.index] < kLeastOfTcp ||
              bool(isDown[from.index]) != down)
            continue;
          const FoldProgram::Channel &channel = program.channels[from.index];
          double &time = senders[channel.source];
          time = std::max(time, program.trees[channel.tree].share /
                                    narrowestOf(program, channel) /
                                    kBytesPerMicrosecond);
        }
      double longest = 0;
      for (const auto &[sender, time] : senders) {
        sum += time;
        longest = std::max(longest, time);
      }
      sum -= longest;
    }
    most = std::max(most, sum / 2);
  }
  return most;
}

double blink::incastTime(const FoldProgram &program, sched::ChunkSizes chunks,
                         uint64_t bytes) {
  const double largest = largestShare(program);
  const double part = double(bytes) * largest;
  const double chunk = double(sched::chunkBytesOfCall(chunks, uint64_t(part)));
  return incastTime(incastOf(program), std::min(chunk, part) / largest, part);
}

bool blink::isOverTcp(const RankTopology &rankTopology, const Path &path) {
  return engineCost(rankTopology, path) >= kLeastOfTcp;
}

uint32_t blink::mostMessage(const FoldProgram &program) {
  constexpr double kLongest = 1e3; // microseconds
  const double largest = largestShare(program);
  double widest = 0; // of the narrowest links of channels
  std::vector<double> windows(program.links.size(), 0);
  for (const FoldProgram::Channel &channel : program.channels) {
    if (!channel.leavesMachine())
      continue;
    for (uint32_t link : program.pathOf(channel))
      windows[link] +=
          kLeastWindow * program.trees[channel.tree].share / largest;
    widest = std::max(widest, narrowestOf(program, channel));
  }
  if (program.symmetry)
    windows = program.symmetry->sumOfImages(windows);
  double most = widest * kBytesPerMicrosecond * kLongest;
  for (auto [link, chunks] : llvm::zip_equal(program.links, windows)) {
    const double queue = std::max(
        kQueueBytes, link.bandwidth * kBytesPerMicrosecond * kQueueTime);
    most = std::min(most, queue / std::max(chunks, 1e-300));
  }
  uint32_t message = kSmallestMessage;
  while (message < kLargestMessage && 2 * message <= most)
    message *= 2;
  return message;
}

bool blink::leavesMachine(const RankTopology &rankTopology) {
  std::vector<double> latencies;
  for (const Link &link : rankTopology.topology().links)
    latencies.push_back(link.latency);
  // For few ranks it is faster to find all paths than to find a symmetry.
  const PathTable table =
      rankTopology.numRanks() <= kFewRanks
          ? rankTopology.cheapestPaths(latencies)
          : rankTopology.cheapestPaths(
                latencies, Symmetry::find(rankTopology).representatives());
  return llvm::any_of(table.paths, [&](const Path &path) {
    return crossesNic(rankTopology.topology(), path);
  });
}

bool blink::leavesMachine(const FoldProgram &program) {
  return llvm::any_of(program.channels,
                      [](const FoldProgram::Channel &channel) {
                        return channel.leavesMachine();
                      });
}
