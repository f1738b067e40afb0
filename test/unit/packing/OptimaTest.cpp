//===- OptimaTest.cpp -------------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The optima of shipped machines, and special cases of packTrees.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/PackTrees.h"
#include "compiler/packing/SelectTrees.h"
#include "compiler/packing/Shares.h"
#include "compiler/packing/lp/TreePricer.h"
#include "test/unit/topology/TestTopology.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace blink;
using namespace blink::test;

namespace {

/// Packs, checks everything that a result promises, and returns the bound.
double packAndCheck(const PackingProblem &problem) {
  PackedTrees packed = valueOf(packTrees(problem));
  CHECK(!problem.verify(packed.packing));
  double bound = packed.certificate.bound;
  CHECK(packed.packing.algbw <= bound * (1 + 1e-12));
  CHECK(packed.packing.algbw >= bound * (1 - 1e-9));
  // The certificate alone proves its bound.
  SymmetricProblem plain = SymmetricProblem::plain(problem);
  TreePricer pricer(plain);
  const std::vector<double> &prices = packed.certificate.prices;
  for (size_t link = 0; link < prices.size(); ++link) {
    CHECK(prices[link] >= 0);
    if (!problem.rankTopology->usable(static_cast<int>(link)))
      CHECK(prices[link] == 0);
  }
  pricer.setPrices(prices);
  std::vector<PricedTree> cheapest;
  for (int root : plain.roots())
    cheapest.push_back(pricer.cheapest(root));
  CHECK(pricer.bound(cheapest) == doctest::Approx(bound).epsilon(1e-12));
  return bound;
}

double optimumOf(const RankTopology &rankTopology, Collective collective,
                 int root = 0) {
  return packAndCheck({&rankTopology, collective, root});
}

LinkKindSet onlyNvlink() { return valueOf(parseLinkKinds("nvlink")); }

} // namespace

TEST_CASE("optima over NVLink are those of the published table") {
  struct Row {
    const char *machine;
    double allgather, allreduce, broadcast;
  };
  const Row rows[] = {{"dgx1", 1200.0 / 7, 600.0 / 7, 150},
                      {"dgx1p", 640.0 / 7, 320.0 / 7, 80},
                      {"dgx2", 160, 80, 150},
                      {"dgx-a100", 2400.0 / 7, 1200.0 / 7, 300},
                      {"dgx-h100", 3600.0 / 7, 1800.0 / 7, 450}};
  for (const Row &row : rows) {
    CAPTURE(row.machine);
    RankTopology rankTopology =
        rankTopologyOf(shippedTopology(row.machine), {}, onlyNvlink());
    auto near = [](double value) {
      return doctest::Approx(value).epsilon(1e-8);
    };
    CHECK(optimumOf(rankTopology, Collective::allgather) ==
          near(row.allgather));
    CHECK(optimumOf(rankTopology, Collective::reducescatter) ==
          near(row.allgather));
    CHECK(optimumOf(rankTopology, Collective::allreduce) ==
          near(row.allreduce));
    for (int root = 0; root < rankTopology.numRanks(); ++root) {
      CHECK(optimumOf(rankTopology, Collective::broadcast, root) ==
            near(row.broadcast));
      CHECK(optimumOf(rankTopology, Collective::reduce, root) ==
            near(row.broadcast));
    }
  }
}

TEST_CASE("NVLink with PCIe beside it, and PCIe alone, are solved with proof") {
  for (const char *machine : {"dgx1", "dgx1p", "pcie-8gpu"}) {
    CAPTURE(machine);
    Topology topology = shippedTopology(machine);
    for (Collective collective : sched::kJointCollectives) {
      double all = optimumOf(rankTopologyOf(topology), collective);
      // The certificate proves `all`; more links never make it worse.
      if (topology.name.substr(0, 4) == "dgx1")
        CHECK(all > optimumOf(rankTopologyOf(topology, {}, onlyNvlink()),
                              collective));
    }
  }
  // Every GPU has one link of 15.75 GB/s, and chains can use all of it.
  CHECK(optimumOf(rankTopologyOf(shippedTopology("pcie-8gpu")),
                  Collective::broadcast) == doctest::Approx(15.75));
}

