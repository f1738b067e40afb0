//===- FoldLoads.cpp - what the folds of a forest move --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/FoldLoads.h"

using namespace blink;

/// As collective-expand-folds has them: chains of copies.
static std::vector<TreeFold> foldsOfChains(const PackingProblem &problem,
                                           const Tree &tree) {
  size_t n = problem.fabric->numRanks();
  bool gathers = hasUpTrees(problem.collective);
  std::vector<int> parents(n, -1);
  for (const TreeEdge &edge : gathers ? tree.up : tree.down)
    parents[gathers ? edge.from : edge.to] = gathers ? edge.to : edge.from;
  std::vector<TreeFold> folds;
  for (size_t far = 0; far < n; ++far) {
    if (int(far) == tree.root) {
      folds.push_back({tree.root, 0, 2, false});
      continue;
    }
    for (int rank = int(far); rank >= 0; rank = parents[rank]) {
      bool atEnd = rank == int(far) || rank == tree.root;
      bool reads = (rank == int(far)) != gathers; // the last of the chain
      folds.push_back({rank, atEnd ? 1 : 2, atEnd, !(atEnd && reads)});
    }
  }
  return folds;
}

std::vector<TreeFold> blink::foldsOf(const PackingProblem &problem,
                                     const Tree &tree) {
  if (isRouted(problem.collective))
    return foldsOfChains(problem, tree);
  int n = problem.fabric->numRanks();
  bool reduces = hasUpTrees(problem.collective);
  bool spreads = hasDownTrees(problem.collective);
  std::vector<int> read(n, 0), written(n, 0); // channels of children
  for (const TreeEdge &edge : tree.up)
    ++read[edge.to];
  for (const TreeEdge &edge : tree.down)
    ++written[edge.from];
  std::vector<TreeFold> folds;
  for (int rank = 0; rank < n; ++rank) {
    bool isRoot = rank == tree.root;
    if (isRoot)
      folds.push_back({rank, read[rank] + written[rank], 2, false});
    if (!isRoot && reduces)
      folds.push_back({rank, read[rank] + 1, 1, true});
    if (!isRoot && spreads)
      folds.push_back({rank, written[rank] + 1, 1, false});
  }
  return folds;
}

double blink::shareOfTree(const Packing &packing, const Tree &tree) {
  return tree.weight / packing.algbw;
}

std::vector<RankFolds> blink::foldsOfRanks(const PackingProblem &problem,
                                           const Packing &packing,
                                           const std::vector<unsigned> &parts) {
  std::vector<RankFolds> ranks(problem.fabric->numRanks());
  for (size_t t = 0; t < packing.trees.size(); ++t) {
    unsigned copies = parts.empty() ? 1 : parts[t];
    double share = shareOfTree(packing, packing.trees[t]) / copies;
    std::vector<TreeFold> folds = foldsOf(problem, packing.trees[t]);
    for (unsigned copy = 0; copy < copies; ++copy)
      for (const TreeFold &fold : folds) {
        RankFolds &rank = ranks[fold.rank];
        rank.loads.push_back({share * (fold.channels + fold.buffers), fold.up});
        rank.shares.push_back(share);
        rank.moves.push_back(share * fold.moves());
        rank.channels += fold.channels;
      }
  }
  return ranks;
}
