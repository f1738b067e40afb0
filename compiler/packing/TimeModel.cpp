//===- TimeModel.cpp - how long messages take, roughly --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/TimeModel.h"

#include <algorithm>
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

MessageTime blink::timeOf(const PackingProblem &problem, const Packing &packing,
                          Protocol protocol) {
  constexpr double kBytesPerMicrosecond = 1e3; // of one GB/s
  ProtocolCosts costs = costsOf(protocol);
  double perByte = costs.wire / packing.algbw;
  if (costs.lane > 0)
    perByte = std::max(perByte, 1 / costs.lane);
  return {startOf(problem, packing, protocol), perByte / kBytesPerMicrosecond};
}

uint64_t blink::crossingSize(MessageTime small, MessageTime large) {
  constexpr uint64_t kLeast = 4 << 10, kMost = 256 << 10;
  constexpr double kHalfStep = 1.4142135623730951; // between powers of two
  double slower = small.perByte - large.perByte;
  double meet = large.start <= small.start ? 0
                : slower > 0 ? (large.start - small.start) / slower
                             : std::numeric_limits<double>::infinity();
  uint64_t size = kLeast;
  while (size < kMost && meet >= double(size) * kHalfStep)
    size *= 2;
  return size;
}
