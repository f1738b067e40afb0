//===- TimeModel.cpp - how long messages take, roughly --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/TimeModel.h"

#include "compiler/packing/LaneChoice.h"
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
  double moves = 0; ///< how often one moves the buffer: half of what it reads
                    ///< from channels and writes to them
  double folds = 1;
  double share = 0; ///< of the buffer, of all folds of a lane together

  void addRank(const std::vector<FoldLoad> &loads,
               const std::vector<double> &shares,
               const std::vector<double> &moved, size_t maxLanes) {
    for (const std::vector<size_t> &lane : chooseLanes(loads, maxLanes)) {
      double laneMoves = 0, laneShare = 0;
      for (size_t fold : lane) {
        laneMoves += moved[fold] / 2;
        laneShare += shares[fold];
        moves = std::max(moves, shares[fold]); // once at least
      }
      moves = std::max(moves, laneMoves);
      share = std::max(share, laneShare);
      folds = std::max(folds, double(lane.size()));
    }
  }
};
} // namespace

/// The folds are those of collective-expand-folds, in its order, without what
/// relays do.
static LaneLoads loadsOf(const PackingProblem &problem, const Packing &packing,
                         size_t maxLanes) {
  size_t n = problem.fabric->numRanks();
  bool reduces = hasUpTrees(problem.collective);
  bool spreads = hasDownTrees(problem.collective);
  struct Folds {
    std::vector<FoldLoad> loads;
    std::vector<double> shares, moved;
    void add(double share, int channels, int buffers, bool up) {
      loads.push_back({share * (channels + buffers), up});
      shares.push_back(share);
      moved.push_back(share * channels);
    }
  };
  std::vector<Folds> ranks(n);
  for (const Tree &tree : packing.trees) {
    double share = tree.weight / packing.algbw;
    std::vector<int> read(n, 0), written(n, 0); // channels of children
    for (const TreeEdge &edge : tree.up)
      ++read[edge.to];
    for (const TreeEdge &edge : tree.down)
      ++written[edge.from];
    for (size_t rank = 0; rank < n; ++rank) {
      bool isRoot = rank == size_t(tree.root);
      if (isRoot)
        ranks[rank].add(share, read[rank] + written[rank], 2, false);
      if (!isRoot && reduces)
        ranks[rank].add(share, read[rank] + 1, 1, true);
      if (!isRoot && spreads)
        ranks[rank].add(share, written[rank] + 1, 1, false);
    }
  }
  LaneLoads loads;
  for (const Folds &rank : ranks)
    loads.addRank(rank.loads, rank.shares, rank.moved, maxLanes);
  return loads;
}

MessageTime blink::timeOf(const PackingProblem &problem, const Packing &packing,
                          ForestTraits traits) {
  ProtocolCosts costs = costsOf(traits.protocol);
  LaneLoads loads = loadsOf(problem, packing, traits.maxLanes);
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
  for (const Tree &tree : packing.trees)
    flow.add(tree.weight / packing.algbw,
             directions * tree.depth(problem.fabric->numRanks()));
  flow.chunkBytes = traits.chunkBytes ? traits.chunkBytes : chooseChunk(time);
  return time;
}

MessageTime blink::messageTime(ProtocolCosts costs, double start, double rate,
                               double moves) {
  constexpr double kBytesPerMicrosecond = 1e3; // of one GB/s
  double perByte = costs.wire / rate;
  if (costs.lane > 0)
    perByte = std::max(perByte, moves / costs.lane);
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
  constexpr uint64_t kReferenceBytes = 64 << 20;
  constexpr uint32_t kSmallest = 16 << 10, kLargest = 1 << 20;
  uint32_t best = kSmallest;
  double least = std::numeric_limits<double>::infinity();
  for (uint32_t chunk = kSmallest; chunk <= kLargest; chunk *= 2) {
    time.flow.chunkBytes = chunk;
    double microseconds = time.at(kReferenceBytes);
    if (microseconds < least) {
      best = chunk;
      least = microseconds;
    }
  }
  return best;
}
