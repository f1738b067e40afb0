//===- TimeModel.cpp - how long messages take, roughly --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/TimeModel.h"

#include "compiler/packing/FoldLoads.h"
#include "schedules/ChunkSize.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace blink;

std::vector<double> blink::hopPrices(const Fabric &fabric,
                                     ProtocolCosts costs) {
  const Topology &topology = fabric.topology();
  std::vector<double> prices;
  for (const Link &link : topology.links) {
    int gpus = 0;
    for (int end : {link.from, link.to})
      gpus += topology.nodes[end].kind == NodeKind::gpu;
    prices.push_back(link.latency + costs.step / 2 * gpus);
  }
  return prices;
}

/// When the last rank is reached from the root, over edges that list parents
/// first. Turned round, a reduction is the same: what a fold reads last waits
/// for nothing.
static double reachAll(const std::vector<TreeEdge> &edges, bool turned,
                       int numRanks, const std::vector<double> &prices,
                       double child) {
  std::vector<double> reached(numRanks, 0);
  std::vector<int> served(numRanks, 0);
  double latest = 0;
  for (size_t i = 0; i < edges.size(); ++i) {
    const TreeEdge &edge = turned ? edges[edges.size() - 1 - i] : edges[i];
    int parent = turned ? edge.to : edge.from;
    int below = turned ? edge.from : edge.to;
    double time = reached[parent] + child * served[parent]++;
    for (int link : edge.path)
      time += prices[link];
    reached[below] = time;
    latest = std::max(latest, time);
  }
  return latest;
}

double blink::startOf(const PackingProblem &problem, const Packing &packing,
                      Protocol protocol) {
  ProtocolCosts costs = costsOf(protocol);
  std::vector<double> prices = hopPrices(*problem.fabric, costs);
  int n = problem.fabric->numRanks();
  double slowest = 0;
  for (const Tree &tree : packing.trees)
    slowest = std::max(slowest,
                       reachAll(tree.up, true, n, prices, costs.child) +
                           reachAll(tree.down, false, n, prices, costs.child));
  return slowest;
}

namespace {
/// What the busiest lanes of all ranks have to do.
struct LaneLoads {
  double moves = 0; ///< how often one moves the buffer
  double folds = 1;
  double share = 0; ///< of the buffer, of all folds of a lane together

  void addRank(const RankFolds &rank, size_t maxLanes) {
    for (const std::vector<size_t> &lane : chooseLanes(rank.loads, maxLanes)) {
      double laneMoves = 0, laneShare = 0;
      for (size_t fold : lane) {
        laneMoves += rank.moves[fold];
        laneShare += rank.shares[fold];
      }
      moves = std::max(moves, laneMoves);
      share = std::max(share, laneShare);
      folds = std::max(folds, double(lane.size()));
    }
  }
};
} // namespace

static LaneLoads loadsOf(const std::vector<RankFolds> &ranks, size_t maxLanes) {
  LaneLoads loads;
  for (const RankFolds &rank : ranks)
    loads.addRank(rank, maxLanes);
  return loads;
}

MessageTime blink::timeOf(const PackingProblem &problem, const Packing &packing,
                          ForestTraits traits,
                          const std::vector<unsigned> &parts) {
  ProtocolCosts costs = costsOf(traits.protocol);
  std::vector<RankFolds> ranks = foldsOfRanks(problem, packing, parts);
  LaneLoads loads = loadsOf(ranks, traits.maxLanes);
  MessageTime time =
      messageTime(costs, startOf(problem, packing, traits.protocol),
                  packing.algbw, loads.moves);
  ChunkFlow &flow = time.flow;
  flow.turn = costs.turn;
  flow.folds = loads.folds;
  flow.laneShare = loads.share;
  if (traits.protocol == Protocol::low_latency)
    return time;
  int directions =
      hasUpTrees(problem.collective) + hasDownTrees(problem.collective);
  for (size_t t = 0; t < packing.trees.size(); ++t) {
    const Tree &tree = packing.trees[t];
    flow.add(shareOfTree(packing, tree) / (parts.empty() ? 1 : parts[t]),
             directions * tree.depth(problem.fabric->numRanks()));
  }
  for (const RankFolds &rank : ranks) // each is read once and written once
    flow.channels += rank.channels / 2.0 / double(ranks.size());
  flow.chunkBytes = traits.chunkBytes ? traits.chunkBytes : chooseChunk(time);
  return time;
}

MessageTime blink::messageTime(ProtocolCosts costs, double start, double rate,
                               double moves) {
  constexpr double kBytesPerMicrosecond = 1e3; // of one GB/s
  double perByte = std::max(costs.wire / rate, moves / costs.lane);
  return {start, perByte / kBytesPerMicrosecond};
}

void ChunkFlow::add(double share, double hops) {
  hops = std::max(1.0, hops);
  for (const Way &way : trees)
    if (way.share == share && way.hops == hops)
      return;
  trees.push_back({share, hops});
}

double MessageTime::at(uint64_t bytes) const {
  double size = double(bytes);
  double time = start + size * perByte;
  if (flow.chunkBytes == 0)
    return time + flow.turn * (flow.folds - 1);
  double largest = 0;
  for (const ChunkFlow::Way &way : flow.trees)
    largest = std::max(largest, way.share);
  double chunk = double(
      sched::chunkBytesOfCall(flow.chunkBytes, uint64_t(size * largest)));
  double late = 0; // how many bytes of the message the last hop begins late
  for (const ChunkFlow::Way &way : flow.trees)
    late = std::max(late, (way.hops - 1) * std::min(size, chunk / way.share));
  double turns = std::max(flow.folds, size * flow.laneShare / chunk);
  return time + flow.turn * (turns - 1) + late * perByte;
}

uint32_t blink::chooseChunk(MessageTime time) {
  constexpr uint32_t kSmallest = 16 << 10, kLargest = 1 << 20;
  uint32_t best = kSmallest;
  double least = std::numeric_limits<double>::infinity();
  constexpr uint32_t kFreely = 128 << 10;
  constexpr double kMostOfRank = 32 << 20;
  for (uint32_t chunk = kSmallest; chunk <= kLargest; chunk *= 2) {
    if (chunk > kFreely && time.flow.channels * kSlots * chunk > kMostOfRank)
      break;
    time.flow.chunkBytes = chunk;
    double microseconds = time.at(kReferenceBytes);
    if (microseconds < least) {
      best = chunk;
      least = microseconds;
    }
  }
  return best;
}
