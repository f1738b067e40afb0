//===- Routes.cpp - copies that measure a machine's links -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/probe/measure/Routes.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <deque>
#include <set>

using namespace blink;

namespace {

class Planner {
public:
  Planner(const Topology &topology, Copier &copier)
      : topology_(topology), copier_(copier), gpus_(topology.gpus()) {
    for (size_t node = 0; node < topology.nodes.size(); ++node)
      if (isCpu(static_cast<int>(node)))
        cpus_.push_back(static_cast<int>(node));
  }

  MeasurePlan ofGpus();
  MeasurePlan ofCores();

private:
  using Path = std::vector<int>;
  Path pathOf(int from, int to, bool throughCpus) const;
  Path peerPath(int from, int to) const;
  bool isBetweenGpus(int link) const {
    LinkKind kind = topology_.links[link].kind;
    return kind == LinkKind::nvlink || kind == LinkKind::xgmi;
  }
  /// Returns the NUMA node that a node of kind cpu stands for.
  Place memoryOf(int cpu) const {
    int number = 0;
    llvm::StringRef(topology_.nodes[cpu].id).substr(3).getAsInteger(10, number);
    return {Place::numa, number};
  }
  int add(Place from, Place to, Path links) {
    plan_.routes.push_back({from, to, std::move(links)});
    return static_cast<int>(plan_.routes.size()) - 1;
  }
  void addRun(std::vector<int> routes) {
    if (!routes.empty() && seen_.insert(routes).second)
      plan_.runs.push_back({std::move(routes)});
  }
  void addAlone(llvm::ArrayRef<int> routes);
  void addShared(const std::vector<int> &routes, bool betweenCpus);
  bool isCpu(int node) const {
    return topology_.nodes[node].kind == NodeKind::cpu;
  }

  const Topology &topology_;
  Copier &copier_;
  std::vector<int> gpus_, cpus_;
  MeasurePlan plan_;
  std::set<std::vector<int>> seen_; ///< runs
  std::set<int> covered_;           ///< links of routes that run alone
};

} // namespace

/// Returns the path with the fewest links over nodes that forward; on a tie, a
/// wide one. Empty if there is none.
Planner::Path Planner::pathOf(int from, int to, bool throughCpus) const {
  std::vector<int> last(topology_.nodes.size(), -1), order;
  for (size_t link = 0; link < topology_.links.size(); ++link)
    order.push_back(static_cast<int>(link));
  llvm::stable_sort(order, [&](int a, int b) {
    return topology_.links[a].bandwidth > topology_.links[b].bandwidth;
  });
  std::deque<int> nodes{from};
  while (!nodes.empty() && last[to] < 0) {
    int node = nodes.front();
    nodes.pop_front();
    NodeKind kind = topology_.nodes[node].kind;
    if (node != from && kind != NodeKind::switch_ &&
        (kind != NodeKind::cpu || !throughCpus))
      continue;
    for (int link : order)
      if (const Link &next = topology_.links[link];
          next.from == node && next.to != from && last[next.to] < 0) {
        last[next.to] = link;
        nodes.push_back(next.to);
      }
  }
  Path path;
  for (int node = to; last[to] >= 0 && node != from;
       node = topology_.links[last[node]].from)
    path.insert(path.begin(), last[node]);
  return path;
}

/// Returns a path between two GPUs over direct links, or else below one PCIe
/// switch: across a CPU, schedules go through host memory.
Planner::Path Planner::peerPath(int from, int to) const {
  return pathOf(from, to, /*throughCpus=*/false);
}

/// Adds a run of its own for each of `routes` that crosses a link which no
/// route before it crosses.
void Planner::addAlone(llvm::ArrayRef<int> routes) {
  for (int route : routes) {
    bool isNew = false;
    for (int link : plan_.routes[route].links)
      isNew |= covered_.insert(link).second;
    if (isNew)
      addRun({route});
  }
}

/// Adds a run for each set of `routes` that share a link: one between CPUs, or
/// one of all others. Small sets come first.
void Planner::addShared(const std::vector<int> &routes, bool betweenCpus) {
  std::vector<std::vector<int>> groups;
  for (size_t link = 0; link < topology_.links.size(); ++link) {
    const Link &shared = topology_.links[link];
    if (betweenCpus != (isCpu(shared.from) && isCpu(shared.to)))
      continue;
    std::vector<int> group;
    for (int route : routes)
      if (llvm::is_contained(plan_.routes[route].links, static_cast<int>(link)))
        group.push_back(route);
    if (group.size() > 1)
      groups.push_back(std::move(group));
  }
  llvm::stable_sort(
      groups, [](const auto &a, const auto &b) { return a.size() < b.size(); });
  for (std::vector<int> &group : groups)
    addRun(std::move(group));
}

