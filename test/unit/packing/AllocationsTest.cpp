//===- AllocationsTest.cpp --------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Every kind of NVLink-connected allocation of a DGX-1 against optima found by
// enumeration.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/PackTrees.h"
#include "compiler/packing/SelectTrees.h"
#include "compiler/packing/Shares.h"
#include "test/unit/packing/Oracles.h"
#include "test/unit/topology/TestTopology.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

using namespace blink;
using namespace blink::test;

namespace {

/// Returns the smallest of the matrices that renumbering gives; isomorphic ones
/// give the same.
std::vector<double> canonical(const Capacities &capacities) {
  std::vector<int> order(capacities.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<double> least;
  do {
    std::vector<double> flat;
    for (int a : order)
      for (int b : order)
        flat.push_back(capacities[a][b]);
    if (least.empty() || flat < least)
      least = std::move(flat);
  } while (std::next_permutation(order.begin(), order.end()));
  return least;
}

/// Returns one allocation for each class of connected subsets of 3 to 8 GPUs.
std::vector<std::vector<int>> classesOf(const Topology &topology) {
  std::set<std::vector<double>> seen;
  std::vector<std::vector<int>> result;
  for (unsigned mask = 0; mask < 256; ++mask) {
    std::vector<int> gpus;
    for (int gpu = 0; gpu < 8; ++gpu)
      if (mask >> gpu & 1)
        gpus.push_back(gpu);
    if (gpus.size() < 3)
      continue;
    Capacities capacities = capacitiesOf(topology, gpus);
    if (broadcastOptimum(capacities, 0) > 0 &&
        seen.insert(canonical(capacities)).second)
      result.push_back(gpus);
  }
  return result;
}

double rateKept(const PackingProblem &problem, const PackedTrees &packed,
                const SelectOptions &options) {
  Packing selected = valueOf(selectTrees(problem, packed, options));
  CHECK(!problem.verify(selected));
  if (options.maxTrees > 0)
    CHECK(selected.trees.size() <= size_t(options.maxTrees));
  Shares shares = valueOf(exactShares(problem, selected));
  return rateOfShares(problem, selected, shares) / packed.certificate.bound;
}

void checkClass(const Topology &topology, const std::vector<int> &gpus) {
  LinkKindSet nvlink = valueOf(parseLinkKinds("nvlink"));
  RankTopology rankTopology = rankTopologyOf(topology, gpus, nvlink);
  Capacities capacities = capacitiesOf(topology, gpus);
  std::map<Collective, double> optima = {
      {Collective::broadcast, broadcastOptimum(capacities, 0)},
      {Collective::reduce, broadcastOptimum(reversed(capacities), 0)},
      {Collective::allreduce, allreduceOptimum(capacities)},
      {Collective::allgather, allgatherOptimum(capacities)},
      {Collective::reducescatter, allgatherOptimum(reversed(capacities))}};
  for (auto [collective, optimum] : optima) {
    CAPTURE(toString(collective).str());
    PackingProblem problem{&rankTopology, collective, 0};
    PackedTrees packed = valueOf(packTrees(problem));
    CHECK(packed.certificate.bound == doctest::Approx(optimum).epsilon(1e-9));
    CHECK(packed.packing.algbw >= 0.999999 * optimum);
    CHECK(rateKept(problem, packed, {}) >= 0.99 * (1 - 1e-7));
    // Sixteen trees are enough if there is not a separate tree for each root.
    if (numBlocks(collective, rankTopology.numRanks()) == 1)
      CHECK(rateKept(problem, packed, {0.01, 16}) >= 0.97);
  }
}

void checkMachine(const char *name, std::vector<int> classesPerSize) {
  Topology topology = shippedTopology(name);
  std::vector<int> found(6, 0);
  for (const std::vector<int> &gpus : classesOf(topology)) {
    CAPTURE(gpus);
    ++found[gpus.size() - 3];
    checkClass(topology, gpus);
  }
  CHECK(found == classesPerSize);
}

} // namespace

TEST_CASE("all 46 classes of DGX-1V allocations reach their optimum") {
  checkMachine("dgx1", {5, 14, 14, 10, 2, 1});
}

TEST_CASE("all 14 classes of DGX-1P allocations reach their optimum") {
  checkMachine("dgx1p", {2, 4, 3, 3, 1, 1});
}

TEST_CASE("allocations of the published table, in links of 25 GB/s") {
  struct Row {
    std::vector<int> gpus;
    double broadcast, allreduce;
  };
  const Row rows[] = {
      {{0, 1, 2}, 2, 2},
      {{0, 2, 3}, 3, 2.5},
      {{0, 3, 4}, 2, 2},
      {{0, 1, 2, 3}, 4, 3},
      {{0, 3, 4, 7}, 3, 7.0 / 3},
      {{0, 1, 2, 3, 7}, 0, 1}, // 25 GB/s; its smallest cut is not in the table
      {{0, 1, 2, 3, 4, 5}, 3, 2.5},
      {{0, 1, 2, 4, 5, 6}, 4, 2.6},
      {{0, 2, 3, 4, 6, 7}, 4, 2.8},
      {{0, 1, 2, 3, 4, 5, 6}, 4, 3}};
  Topology topology = shippedTopology("dgx1");
  for (const Row &row : rows) {
    CAPTURE(row.gpus);
    RankTopology rankTopology =
        rankTopologyOf(topology, row.gpus, valueOf(parseLinkKinds("nvlink")));
    auto bound = [&](Collective collective) {
      return valueOf(boundRate({&rankTopology, collective, 0})).bound / 25;
    };
    CHECK(bound(Collective::allreduce) == doctest::Approx(row.allreduce));
    if (row.broadcast > 0)
      CHECK(bound(Collective::broadcast) == doctest::Approx(row.broadcast));
  }
}
