//===- SplitSwitches.cpp - switches modelled as two halves ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/grow/SplitSwitches.h"

#include "compiler/packing/grow/RootedCut.h"
#include "compiler/packing/lp/TreePricer.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace blink;

namespace {

/// The surroundings of a switch.
struct Around {
  std::vector<int> ranks;    ///< ranks with links to it
  std::vector<int> in, out;  ///< links to ranks, and from them
  std::vector<int> up, down; ///< links to another node, and from it
  int other = -1;            ///< the only other node; -2: there are several
  bool isPlain = true; ///< only GPUs of the job, no peer or unusable links
};

Around around(const RankTopology &machine, const std::vector<int> &rankOf,
              int node) {
  Around around;
  const Topology &topology = machine.topology();
  for (size_t index = 0; index < topology.links.size(); ++index) {
    const Link &link = topology.links[index];
    if (link.from != node && link.to != node)
      continue;
    const int number = static_cast<int>(index);
    const bool leaves = link.from == node;
    const int end = leaves ? link.to : link.from;
    around.isPlain &= !isPeerLink(link.kind) && machine.usable(number);
    if (topology.nodes[end].kind != NodeKind::gpu) {
      around.other = around.other == -1 || around.other == end ? end : -2;
      (leaves ? around.up : around.down).push_back(number);
      continue;
    }
    around.isPlain &= rankOf[end] >= 0;
    around.ranks.push_back(rankOf[end]);
    (leaves ? around.in : around.out).push_back(number);
  }
  std::sort(around.ranks.begin(), around.ranks.end());
  around.ranks.erase(std::unique(around.ranks.begin(), around.ranks.end()),
                     around.ranks.end());
  return around;
}

bool areJoined(const RankTopology &machine, const std::vector<int> &ranks) {
  for (int a : ranks)
    for (int b : ranks)
      if (a < b && !machine.peerJoined(a, b))
        return false;
  return true;
}

/// Returns the rank at an end of a link, or -1.
int rankAt(const Link &link, const std::vector<int> &rankOf) {
  return std::max(rankOf[link.from], rankOf[link.to]);
}

std::vector<int> ranksOfNodes(const RankTopology &machine) {
  std::vector<int> rankOf(machine.topology().nodes.size(), -1);
  for (int rank = 0; rank < machine.numRanks(); ++rank)
    rankOf[machine.nodeOf(rank)] = rank;
  return rankOf;
}

double sumOf(const Topology &topology, const std::vector<int> &links) {
  double sum = 0;
  for (int link : links)
    sum += topology.links[link].bandwidth;
  return sum;
}

} // namespace

PackingProblem SplitMachine::problem(const PackingProblem &problem) const {
  PackingProblem split = problem;
  split.rankTopology = &machine;
  return split;
}

std::optional<SplitMachine>
blink::splitSwitches(const PackingProblem &problem) {
  const RankTopology &machine = *problem.rankTopology;
  if (!machine.relays().empty() || machine.isLimited())
    return std::nullopt;
  Topology topology = machine.topology();
  const size_t numNodes = topology.nodes.size();
  const std::vector<int> rankOf = ranksOfNodes(machine);
  std::vector<SplitMachine::Shared> shared;
  for (size_t node = 0; node < numNodes; ++node) {
    if (topology.nodes[node].kind != NodeKind::switch_)
      continue;
    Around links = around(machine, rankOf, static_cast<int>(node));
    if (!links.isPlain || links.other < 0 || links.ranks.size() < 2 ||
        !areJoined(machine, links.ranks))
      continue;
    const int below = static_cast<int>(topology.nodes.size());
    topology.nodes.push_back(
        {topology.nodes[node].id + ".in", NodeKind::switch_});
    for (int link : links.in)
      topology.links[link].from = below;
    for (int link : links.down)
      topology.links[link].to = below;
    const bool up = hasUpTrees(problem.collective);
    SplitMachine::Shared share{up ? links.out : links.in,
                               up ? links.up : links.down};
    llvm::erase_if(share.links, [&](int link) { // no tree uses these
      return rankAt(machine.topology().links[link], rankOf) == problem.root;
    });
    const double most = sumOf(topology, share.source);
    const double sum = sumOf(topology, share.links);
    if (sum <= most)
      continue;
    for (int link : share.links)
      topology.links[link].bandwidth *= most / sum;
    shared.push_back(std::move(share));
  }
  if (topology.nodes.size() == numNodes)
    return std::nullopt;
  llvm::Expected<RankTopology> split = RankTopology::create(
      std::move(topology), machine.gpus(), machine.linkKinds());
  if (!split) {
    llvm::consumeError(split.takeError());
    return std::nullopt;
  }
  return SplitMachine{std::move(*split), std::move(shared)};
}

PackingCertificate blink::sharedCut(const PackingProblem &problem,
                                    const SplitMachine &split) {
  const PackingProblem within = split.problem(problem);
  PackingCertificate cut = leastCut(within);
  auto crosses = [&](int link) { return cut.prices[link] > 0; };
  const auto share = llvm::find_if(split.shared, [&](const auto &each) {
    return llvm::any_of(each.links, crosses);
  });
  if (share != split.shared.end()) {
    const std::vector<int> rankOf = ranksOfNodes(*problem.rankTopology);
    const double part = 1 / static_cast<double>(share->links.size());
    std::vector<double> mean(cut.prices.size(), 0);
    for (int link : share->links) {
      std::vector<double> prices =
          leastCut(within, {rankAt(problem.rankTopology->topology().links[link],
                                   rankOf)})
              .prices;
      for (int other : share->links)
        prices[other] = 0;
      for (size_t at = 0; at < mean.size(); ++at)
        mean[at] += part * prices[at];
    }
    for (int link : share->source)
      mean[link] += part;
    cut.prices = std::move(mean);
  }
  const SymmetricProblem plain = SymmetricProblem::plain(problem);
  TreePricer pricer(plain);
  pricer.setPrices(cut.prices);
  cut.bound = pricer.bound({pricer.cheapest(problem.root)});
  return cut;
}
