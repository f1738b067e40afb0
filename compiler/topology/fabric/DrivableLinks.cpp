//===- DrivableLinks.cpp - links on paths between two GPUs ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Builds dominator trees from and to each GPU over the machine's transit nodes.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/fabric/DrivableLinks.h"

#include <algorithm>

using namespace blink;

/// Returns true if a path may end in this layer (see RankTopology.h).
static bool mayEnd(PathLayer layer, bool joined) {
  return !(joined && layer == pcieLayer);
}

DrivableLinks::DrivableLinks(const RankTopology &machine)
    : machine_(machine), transitIndex_(machine.topology().nodes.size(), -1),
      linksFrom_(machine.numRanks()), linksTo_(machine.numRanks()),
      fromGpu_(machine.numRanks()), toGpu_(2 * size_t(machine.numRanks())) {
  const Topology &topology = machine.topology();
  int n = machine.numRanks(), numTransit = 0;
  if (n <= kMostKept)
    kept_.resize(size_t(n) * n);
  std::vector<int> gpuOf(topology.nodes.size(), -1);
  for (int gpu = 0; gpu < n; ++gpu)
    gpuOf[machine.nodeOf(gpu)] = gpu;
  for (size_t node = 0; node < topology.nodes.size(); ++node)
    if (gpuOf[node] < 0)
      transitIndex_[node] = numTransit++;

  successors_.resize(size_t(numTransit) * numPathLayers);
  linkOf_.assign(successors_.size(), -1);
  for (int index = 0; index < static_cast<int>(topology.links.size());
       ++index) {
    if (!machine.usable(index))
      continue;
    const Link &link = topology.links[index];
    if (gpuOf[link.from] >= 0)
      linksFrom_[gpuOf[link.from]].push_back(index);
    if (gpuOf[link.to] >= 0)
      linksTo_[gpuOf[link.to]].push_back(index);
    if (gpuOf[link.from] >= 0 || gpuOf[link.to] >= 0)
      continue;
    for (PathLayer layer : kPathLayers) {
      successors_[vertexOf(link.from, layer)].push_back(
          static_cast<int>(successors_.size()));
      successors_.push_back(
          {vertexOf(link.to, nextLayer(topology, layer, link))});
      linkOf_.push_back(index);
    }
  }
  predecessors_.resize(successors_.size());
  for (size_t vertex = 0; vertex < successors_.size(); ++vertex)
    for (int next : successors_[vertex])
      predecessors_[next].push_back(static_cast<int>(vertex));
}

DrivableLinks::DominatorTree
DrivableLinks::dominators(const Graph &successors, const Graph &predecessors,
                          const std::vector<int> &starts) {
  int n = static_cast<int>(successors.size()), root = n;
  // A depth-first walk in post-order; the root comes last.
  std::vector<int> order, number(n + 1, -1);
  std::vector<bool> seen(n, false), isStart(n, false);
  std::vector<std::pair<int, size_t>> stack; // vertex, successors done
  for (int start : starts) {
    isStart[start] = true;
    if (seen[start])
      continue;
    seen[start] = true;
    stack.emplace_back(start, 0);
    while (!stack.empty()) {
      auto &[vertex, done] = stack.back();
      if (done == successors[vertex].size()) {
        number[vertex] = static_cast<int>(order.size());
        order.push_back(vertex);
        stack.pop_back();
        continue;
      }
      int next = successors[vertex][done++];
      if (seen[next])
        continue;
      seen[next] = true;
      stack.emplace_back(next, 0);
    }
  }
  number[root] = static_cast<int>(order.size());

  DominatorTree tree;
  std::vector<int> &parent = tree.parent;
  parent.assign(n + 1, -1);
  parent[root] = root;
  auto meet = [&](int a, int b) {
    while (a != b)
      number[a] < number[b] ? a = parent[a] : b = parent[b];
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      int above = isStart[*it] ? root : -1;
      for (int before : predecessors[*it])
        if (parent[before] >= 0)
          above = above < 0 ? before : meet(above, before);
      changed |= parent[*it] != above;
      parent[*it] = above;
    }
  }

  std::vector<int> size(n + 1, 1), next(n + 1, 0);
  tree.enter.assign(n + 1, 0);
  tree.leave.assign(n + 1, 0);
  // In post-order each vertex comes before its dominator.
  for (int vertex : order)
    size[parent[vertex]] += size[vertex];
  next[root] = 1;
  tree.leave[root] = size[root];
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    tree.enter[*it] = next[parent[*it]];
    tree.leave[*it] = tree.enter[*it] + size[*it];
    next[parent[*it]] = tree.leave[*it];
    next[*it] = tree.enter[*it] + 1;
  }
  return tree;
}

