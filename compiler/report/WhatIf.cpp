//===- WhatIf.cpp - the gain of one more link -----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/report/WhatIf.h"

#include "compiler/report/Summary.h"
#include "compiler/support/Infinity.h"
#include "compiler/target/ScheduleTopology.h"
#include "compiler/topology/fabric/SwitchStars.h"
#include "compiler/topology/symmetry/Symmetry.h"
#include "schedules/MachineLimits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

using namespace blink;

namespace {

struct Candidate {
  int link;
  int back; ///< the link's other direction, or -1
  double bandwidth;
  double promise; ///< price * bandwidth, both directions
};

/// Returns one scarce link of each class, the most promising first. Leaves out
/// links that with one more beside them would exceed the largest bandwidth that
/// a topology may state.
std::vector<Candidate> candidatesOf(const PackingProblem &problem,
                                    const std::vector<double> &prices) {
  const RankTopology &rankTopology = *problem.rankTopology;
  const std::vector<Link> &links = rankTopology.topology().links;
  std::map<LinkKind, double> slowest;
  const auto index = rankTopology.topology().linkIndices();
  for (const Link &link : links) {
    double &least = slowest.try_emplace(link.kind, kInfinity).first->second;
    least = std::min(least, link.bandwidth);
  }
  // A symmetry may move the root, so it helps collectives without a root only.
  Symmetry symmetry = isRooted(problem.collective)
                          ? Symmetry::trivial(rankTopology)
                          : Symmetry::find(rankTopology);
  std::set<std::pair<int, int>> seen;
  std::vector<Candidate> candidates;
  for (size_t at = 0; at < links.size(); ++at) {
    int link = static_cast<int>(at);
    auto back = index.find({links[at].to, links[at].from, links[at].kind});
    int other = back == index.end() ? -1 : back->second;
    double bandwidth = slowest[links[at].kind];
    double promise = bandwidth * (prices[at] + (other < 0 ? 0 : prices[other]));
    const bool fits = llvm::all_of(std::array{link, other}, [&](int of) {
      return of < 0 || sched::isBandwidth(links[of].bandwidth + bandwidth);
    });
    int one = symmetry.linkClass(link);
    int two = other < 0 ? one : symmetry.linkClass(other);
    if (rankTopology.usable(link) && promise > 0 && fits &&
        seen.insert(std::minmax(one, two)).second)
      candidates.push_back({link, other, bandwidth, promise});
  }
  llvm::stable_sort(candidates, [](const Candidate &a, const Candidate &b) {
    return a.promise > b.promise;
  });
  return candidates;
}

} // namespace

/// Returns the bound of `problem` on `topology`, which has the same nodes as
/// the problem's and one link more.
static llvm::Expected<double> boundWith(const PackingProblem &problem,
                                        Topology topology,
                                        const WorkWatcher &watcher) {
  const RankTopology &before = *problem.rankTopology;
  llvm::Expected<RankTopology> larger = RankTopology::create(
      std::move(topology), before.gpus(), before.linkKinds(), before.relays());
  if (!larger)
    return larger.takeError();
  PackingProblem wider{&*larger, problem.collective, problem.root};
  if (!problem.switches.empty())
    wider.switches = switchStars(*larger);
  llvm::Expected<PackingCertificate> better = boundRate(wider, watcher.solver);
  if (!better)
    return better.takeError();
  return better->bound;
}

/// Tells which of `all` links beside others (or new ones) is tried next.
static void tell(const WorkWatcher &watcher, const PackingProblem &problem,
                 llvm::StringRef what, size_t number, size_t all) {
  watcher.begin(llvm::formatv("{0} with {1}, {2} of {3}",
                              sched::EnumNameCollective(problem.collective),
                              what, number, all)
                    .str());
}

static void sortImprovements(std::vector<Improvement> &improvements) {
  llvm::stable_sort(improvements,
                    [](const Improvement &a, const Improvement &b) {
                      return a.bound > b.bound;
                    });
}

