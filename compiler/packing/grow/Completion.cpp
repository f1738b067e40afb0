//===- Completion.cpp - can trees that were begun be completed? -----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/grow/Completion.h"

#include <algorithm>

using namespace blink;

/// The nodes that data may pass: all but GPUs outside of the job.
static std::vector<bool> nodesToPass(const RankTopology &rankTopology) {
  std::vector<bool> passes;
  for (const Node &node : rankTopology.topology().nodes)
    passes.push_back(node.kind != NodeKind::gpu);
  auto gpus =
      rankTopology.numRanks() + static_cast<int>(rankTopology.relays().size());
  for (int gpu = 0; gpu < gpus; ++gpu)
    passes[rankTopology.nodeOf(gpu)] = true;
  return passes;
}

Completion::Completion(const PackingProblem &problem, std::vector<int> room,
                       int trees)
    : problem_(problem), room_(std::move(room)),
      members_(trees, {problem.rankTopology->nodeOf(problem.root)}) {
  const RankTopology &rankTopology = *problem.rankTopology;
  const std::vector<bool> passes = nodesToPass(rankTopology);
  const bool up = hasUpTrees(problem.collective);
  out_.resize(passes.size());
  in_.resize(passes.size());
  for (size_t link = 0; link < room_.size(); ++link) {
    const Link &ends = rankTopology.topology().links[link];
    tails_.push_back(up ? ends.to : ends.from);
    heads_.push_back(up ? ends.from : ends.to);
    const int index = static_cast<int>(link);
    if (!rankTopology.usable(index) || !passes[ends.from] || !passes[ends.to])
      room_[link] = 0;
    if (room_[link] == 0)
      continue;
    out_[tails_[link]].push_back({index, heads_[link]});
    in_[heads_[link]].push_back({index, tails_[link]});
  }
}

bool Completion::begin() {
  const RankTopology &rankTopology = *problem_.rankTopology;
  const int root = rankTopology.nodeOf(problem_.root);
  const size_t trees = members_.size();
  flows_.assign(rankTopology.numRanks(), {std::vector<int>(room_.size(), 0),
                                          std::vector<int>(trees, -1)});
  for (int rank = 0; rank < rankTopology.numRanks(); ++rank)
    for (size_t tree = 0; tree < trees && rank != problem_.root; ++tree) {
      if (!augment(flows_[rank], root, rankTopology.nodeOf(rank)))
        return false;
      flows_[rank].entries[tree] = root;
    }
  return true;
}

void Completion::startSearch(int from) {
  steps_.assign(out_.size(), {});
  steps_[from].before = from;
  queue_.assign(1, from);
}

void Completion::reach(int node, Step step) {
  if (steps_[node].before >= 0)
    return;
  steps_[node] = step;
  queue_.push_back(node);
}

/// One unit more between two nodes, in the residual graph.
bool Completion::augment(Flow &flow, int from, int to) {
  startSearch(from);
  for (size_t next = 0; next < queue_.size() && steps_[to].before < 0; ++next) {
    const int node = queue_[next];
    for (const Arc &arc : out_[node])
      if (flow.uses[arc.link] < room_[arc.link])
        reach(arc.node, {node, arc.link, -1, true});
    for (const Arc &arc : in_[node])
      if (flow.uses[arc.link] > 0)
        reach(arc.node, {node, arc.link, -1, false});
    for (size_t tree = 0; tree < members_.size(); ++tree)
      if (flow.entries[tree] == node)
        for (int member : members_[tree])
          reach(member, {node, -1, static_cast<int>(tree), false});
  }
  if (steps_[to].before < 0)
    return false;
  for (int node = to; node != from; node = steps_[node].before) {
    const Step &step = steps_[node];
    if (step.link < 0)
      flow.entries[step.tree] = node;
    else
      flow.uses[step.link] += step.forward ? 1 : -1;
  }
  return true;
}

/// Takes a unit off a path between two nodes.
bool Completion::removePath(Flow &flow, int from, int to) {
  startSearch(from);
  for (size_t next = 0; next < queue_.size() && steps_[to].before < 0; ++next)
    for (const Arc &arc : out_[queue_[next]])
      if (flow.uses[arc.link] > 0)
        reach(arc.node, {queue_[next], arc.link, -1, true});
  if (steps_[to].before < 0)
    return false;
  for (int node = to; node != from; node = steps_[node].before)
    --flow.uses[steps_[node].link];
  return true;
}

/// Makes the flow to `target` one of the trees as they are now, after `tree`
/// got `node` by `path`.
bool Completion::adapt(Flow &flow, int target, int tree, int node,
                       const Path &path) {
  if (node == target) {
    if (!removePath(flow, flow.entries[tree], target))
      return false;
    flow.entries[tree] = -1;
  }
  for (int link : path)
    while (flow.uses[link] > room_[link]) {
      --flow.uses[link];
      if (!augment(flow, tails_[link], heads_[link]))
        return false;
    }
  return true;
}

bool Completion::take(int tree, int rank, const Path &path) {
  const RankTopology &rankTopology = *problem_.rankTopology;
  const int node = rankTopology.nodeOf(rank);
  members_[tree].push_back(node);
  for (int link : path)
    --room_[link];
  bool possible = std::all_of(path.begin(), path.end(),
                              [&](int link) { return room_[link] >= 0; });
  std::vector<std::pair<size_t, Flow>> before;
  for (size_t target = 0; target < flows_.size() && possible; ++target) {
    Flow &flow = flows_[target];
    auto lacksRoom = [&](int link) { return flow.uses[link] > room_[link]; };
    if (static_cast<int>(target) != rank &&
        std::none_of(path.begin(), path.end(), lacksRoom))
      continue;
    before.emplace_back(target, flow);
    possible = adapt(flow, rankTopology.nodeOf(static_cast<int>(target)), tree,
                     node, path);
  }
  if (possible)
    return true;
  for (auto &[target, flow] : before)
    flows_[target] = std::move(flow);
  for (int link : path)
    ++room_[link];
  members_[tree].pop_back();
  return false;
}
