//===- RootedCut.cpp - the least cut around ranks that lack a root --------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Maximum flows by Dinic's algorithm (1970).
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/grow/RootedCut.h"

#include "compiler/packing/TreeRoom.h"
#include "compiler/support/Infinity.h"
#include "compiler/topology/symmetry/MachineColoring.h"

#include <algorithm>
#include <cmath>

using namespace blink;

namespace {

/// Flows below this part of the largest bandwidth are rounding errors.
constexpr double kRounding = 1e-12;

class Flow {
public:
  /// `bandwidths` are those of the links, in any unit.
  Flow(const PackingProblem &problem, const std::vector<double> &bandwidths);

  /// Returns the maximum flow from the root to `sink`, both nodes.
  double run(int root, int sink);
  /// Returns an upper bound on that flow: the lesser of what leaves the root
  /// and what enters `sink` over their own links.
  double most(int root, int sink) const;
  /// Returns, per node, whether the last flow leaves a residual path to it from
  /// the root.
  std::vector<bool> reached() const;

private:
  /// Each link has two arcs; the second leads backwards.
  struct Arc {
    int to;
    double room;
  };
  bool findLevels(int root, int sink);
  double push(int node, int sink, double most);

  std::vector<Arc> arcs_;
  std::vector<double> bandwidths_; // of arcs, before any flow
  std::vector<std::vector<int>> out_;
  std::vector<int> levels_, queue_;
  std::vector<size_t> next_;
  double least_ = 0;
};

Flow::Flow(const PackingProblem &problem,
           const std::vector<double> &bandwidths) {
  const bool up = hasUpTrees(problem.collective);
  const RankTopology &machine = *problem.rankTopology;
  const std::vector<bool> passes = nodesToPass(machine);
  const std::vector<Link> &links = machine.topology().links;
  out_.resize(passes.size());
  for (size_t index = 0; index < links.size(); ++index) {
    const Link &link = links[index];
    if (!machine.usable(static_cast<int>(index)) || !passes[link.from] ||
        !passes[link.to])
      continue;
    const int from = up ? link.to : link.from, to = up ? link.from : link.to;
    out_[from].push_back(static_cast<int>(arcs_.size()));
    arcs_.push_back({to, bandwidths[index]});
    out_[to].push_back(static_cast<int>(arcs_.size()));
    arcs_.push_back({from, 0});
    least_ = std::max(least_, bandwidths[index]);
  }
  for (const Arc &arc : arcs_)
    bandwidths_.push_back(arc.room);
  least_ *= kRounding;
}

bool Flow::findLevels(int root, int sink) {
  levels_.assign(out_.size(), -1);
  levels_[root] = 0;
  queue_.assign(1, root);
  for (size_t at = 0; at < queue_.size() && levels_[sink] < 0; ++at)
    for (int arc : out_[queue_[at]])
      if (arcs_[arc].room > least_ && levels_[arcs_[arc].to] < 0) {
        levels_[arcs_[arc].to] = levels_[queue_[at]] + 1;
        queue_.push_back(arcs_[arc].to);
      }
  return levels_[sink] >= 0;
}

double Flow::push(int node, int sink, double most) {
  if (node == sink)
    return most;
  for (; next_[node] < out_[node].size(); ++next_[node]) {
    const int arc = out_[node][next_[node]];
    const int to = arcs_[arc].to;
    if (arcs_[arc].room <= least_ || levels_[to] != levels_[node] + 1)
      continue;
    const double pushed = push(to, sink, std::min(most, arcs_[arc].room));
    if (pushed == 0)
      continue;
    arcs_[arc].room -= pushed;
    arcs_[arc ^ 1].room += pushed;
    return pushed;
  }
  return 0;
}

double Flow::run(int root, int sink) {
  for (size_t arc = 0; arc < arcs_.size(); ++arc)
    arcs_[arc].room = bandwidths_[arc];
  while (findLevels(root, sink)) {
    next_.assign(out_.size(), 0);
    while (push(root, sink, kInfinity) > 0) {
    }
  }
  double value = 0;
  for (int arc : out_[root])
    value += bandwidths_[arc] - arcs_[arc].room;
  return value;
}

double Flow::most(int root, int sink) const {
  double out = 0, in = 0;
  for (int arc : out_[root])
    out += bandwidths_[arc];
  for (int arc : out_[sink])
    in += bandwidths_[arc ^ 1];
  return std::min(out, in);
}

std::vector<bool> Flow::reached() const {
  std::vector<bool> reached;
  for (int level : levels_)
    reached.push_back(level >= 0);
  return reached;
}

} // namespace

std::vector<bool> blink::nodesToPass(const RankTopology &rankTopology) {
  std::vector<bool> passes;
  for (const Node &node : rankTopology.topology().nodes)
    passes.push_back(node.kind != NodeKind::gpu);
  auto gpus =
      rankTopology.numRanks() + static_cast<int>(rankTopology.relays().size());
  for (int gpu = 0; gpu < gpus; ++gpu)
    passes[rankTopology.nodeOf(gpu)] = true;
  return passes;
}

PackingCertificate blink::leastCut(const PackingProblem &problem) {
  return leastCut(problem, classesAround(*problem.rankTopology, problem.root));
}

PackingCertificate blink::leastCut(const PackingProblem &problem,
                                   const std::vector<int> &ranks) {
  const RankTopology &machine = *problem.rankTopology;
  const bool up = hasUpTrees(problem.collective);
  std::vector<double> bandwidths;
  for (const Link &link : machine.topology().links)
    bandwidths.push_back(link.bandwidth);
  Flow flow(problem, bandwidths);
  double least = kInfinity;
  std::vector<bool> side;
  for (int rank : ranks) {
    const double value =
        flow.run(machine.nodeOf(problem.root), machine.nodeOf(rank));
    if (value < least * (1 - kRounding)) {
      least = value;
      side = flow.reached();
    }
  }
  // The bound is computed from the cut itself, because a flow is a sum with
  // rounding errors.
  PackingCertificate certificate;
  const std::vector<bool> passes = nodesToPass(machine);
  for (const Link &link : machine.topology().links) {
    const int from = up ? link.to : link.from, to = up ? link.from : link.to;
    const bool crosses =
        machine.usable(static_cast<int>(certificate.prices.size())) &&
        passes[from] && passes[to] && side[from] && !side[to];
    certificate.prices.push_back(crosses ? 1 : 0);
    if (crosses)
      certificate.bound += link.bandwidth;
  }
  return certificate;
}

std::vector<int> blink::roomOf(const PackingProblem &problem, double unit) {
  std::vector<int> room;
  for (const Link &link : problem.rankTopology->topology().links)
    room.push_back(static_cast<int>(roomForTrees(link.bandwidth, unit)));
  return room;
}

bool blink::cutsCarry(const PackingProblem &problem,
                      const std::vector<int> &ranks, int trees, double unit) {
  const RankTopology &machine = *problem.rankTopology;
  const std::vector<int> room = roomOf(problem, unit);
  Flow flow(problem, {room.begin(), room.end()});
  const int root = machine.nodeOf(problem.root);
  return std::all_of(ranks.begin(), ranks.end(),
                     [&](int rank) {
                       return flow.most(root, machine.nodeOf(rank)) >= trees;
                     }) &&
         std::all_of(ranks.begin(), ranks.end(), [&](int rank) {
           return flow.run(root, machine.nodeOf(rank)) >= trees;
         });
}
