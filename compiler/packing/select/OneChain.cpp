//===- OneChain.cpp - an allreduce with one tree --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/select/OneChain.h"

#include "compiler/packing/Shares.h"

#include <cmath>

using namespace blink;

/// Returns the ranks in the order of the chain; fewer if it comes to an end.
static std::vector<int> chainOrder(const PathTable &paths, int n) {
  std::vector<int> order = {0};
  std::vector<bool> isDone(size_t(n), false);
  isDone[0] = true;
  while (int(order.size()) < n) {
    const int last = order.back();
    int next = -1;
    double least = HUGE_VAL;
    for (int rank = 0; rank < n; ++rank) {
      if (isDone[size_t(rank)])
        continue;
      const double cost = paths.cost(last, rank) + paths.cost(rank, last);
      if (cost < least) {
        least = cost;
        next = rank;
      }
    }
    if (next < 0)
      break;
    isDone[size_t(next)] = true;
    order.push_back(next);
  }
  return order;
}

std::optional<Packing> blink::packChain(const PackingProblem &problem) {
  const RankTopology &machine = *problem.rankTopology;
  const int n = machine.numRanks();
  if (problem.collective != Collective::allreduce || problem.association ||
      !problem.switches.empty() || machine.isPhased() || n < 2 ||
      n > RankTopology::kMostPaired)
    return std::nullopt;
  std::vector<double> prices;
  for (const Link &link : machine.topology().links)
    prices.push_back(1 / link.bandwidth);
  const PathTable paths = machine.cheapestPaths(prices);
  const std::vector<int> order = chainOrder(paths, n);
  if (int(order.size()) < n)
    return std::nullopt;
  Tree tree;
  const int middle = n / 2;
  tree.root = order[size_t(middle)];
  const auto join = [&](int child, int parent) {
    const int from = order[size_t(child)], to = order[size_t(parent)];
    tree.up.push_back({from, to, paths.path(from, to)});
    tree.down.insert(tree.down.begin(), {to, from, paths.path(to, from)});
  };
  for (int child = 0; child < middle; ++child)
    join(child, child + 1);
  for (int child = n - 1; child > middle; --child)
    join(child, child - 1);
  Packing packing;
  packing.trees.push_back(std::move(tree));
  llvm::Expected<Shares> shares = exactShares(problem, packing);
  if (!shares) {
    llvm::consumeError(shares.takeError());
    return std::nullopt;
  }
  packing.algbw = rateOfShares(problem, packing, *shares);
  packing.trees[0].weight = packing.algbw;
  return packing;
}
