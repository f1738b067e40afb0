//===- GatesTest.cpp - trees in three phases ------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/trees/Gates.h"

#include "compiler/packing/PackTrees.h"
#include "compiler/packing/SelectTrees.h"
#include "compiler/support/Infinity.h"
#include "test/unit/packing/Pods.h"

#include <algorithm>

using namespace blink;
using namespace blink::test;

namespace {

PackedTrees packed(const RankTopology &machine, Collective collective) {
  return valueOf(packTrees(PackingProblem{&machine, collective, 0}));
}

constexpr Collective kCollectives[] = {
    Collective::allreduce, Collective::broadcast, Collective::reduce,
    Collective::allgather, Collective::reducescatter};

/// Returns the cost of the cheapest arborescence, found by trying all.
double cheapestByHand(const CostMatrix &costs, int n, int root,
                      const std::vector<int> &serverOf, bool gated) {
  double least = kInfinity;
  std::vector<int> parents(n, 0);
  long all = 1;
  for (int i = 0; i < n; ++i)
    all *= n;
  for (long number = 0; number < all; ++number) {
    long rest = number;
    for (int &parent : parents) {
      parent = static_cast<int>(rest % n);
      rest /= n;
    }
    if (parents[root] != root)
      continue;
    double cost = 0;
    std::vector<int> gates(n, -1);
    bool good = true;
    for (int rank = 0; rank < n && good; ++rank) {
      if (rank == root)
        continue;
      int at = rank;
      for (int hop = 0; hop < n && at != root; ++hop)
        at = parents[at];
      good = at == root;
      cost += costs[size_t(parents[rank]) * n + rank];
      if (!gated || serverOf[rank] == serverOf[parents[rank]])
        continue;
      for (int end : {rank, parents[rank]}) {
        int &gate = gates[serverOf[end]];
        good &= gate < 0 || gate == end;
        gate = end;
      }
    }
    if (good)
      least = std::min(least, cost);
  }
  return least;
}

} // namespace

TEST_CASE("every tree passes each server through one gate") {
  for (auto [boxes, gpus, rails] :
       {std::tuple(4, 2, 1), std::tuple(4, 2, 2), std::tuple(2, 4, 2)})
    for (Collective collective : kCollectives) {
      CAPTURE(boxes);
      CAPTURE(gpus);
      CAPTURE(toString(collective).str());
      const RankTopology all = podOf(boxes, gpus, rails);
      const RankTopology phased = all.withPhases();
      CHECK(phased.numServers() == boxes);
      const PackingProblem problem{&phased, collective, 0};
      PackedTrees trees = packed(phased, collective);
      for (const Tree &tree : trees.packing.trees)
        CHECK(!checkGates(phased.serverOf(), tree));
      Packing few = valueOf(selectTrees(problem, trees, {}));
      for (const Tree &tree : few.trees)
        CHECK(!checkGates(phased.serverOf(), tree));
      // Never faster than trees without gates, and as fast if NICs are the
      // bottleneck.
      const double best = packed(all, collective).packing.algbw;
      CHECK(trees.packing.algbw <= best * (1 + 1e-9));
      CHECK(trees.packing.algbw == doctest::Approx(best).epsilon(1e-6));
    }
}

TEST_CASE("servers of 3 and 5 ranks") {
  const RankTopology all = podOf(2, 8, 1, {0, 1, 2, 8, 9, 10, 11, 12});
  const RankTopology phased = all.withPhases();
  CHECK(phased.serverOf() == std::vector<int>{0, 0, 0, 1, 1, 1, 1, 1});
  for (Collective collective : kCollectives) {
    CAPTURE(toString(collective).str());
    CHECK(packed(phased, collective).packing.algbw ==
          doctest::Approx(packed(all, collective).packing.algbw).epsilon(1e-6));
  }
}

TEST_CASE("the gates of a tree") {
  const std::vector<int> serverOf = {0, 0, 0, 1, 1};
  CHECK(gatesFor(serverOf, 1, true) == std::vector<Gates>{{1, 4}, {1, 3}});
  CHECK(gatesFor(serverOf, 1, false) ==
        std::vector<Gates>{{1, 4}, {2, 3}, {0, 3}, {1, 3}, {0, 4}, {2, 4}});
  // Four servers with eight ranks each: not all choices, only the i-th rank of
  // each.
  std::vector<int> many;
  for (int rank = 0; rank < 32; ++rank)
    many.push_back(rank / 8);
  const std::vector<Gates> choices = gatesFor(many, 9, false);
  CHECK(choices.size() == 8);
  CHECK(choices.front() == Gates{1, 9, 17, 25});
}

TEST_CASE("who has no way to other servers is no gate") {
  // Rank 2 cannot send to others, rank 3 cannot receive from them.
  const std::vector<int> serverOf = {0, 0, 0, 1, 1};
  CostMatrix costs(25, 1);
  costs[2 * 5 + 3] = costs[2 * 5 + 4] = kInfinity;
  for (int from : {0, 1, 2})
    costs[from * 5 + 3] = kInfinity;
  const std::vector<bool> outward = outwardRanks(serverOf, {costs, 5});
  CHECK(outward == std::vector<bool>{true, true, false, false, true});
  CHECK(gatesFor(serverOf, 1, true, outward) == std::vector<Gates>{{1, 4}});
  for (int root : {2, 3})
    for (bool rootIsGate : {false, true}) {
      CAPTURE(root);
      auto choices = gatesFor(serverOf, root, rootIsGate, outward);
      std::sort(choices.begin(), choices.end());
      CHECK(choices == std::vector<Gates>{{0, 4}, {1, 4}});
    }
}

TEST_CASE("masked costs have the trees that gates allow, and no others") {
  const std::vector<int> serverOf = {0, 0, 1, 1, 2};
  const int n = 5;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    CostMatrix costs;
    unsigned state = seed;
    for (int i = 0; i < n * n; ++i) {
      state = state * 1664525 + 1013904223;
      costs.push_back(1 + (state >> 16) % 50);
    }
    CAPTURE(seed);
    double least = kInfinity;
    for (const Gates &gates : gatesFor(serverOf, 0, false)) {
      const CostGraph masked = throughGates({costs, n}, serverOf, gates);
      least = std::min(least,
                       costOf(masked, minArborescence(masked.reversed(), 0)));
    }
    CHECK(least == cheapestByHand(costs, n, 0, serverOf, true));
    CHECK(costOf(costs, minArborescence(costs, n, 0)) ==
          cheapestByHand(costs, n, 0, serverOf, false));
  }
}

TEST_CASE("a tree with two gates on a server is found out") {
  Tree tree;
  tree.down = {{0, 2, {}}, {0, 1, {}}, {1, 3, {}}};
  CHECK(textOf(checkGates({0, 0, 1, 2}, tree)) ==
        "edge 1 -> 3: ranks 0 and 1 of one server talk to others, expected "
        "one of them");
  CHECK(!checkGates({0, 1, 2, 3}, tree));
}
