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

/// How often the busiest lane moves the buffer: half of what it reads from
/// channels and writes to them. The folds that send towards a root are in one
/// lane, the others in another (AssignLanes.cpp).
static double movesOf(const PackingProblem &problem, const Packing &packing) {
  int n = problem.fabric->numRanks();
  std::vector<double> up(n, 0), down(n, 0);
  for (const Tree &tree : packing.trees) {
    double share = tree.weight / packing.algbw;
    for (const TreeEdge &edge : tree.up) {
      up[edge.from] += share;
      (edge.to == tree.root ? down : up)[edge.to] += share;
    }
    for (const TreeEdge &edge : tree.down) {
      down[edge.from] += share;
      down[edge.to] += share;
    }
  }
  double most = 0;
  for (int rank = 0; rank < n; ++rank)
    most = std::max({most, up[rank], down[rank]});
  return std::max(1.0, most / 2);
}

MessageTime blink::timeOf(const PackingProblem &problem, const Packing &packing,
                          Protocol protocol) {
  return messageTime(costsOf(protocol), startOf(problem, packing, protocol),
                     packing.algbw, movesOf(problem, packing));
}

MessageTime blink::messageTime(ProtocolCosts costs, double start, double rate,
                               double moves) {
  constexpr double kBytesPerMicrosecond = 1e3; // of one GB/s
  double perByte = costs.wire / rate;
  if (costs.lane > 0)
    perByte = std::max(perByte, moves / costs.lane);
  return {start, perByte / kBytesPerMicrosecond};
}

/// The size where two ways take equally long; 0 if `small` is never faster.
static double meetingSize(MessageTime small, MessageTime large) {
  double slower = small.perByte - large.perByte;
  return large.start <= small.start ? 0
         : slower > 0               ? (large.start - small.start) / slower
                                    : std::numeric_limits<double>::infinity();
}

constexpr uint64_t kMostSmall = 256 << 10;
constexpr double kHalfStep = 1.4142135623730951; // between powers of two

/// The nearest power of two from `least`, which is one, to kMostSmall.
static uint64_t nearestPower(double size, uint64_t least) {
  uint64_t power = least;
  while (power < kMostSmall && size >= double(power) * kHalfStep)
    power *= 2;
  return power;
}

uint64_t blink::crossingSize(MessageTime small, MessageTime large) {
  constexpr uint64_t kLeast = 4 << 10;
  return nearestPower(meetingSize(small, large), kLeast);
}

SmallRanges blink::chooseRanges(const std::optional<MessageTime> &oneHop,
                                MessageTime tree, MessageTime large) {
  constexpr uint64_t kLeast = 256;
  uint64_t treeEnds = crossingSize(tree, large);
  double meet = oneHop ? meetingSize(*oneHop, tree) : 0;
  if (meet * kHalfStep < kLeast)
    return {0, treeEnds};
  uint64_t ends = nearestPower(meet, kLeast);
  if (ends < treeEnds)
    return {ends, treeEnds};
  ends = crossingSize(*oneHop, large);
  return {ends, ends};
}