const DrivableLinks::DominatorTree &DrivableLinks::fromGpu(int gpu) {
  std::optional<DominatorTree> &tree = fromGpu_[gpu];
  if (!tree) {
    const Topology &topology = machine_.topology();
    std::vector<int> starts;
    for (int index : linksFrom_[gpu]) {
      const Link &link = topology.links[index];
      if (transitIndex_[link.to] >= 0)
        starts.push_back(
            vertexOf(link.to, nextLayer(topology, peerLayer, link)));
    }
    tree = dominators(successors_, predecessors_, starts);
  }
  return *tree;
}

const DrivableLinks::DominatorTree &DrivableLinks::toGpu(int gpu, bool joined) {
  std::optional<DominatorTree> &tree = toGpu_[2 * size_t(gpu) + joined];
  if (!tree) {
    const Topology &topology = machine_.topology();
    std::vector<int> starts;
    for (int index : linksTo_[gpu]) {
      const Link &link = topology.links[index];
      for (PathLayer layer : kPathLayers) {
        if (transitIndex_[link.from] >= 0 &&
            mayEnd(nextLayer(topology, layer, link), joined))
          starts.push_back(vertexOf(link.from, layer));
      }
    }
    tree = dominators(predecessors_, successors_, starts);
  }
  return *tree;
}

std::vector<int> DrivableLinks::compute(int from, int to) {
  const Topology &topology = machine_.topology();
  bool joined = machine_.peerJoined(from, to);
  const DominatorTree &before = fromGpu(from);
  const DominatorTree &after = toGpu(to, joined);

  std::vector<int> links;
  for (int index : linksFrom_[from]) {
    const Link &link = topology.links[index];
    PathLayer layer = nextLayer(topology, peerLayer, link);
    if (transitIndex_[link.to] >= 0
            ? after.reaches(vertexOf(link.to, layer))
            : link.to == machine_.nodeOf(to) && mayEnd(layer, joined))
      links.push_back(index);
  }
  for (int index : linksTo_[to]) {
    const Link &link = topology.links[index];
    for (PathLayer layer : kPathLayers) {
      if (transitIndex_[link.from] >= 0 &&
          before.reaches(vertexOf(link.from, layer)) &&
          mayEnd(nextLayer(topology, layer, link), joined))
        links.push_back(index);
    }
  }
  int root = static_cast<int>(successors_.size());
  for (int vertex = 0; vertex < root; ++vertex) {
    if (linkOf_[vertex] < 0 || !before.reaches(vertex) ||
        !after.reaches(vertex))
      continue;
    int above = before.parent[vertex];
    while (above != root &&
           !(after.reaches(above) && after.dominates(above, vertex)))
      above = before.parent[above];
    if (above == root)
      links.push_back(linkOf_[vertex]);
  }
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());
  return links;
}

const std::vector<int> &DrivableLinks::between(int from, int to) {
  if (kept_.empty())
    return last_ = compute(from, to);
  std::optional<std::vector<int>> &links =
      kept_[size_t(from) * machine_.numRanks() + to];
  if (!links)
    links = compute(from, to);
  return *links;
}

std::vector<int> DrivableLinks::among(const std::vector<int> &gpus) {
  std::vector<bool> isUsed(machine_.topology().links.size());
  for (int from : gpus)
    for (int to : gpus)
      if (from != to)
        for (int link : between(from, to))
          isUsed[link] = true;
  std::vector<int> links;
  for (size_t link = 0; link < isUsed.size(); ++link)
    if (isUsed[link])
      links.push_back(static_cast<int>(link));
  return links;
}
