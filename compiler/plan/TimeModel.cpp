//===- TimeModel.cpp - how long messages take, roughly --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/TimeModel.h"

#include "compiler/plan/FoldLoads.h"
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

void LaneTurns::include(const LaneTurns &lane) {
  folds = std::max(folds, lane.folds);
  share = std::max(share, lane.share);
  passive = std::max(passive, lane.passive);
}

void LaneLoads::startLane() {
  laneMoves_ = 0;
  laneSlots_ = laneDirect_ = {0, 0, 0};
}

void LaneLoads::add(const FoldLoad &load, double share) {
  laneMoves_ += movesOf(load.bytes);
  moves = std::max(moves, laneMoves_);
  laneSlots_.folds += 1;
  laneSlots_.share += share;
  slots.include(laneSlots_);
  if (load.bytes > 0) {
    laneDirect_.folds += 1;
    laneDirect_.share += share;
  } else {
    laneDirect_.passive += 1;
  }
  direct.include(laneDirect_);
}

MessageTime blink::timeOf(const PackingProblem &problem, const Packing &packing,
                          const ForestFolds &folds, ForestTraits traits,
                          const std::vector<unsigned> &parts) {
  ProtocolCosts costs = costsOf(traits.protocol);
  int n = problem.fabric->numRanks();
  std::vector<RankFolds> ranks =
      foldsOfRanks(packing, folds, n, traits.protocol, parts);
  LaneLoads lanes;
  for (const RankFolds &rank : ranks)
    for (const auto &lane : chooseLanes(rank.loads, traits.maxLanes)) {
      lanes.startLane();
      for (size_t fold : lane)
        lanes.add(rank.loads[fold], rank.shares[fold]);
    }
  MessageTime time = messageTime(
      costs, startOf(problem, packing, traits.protocol), packing.algbw, lanes);
  if (traits.protocol == Protocol::low_latency)
    return time;
  ChunkFlow &flow = time.flow;
  int directions =
      hasUpTrees(problem.collective) + hasDownTrees(problem.collective);
  for (size_t t = 0; t < packing.trees.size(); ++t)
    flow.add(shareOfTree(packing, packing.trees[t]) /
                 (parts.empty() ? 1 : parts[t]),
             directions * packing.trees[t].depth(n));
  for (const RankFolds &rank : ranks) // each is read once and written once
    flow.channels += rank.channels / 2.0 / double(ranks.size());
  flow.chunkBytes = traits.chunkBytes ? traits.chunkBytes : chooseChunk(time);
  return time;
}

MessageTime blink::timeOf(const PackingProblem &problem, const Packing &packing,
                          ForestTraits traits) {
  return timeOf(problem, packing, foldsOf(problem, packing), traits, {});
}

MessageTime blink::messageTime(ProtocolCosts costs, double start, double rate,
                               const LaneLoads &lanes) {
  constexpr double kBytesPerMicrosecond = 1e3; // of one GB/s
  double perByte = std::max(costs.wire / rate, lanes.moves / costs.lane);
  MessageTime time{start, perByte / kBytesPerMicrosecond};
  time.flow.turn = costs.turn;
  time.flow.tag = costs.child;
  time.flow.slots = lanes.slots;
  time.flow.direct = lanes.direct;
  return time;
}

void ChunkFlow::add(double share, double hops) {
  hops = std::max(1.0, hops);
  for (const Way &way : trees)
    if (way.share == share && way.hops == hops)
      return;
  trees.push_back({share, hops});
}

static const LaneTurns &lanesAt(const ChunkFlow &flow, uint64_t bytes) {
  bool slots = flow.chunkBytes == 0 || bytes < sched::kDirectBytes;
  return slots ? flow.slots : flow.direct;
}

double MessageTime::startAt(uint64_t bytes) const {
  const LaneTurns &lane = lanesAt(flow, bytes);
  return start + flow.turn * (lane.folds - 1) + flow.tag * lane.passive;
}

double MessageTime::at(uint64_t bytes) const {
  double size = double(bytes);
  double time = startAt(bytes) + size * perByte;
  if (flow.chunkBytes == 0)
    return time;
  double largest = 0;
  for (const ChunkFlow::Way &way : flow.trees)
    largest = std::max(largest, way.share);
  double chunk = double(
      sched::chunkBytesOfCall(flow.chunkBytes, uint64_t(size * largest)));
  double late = 0; // how many bytes of the message the last hop begins late
  for (const ChunkFlow::Way &way : flow.trees)
    late = std::max(late, (way.hops - 1) * std::min(size, chunk / way.share));
  const LaneTurns &lane = lanesAt(flow, bytes);
  double rounds = size * lane.share / chunk;
  return time + flow.turn * std::max(0.0, rounds - lane.folds) + late * perByte;
}

uint32_t blink::slotsOfChannel(double channels, uint32_t chunkBytes) {
  return channels * kSlots * chunkBytes > kSlotBytesOfRank ? kSlots / 2
                                                           : kSlots;
}

uint32_t blink::chooseChunk(MessageTime time) {
  constexpr uint32_t kSmallest = 16 << 10, kLargest = 1 << 20;
  uint32_t best = kSmallest;
  double least = std::numeric_limits<double>::infinity();
  constexpr uint32_t kFreely = 64 << 10;
  for (uint32_t chunk = kSmallest; chunk <= kLargest; chunk *= 2) {
    if (chunk > kFreely &&
        time.flow.channels * (kSlots / 2) * chunk > kSlotBytesOfRank)
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