llvm::Expected<std::vector<Improvement>>
blink::tryMoreLinks(const PackingProblem &problem,
                    const PackingCertificate &certificate, size_t most,
                    const WorkWatcher &watcher) {
  const RankTopology &rankTopology = *problem.rankTopology;
  std::vector<Candidate> candidates = candidatesOf(problem, certificate.prices);
  candidates.resize(std::min(most, candidates.size()));
  std::vector<Improvement> improvements;
  for (const Candidate &candidate : candidates) {
    Topology topology = rankTopology.topology();
    for (int link : {candidate.link, candidate.back})
      if (link >= 0)
        topology.links[link].bandwidth += candidate.bandwidth;
    const Link &link = topology.links[candidate.link];
    std::string from = topology.nodes[link.from].id;
    std::string to = topology.nodes[link.to].id;
    LinkKind kind = link.kind;
    tell(watcher, problem, "one more link", improvements.size() + 1,
         candidates.size());
    llvm::Expected<double> bound =
        boundWith(problem, std::move(topology), watcher);
    if (!bound)
      return bound.takeError();
    improvements.push_back({from, to, kind, candidate.bandwidth, *bound});
  }
  sortImprovements(improvements);
  return improvements;
}

/// Returns the slowest link over which two GPUs reach each other's memory.
static const Link *slowestPeerLink(const Topology &topology) {
  const Link *slowest = nullptr;
  for (const Link &link : topology.links)
    if (isPeerLink(link.kind) &&
        topology.nodes[link.from].kind == NodeKind::gpu &&
        topology.nodes[link.to].kind == NodeKind::gpu &&
        (!slowest || link.bandwidth < slowest->bandwidth))
      slowest = &link;
  return slowest;
}

llvm::Expected<std::vector<Improvement>>
blink::tryNewLinks(const PackingProblem &problem,
                   const PackingCertificate &certificate, size_t most,
                   const WorkWatcher &watcher) {
  const RankTopology &rankTopology = *problem.rankTopology;
  const Topology &topology = rankTopology.topology();
  const Link *like = slowestPeerLink(topology);
  std::vector<Improvement> improvements;
  if (!like || !rankTopology.linkKinds().contains(like->kind))
    return improvements;
  // Suppose that a new link gets the price of the cheapest path beside it. Then
  // no tree becomes cheaper, so the prices still prove a bound, which is higher
  // by at most that price times the link's bandwidth.
  struct Pair {
    int from, to; ///< ranks
    double promise;
  };
  std::vector<Pair> pairs;
  const PathTable paths = rankTopology.cheapestPaths(certificate.prices);
  for (int from = 0; from < rankTopology.numRanks(); ++from)
    for (int to = from + 1; to < rankTopology.numRanks(); ++to) {
      const int a = rankTopology.nodeOf(from), b = rankTopology.nodeOf(to);
      const double promise =
          like->bandwidth * (paths.cost(from, to) + paths.cost(to, from));
      if (promise > 0 && llvm::none_of(topology.links, [&](const Link &link) {
            return isPeerLink(link.kind) &&
                   std::minmax(link.from, link.to) == std::minmax(a, b);
          }))
        pairs.push_back({from, to, promise});
    }
  llvm::stable_sort(pairs, [](const Pair &one, const Pair &other) {
    return one.promise > other.promise;
  });
  pairs.resize(std::min(most, pairs.size()));
  for (const Pair &pair : pairs) {
    Topology larger = topology;
    const int a = rankTopology.nodeOf(pair.from),
              b = rankTopology.nodeOf(pair.to);
    for (auto [from, to] : {std::pair(a, b), std::pair(b, a)})
      larger.links.push_back(
          {from, to, like->bandwidth, like->latency, like->kind});
    tell(watcher, problem, "a new link", improvements.size() + 1, pairs.size());
    llvm::Expected<double> bound =
        boundWith(problem, std::move(larger), watcher);
    if (!bound)
      return bound.takeError();
    improvements.push_back({topology.nodes[a].id, topology.nodes[b].id,
                            like->kind, like->bandwidth, *bound});
  }
  sortImprovements(improvements);
  return improvements;
}

llvm::Expected<std::vector<Improvement>>
blink::tryMoreLinks(const sched::Schedule &file, const sched::Program &program,
                    size_t most, const WorkWatcher &watcher) {
  const ProgramKey key = ProgramKey::of(program);
  llvm::Expected<RankTopology> rankTopology = RankTopology::create(
      topologyOf(file), key.gpus, LinkKindSet(file.link_kinds()), key.relays);
  if (!rankTopology)
    return rankTopology.takeError();
  PackingProblem problem{&*rankTopology, program.collective(), program.root()};
  if (summarize(file, program).inSwitch)
    problem.switches = switchStars(*rankTopology);
  const auto &prices = *program.certificate()->prices();
  return tryMoreLinks(
      problem, {{prices.begin(), prices.end()}, program.certificate()->bound()},
      most, watcher);
}