MeasurePlan Planner::ofGpus() {
  const int count = static_cast<int>(gpus_.size());
  // Indexed by the distance to the other GPU's number: the copies of one
  // distance form a permutation, so all of them can run at once.
  std::vector<std::vector<int>> ofLinks(count), ofSwitches(count);
  for (int distance = 1; distance < count; ++distance)
    for (int gpu = 0; gpu < count; ++gpu) {
      Place from{Place::gpu, gpu}, to{Place::gpu, (gpu + distance) % count};
      Path path = peerPath(gpus_[gpu], gpus_[to.index]);
      if (path.empty() || !copier_.canCopy(from, to))
        continue;
      auto &group = isBetweenGpus(path.front()) ? ofLinks : ofSwitches;
      group[distance].push_back(add(from, to, std::move(path)));
    }

  std::vector<int> out, in, outFar, inFar;
  for (int gpu = 0; gpu < count; ++gpu) {
    std::vector<std::pair<Path, Path>> paths(cpus_.size());
    size_t nearest = SIZE_MAX;
    for (size_t cpu = 0; cpu < cpus_.size(); ++cpu) {
      paths[cpu] = {pathOf(gpus_[gpu], cpus_[cpu], true),
                    pathOf(cpus_[cpu], gpus_[gpu], true)};
      if (!paths[cpu].first.empty())
        nearest = std::min(nearest, paths[cpu].first.size());
    }
    for (size_t cpu = 0; cpu < cpus_.size(); ++cpu) {
      Place device{Place::gpu, gpu}, memory = memoryOf(cpus_[cpu]);
      auto &[there, back] = paths[cpu];
      if (there.empty() || back.empty() || !copier_.canCopy(device, memory))
        continue;
      bool isNear = there.size() == nearest;
      (isNear ? out : outFar).push_back(add(device, memory, there));
      (isNear ? in : inFar).push_back(add(memory, device, back));
    }
  }

  for (const auto *groups : {&ofSwitches, &ofLinks})
    for (const std::vector<int> &group : *groups)
      addAlone(group);
  for (const std::vector<int> *group : {&out, &in, &outFar, &inFar})
    addAlone(*group); // far ones last: they cross links of the near ones
  for (const auto *groups : {&ofSwitches, &ofLinks})
    for (const std::vector<int> &group : *groups)
      addRun(group);
  addShared(out, false);
  addShared(in, false);
  addRun(out);
  addRun(in);
  out.insert(out.end(), in.begin(), in.end());
  addRun(out);
  addShared(outFar, true);
  addShared(inFar, true);
  return std::move(plan_);
}

MeasurePlan Planner::ofCores() {
  std::vector<int> near, far;
  for (size_t core = 0; core < gpus_.size(); ++core) {
    for (int cpu : cpus_)
      if (Path path = pathOf(gpus_[core], cpu, false); path.size() == 1) {
        Path both{path.front(), pathOf(cpu, gpus_[core], false).front()};
        Place from{Place::gpu, static_cast<int>(core)};
        if (copier_.canCopy(from, memoryOf(cpu)))
          near.push_back(add(from, memoryOf(cpu), std::move(both)));
      }
    for (int cpu : cpus_)
      if (Path path = pathOf(gpus_[core], cpu, true); path.size() > 1) {
        Place from{Place::gpu, static_cast<int>(core)};
        if (copier_.canCopy(from, memoryOf(cpu)))
          far.push_back(add(from, memoryOf(cpu), std::move(path)));
      }
  }
  // Routes within near memory share no link of their own, but they share a
  // memory.
  addAlone(near);
  addAlone(far);
  for (int cpu : cpus_) {
    std::vector<int> group;
    for (int route : near)
      if (plan_.routes[route].to.index == memoryOf(cpu).index)
        group.push_back(route);
    addRun(group);
  }
  addRun(near);
  addShared(far, true);
  return std::move(plan_);
}

MeasurePlan blink::planGpuRuns(const Topology &topology, Copier &copier) {
  return Planner(topology, copier).ofGpus();
}

MeasurePlan blink::planHostRuns(const Topology &topology, Copier &copier) {
  return Planner(topology, copier).ofCores();
}

std::string blink::toString(const Topology &topology, const Route &route) {
  std::vector<int> gpus = topology.gpus();
  auto name = [&](Place place) {
    return place.kind == Place::gpu ? topology.nodes[gpus[place.index]].id
                                    : "cpu" + std::to_string(place.index);
  };
  return name(route.from) + " -> " + name(route.to);
}
