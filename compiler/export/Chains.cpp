//===- Chains.cpp - a schedule's trees, if they are chains ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/export/Chains.h"

#include "compiler/support/Error.h"
#include "compiler/support/Numbers.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace blink;

/// Returns the ranks from one end to the other, the lower end first; empty if
/// `peers` are no chain. The trees up and down may differ, and then they are no
/// chain either.
static std::vector<int> walk(const std::vector<std::vector<int>> &peers) {
  const size_t numRanks = peers.size();
  auto first = std::find_if(peers.begin(), peers.end(),
                            [](auto &list) { return list.size() == 1; });
  if (first == peers.end())
    return {};
  std::vector<int> ranks{static_cast<int>(first - peers.begin())};
  int before = -1;
  while (ranks.size() <= numRanks) {
    int here = ranks.back();
    auto next =
        llvm::find_if(peers[here], [&](int rank) { return rank != before; });
    if (peers[here].size() > 2)
      return {};
    if (next == peers[here].end())
      break;
    before = here;
    ranks.push_back(*next);
  }
  return ranks.size() == numRanks ? ranks : std::vector<int>();
}

static llvm::Error refuseTree(uint32_t tree,
                              const std::vector<std::vector<int>> &peers) {
  for (size_t rank = 0; rank < peers.size(); ++rank)
    if (peers[rank].size() > 2)
      return makeError("tree {0} branches at rank {1}, to {2}; within a server "
                       "NCCL has chains and rings alone. MSCCL++ has trees: "
                       "--format mscclpp",
                       tree, rank, joinNumbers(peers[rank]));
  return makeError("tree {0} goes up another way than down; NCCL's chains do "
                   "not. MSCCL++ has such trees: --format mscclpp",
                   tree);
}

llvm::Expected<std::vector<Chain>>
blink::chainsOf(const sched::Program &program, const sched::Variant &variant) {
  const size_t numRanks = program.allocation()->size();
  uint32_t numBlocks = 0;
  for (const sched::Tree *tree : *variant.trees())
    numBlocks = std::max(numBlocks, tree->block() + 1);
  // By tree: its channels as pairs of ranks.
  std::vector<std::vector<std::pair<int, int>>> edges(variant.trees()->size());
  for (const sched::Channel *channel : *variant.channels())
    edges[channel->tree()].push_back(
        {channel->source(), channel->destination()});

  std::vector<Chain> chains;
  std::map<std::vector<int>, size_t> places;
  for (uint32_t t = 0; t < edges.size(); ++t) {
    std::vector<std::vector<int>> peers(numRanks);
    for (auto [from, to] : edges[t]) {
      peers[from].push_back(to);
      peers[to].push_back(from);
    }
    for (std::vector<int> &list : peers) {
      llvm::sort(list);
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    std::vector<int> ranks = walk(peers);
    if (ranks.empty())
      return refuseTree(t, peers);
    const sched::Tree &tree = *variant.trees()->Get(t);
    const double share =
        double(tree.numerator()) / tree.denominator() / numBlocks;
    auto [place, isNew] = places.try_emplace(ranks, chains.size());
    if (isNew)
      chains.push_back({ranks, 0, {}});
    Chain &chain = chains[place->second];
    chain.share += share;
    for (auto edge : edges[t])
      chain.loads[edge] += share;
  }
  return chains;
}

std::vector<Chain> blink::circlesOf(const std::vector<Chain> &chains) {
  std::vector<Chain> circles;
  std::map<std::vector<int>, size_t> places;
  for (const Chain &chain : chains) {
    std::vector<int> ranks = chain.ranks;
    std::rotate(ranks.begin(), llvm::find(ranks, 0), ranks.end());
    if (ranks.size() > 2 && ranks[1] > ranks.back())
      std::reverse(ranks.begin() + 1, ranks.end());
    auto [place, isNew] = places.try_emplace(ranks, circles.size());
    if (isNew)
      circles.push_back({ranks, 0, {}});
    Chain &circle = circles[place->second];
    circle.share += chain.share;
    for (const auto &[edge, load] : chain.loads)
      circle.loads[edge] += load;
  }
  return circles;
}
