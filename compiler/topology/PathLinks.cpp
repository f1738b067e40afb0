//===- PathLinks.cpp - links that a schedule could use --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/PathLinks.h"

#include "compiler/topology/MaxFlow.h"
#include "compiler/topology/PathLayers.h"

using namespace blink;

static int stateOf(int node, int layer) { return node * numPathLayers + layer; }

/// The state behind `link` for a path that was in `layer` before it.
static int stateAfter(const Topology &topology, int layer, const Link &link) {
  return stateOf(link.to, layerAfter(static_cast<PathLayer>(layer), link.kind,
                                     topology.nodes[link.to].kind));
}

PathLinks::PathLinks(const Fabric &fabric)
    : fabric_(fabric),
      numEnds_(fabric.numRanks() + static_cast<int>(fabric.relays().size())) {
  const Topology &topology = fabric.topology();
  outLinks_.resize(topology.nodes.size());
  for (size_t link = 0; link < topology.links.size(); ++link)
    if (fabric.usable(static_cast<int>(link)))
      outLinks_[topology.links[link].from].push_back(static_cast<int>(link));
  endAt_.assign(topology.nodes.size(), -1);
  for (int end = 0; end < numEnds_; ++end)
    endAt_[fabric.nodeOf(end)] = end;

  for (int source = 0; source < numEnds_; ++source) {
    std::vector<bool> reached(topology.nodes.size() * numPathLayers, false);
    std::vector<int> stack{stateOf(fabric.nodeOf(source), fabricLayer)};
    while (!stack.empty()) {
      int state = stack.back();
      stack.pop_back();
      for (int index : outLinks_[state / numPathLayers]) {
        const Link &link = topology.links[index];
        int next = stateAfter(topology, state % numPathLayers, link);
        if (topology.nodes[link.to].kind == NodeKind::gpu || reached[next])
          continue;
        reached[next] = true;
        stack.push_back(next);
      }
    }
    reaches_.push_back(std::move(reached));
  }
}

/// Whether a path from `source` may end at a GPU's node in `layer`.
bool PathLinks::mayEnd(int source, int node, int layer) const {
  int end = endAt_[node];
  return end >= 0 && end != source &&
         (layer != foreignLayer || !fabric_.peerJoined(source, end));
}

bool PathLinks::contains(int link) const {
  if (!fabric_.usable(link))
    return false;
  for (int source = 0; source < numEnds_; ++source)
    if (isOnPathFrom(source, link))
      return true;
  return false;
}

bool PathLinks::isOnPathFrom(int source, int index) const {
  const Topology &topology = fabric_.topology();
  const Link &link = topology.links[index];
  bool starts = link.from == fabric_.nodeOf(source);
  for (int layer = 0; layer < numPathLayers; ++layer) {
    int before = stateOf(link.from, layer);
    if (starts ? layer != fabricLayer : !reaches_[source][before])
      continue;
    int after = stateAfter(topology, layer, link);
    if (topology.nodes[link.to].kind == NodeKind::gpu
            ? mayEnd(source, link.to, after % numPathLayers)
            : areDisjoint(source, starts ? -1 : before, after))
      return true;
  }
  return false;
}

/// Whether there are a way from `source` to the state `before` (none is needed
/// if that is -1) and one from the state `after` to another GPU, without a
/// common state.
bool PathLinks::areDisjoint(int source, int before, int after) const {
  const Topology &topology = fabric_.topology();
  int numStates = static_cast<int>(topology.nodes.size()) * numPathLayers;
  // A state is two nodes, so that one way at most goes through.
  int start = 2 * numStates, first = start + 1, last = first + 1,
      end = last + 1;
  FlowNetwork network(end + 1);
  auto addLinks = [&](int from, int state) {
    for (int index : outLinks_[state / numPathLayers]) {
      const Link &link = topology.links[index];
      int next = stateAfter(topology, state % numPathLayers, link);
      if (topology.nodes[link.to].kind != NodeKind::gpu) {
        if (state != after || next != before) // back at once
          network.addEdge(from, 2 * next, 1);
      } else if (mayEnd(source, link.to, next % numPathLayers)) {
        network.addEdge(from, last, 1);
      }
    }
  };
  for (int state = 0; state < numStates; ++state) {
    if (!reaches_[source][state] || state == before)
      continue; // the first way ends at `before`
    if (state != after)
      network.addEdge(2 * state, 2 * state + 1, 1);
    addLinks(2 * state + 1, state);
  }
  network.addEdge(start, 2 * after + 1, 1);
  network.addEdge(last, end, 1);
  if (before < 0)
    return network.maxFlow(start, end) > 0.5;
  network.addEdge(start, first, 1);
  addLinks(first, stateOf(fabric_.nodeOf(source), fabricLayer));
  network.addEdge(2 * before, end, 1);
  return network.maxFlow(start, end) > 1.5;
}
