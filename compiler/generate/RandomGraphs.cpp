//===- RandomGraphs.cpp - connected graphs for tests ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/generate/TopologyBuilder.h"

#include <random>
#include <set>

using namespace blink;
using llvm::Error;
using llvm::Expected;

Expected<Topology> blink::generateRandom(int gpus, int switches, int links,
                                         uint64_t seed, bool directed,
                                         const Wire &wire) {
  if (Error error = checkGpus(gpus))
    return error;
  if (switches < 0 || switches > RankTopology::kMaxRanks)
    return makeError("{0} switches: expected 0 to {1}", switches,
                     RankTopology::kMaxRanks);
  int nodes = gpus + switches;
  int64_t least = directed ? (nodes > 1 ? nodes : 0) : nodes - 1;
  int64_t most = int64_t(nodes) * (nodes - 1) / (directed ? 1 : 2);
  if (links < least || links > most)
    return makeError("{0} {1} links between {2} nodes: expected {3} to {4}, "
                     "so that the graph is connected and no pair is joined "
                     "twice",
                     links, directed ? "directed" : "undirected", nodes, least,
                     most);
  if (Error error = checkLinks(double(links) * (directed ? 1 : 2)))
    return error;

  TopologyBuilder builder(
      llvm::formatv("random-{0}-{1}-{2}-{3}", gpus, switches, links, seed),
      gpus);
  for (int at = 0; at < switches; ++at)
    builder.addSwitch(wire, "switch" + std::to_string(at));

  // The engine gives the same numbers everywhere; the library's distributions
  // do not.
  std::mt19937_64 random(seed);
  auto below = [&](int limit) { return static_cast<int>(random() % limit); };
  std::set<std::pair<int, int>> joined;
  auto add = [&](int from, int to) {
    if (from == to || !joined.insert({from, to}).second)
      return;
    Wire chosen = wire;
    chosen.bandwidth *= 1 + below(4);
    if (directed) {
      builder.addArc(from, to, chosen);
    } else {
      joined.insert({to, from});
      builder.join(from, to, chosen);
    }
  };
  std::vector<int> order(nodes);
  for (int i = 0; i < nodes; ++i) {
    int place = below(i + 1);
    order[i] = order[place];
    order[place] = i;
  }
  for (int i = 1; i < nodes; ++i)
    add(order[directed ? i - 1 : below(i)], order[i]);
  if (directed && nodes > 1)
    add(order.back(), order.front());
  size_t pairs = size_t(links) * (directed ? 1 : 2);
  while (joined.size() < pairs)
    add(below(nodes), below(nodes));
  return builder.take(llvm::formatv("random graph, seed {0}", seed));
}