TEST_CASE("one rank: one tree without edges and nothing to bound") {
  RankTopology rankTopology = rankTopologyOf(shippedTopology("dgx1"), {5});
  for (Collective collective : sched::EnumValuesCollective()) {
    PackingProblem problem{&rankTopology, collective, 0};
    PackedTrees packed = valueOf(packTrees(problem));
    CHECK(!problem.verify(packed.packing));
    CHECK(packed.packing.trees.size() == 1);
    CHECK(packed.packing.trees[0].depth(1) == 0);
    CHECK(std::isinf(packed.packing.algbw));
    CHECK(std::isinf(packed.certificate.bound));
    for (double price : packed.certificate.prices)
      CHECK(price == 0);
    Packing selected = valueOf(selectTrees(problem, packed, {}));
    Shares shares = valueOf(exactShares(problem, selected));
    CHECK(shares.numerators == std::vector<uint32_t>{1});
    CHECK(shares.denominators == std::vector<uint32_t>{1});
    CHECK(std::isinf(rateOfShares(problem, selected, shares)));
  }
}

TEST_CASE("the order of links changes nothing but ties") {
  Topology topology = shippedTopology("dgx1");
  RankTopology rankTopology = rankTopologyOf(topology);
  std::minstd_rand random(4);
  for (Collective collective : {Collective::allreduce, Collective::broadcast,
                                Collective::reducescatter}) {
    double bound = optimumOf(rankTopology, collective);
    for (int trial = 0; trial < 3; ++trial) {
      Topology mixed = topology;
      for (size_t i = mixed.links.size(); i > 1; --i)
        std::swap(mixed.links[i - 1], mixed.links[random() % i]);
      CHECK(optimumOf(rankTopologyOf(mixed), collective) ==
            doctest::Approx(bound).epsilon(1e-8));
    }
  }
}

TEST_CASE("the same input gives the same trees") {
  RankTopology rankTopology = rankTopologyOf(shippedTopology("dgx1"));
  PackingProblem problem{&rankTopology, Collective::allreduce, 0};
  PackedTrees first = valueOf(packTrees(problem));
  PackedTrees again = valueOf(packTrees(problem));
  REQUIRE(first.packing.trees.size() == again.packing.trees.size());
  for (size_t i = 0; i < first.packing.trees.size(); ++i) {
    CHECK(first.packing.trees[i].root == again.packing.trees[i].root);
    CHECK(first.packing.trees[i].weight == again.packing.trees[i].weight);
  }
  CHECK(first.certificate.prices == again.certificate.prices);
}

TEST_CASE("bandwidths nine orders of magnitude apart") {
  std::minstd_rand random(5);
  for (int trial = 0; trial < 40; ++trial) {
    Topology machine = makeTopology(
        R"({"id":"a","kind":"gpu"},{"id":"b","kind":"gpu"},{"id":"c","kind":"gpu"},
           {"id":"d","kind":"gpu"},{"id":"s","kind":"switch"})",
        R"({"from":"a","to":"b","bandwidth":1},{"from":"b","to":"c","bandwidth":1},
           {"from":"c","to":"d","bandwidth":1},{"from":"d","to":"a","bandwidth":1},
           {"from":"a","to":"s","bandwidth":1},{"from":"c","to":"s","bandwidth":1})");
    for (Link &link : machine.links)
      link.bandwidth = std::pow(10.0, int(random() % 10) - 3);
    RankTopology rankTopology = rankTopologyOf(machine);
    for (Collective collective : sched::kJointCollectives) {
      CAPTURE(trial);
      CAPTURE(sched::EnumNameCollective(collective));
      PackingProblem problem{&rankTopology, collective, 0};
      PackedTrees packed = valueOf(packTrees(problem));
      CHECK(!problem.verify(packed.packing));
      CHECK(packed.packing.algbw >= packed.certificate.bound * (1 - 1e-6));
      CHECK(packed.packing.algbw > 0);
    }
  }
}

TEST_CASE("boundRate is packTrees' certificate") {
  RankTopology rankTopology =
      rankTopologyOf(shippedTopology("dgx1"), {0, 1, 2, 3, 7}, onlyNvlink());
  PackingProblem problem{&rankTopology, Collective::allreduce, 0};
  PackingCertificate certificate = valueOf(boundRate(problem));
  CHECK(certificate.bound == doctest::Approx(25).epsilon(1e-9));
  CHECK(certificate.prices == valueOf(packTrees(problem)).certificate.prices);
}
