//===- FairRateTest.cpp -----------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The rate that a packing keeps if links are shared fairly, compared with times
// found by hand.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/FairRate.h"
#include "compiler/packing/PackTrees.h"
#include "compiler/packing/SelectTrees.h"
#include "test/unit/topology/TestTopology.h"

using namespace blink;
using namespace blink::test;

namespace {

/// Three GPUs. The link from a to b has 10 GB/s, which the two trees share. The
/// link from b to c has `far` GB/s; that from a to c has 10, more than its tree
/// needs.
class Forked {
public:
  explicit Forked(double chain, double star, int far = 8)
      : rankTopology_(rankTopologyOf(makeTopology(
            R"({"id": "a", "kind": "gpu"}, {"id": "b", "kind": "gpu"},
               {"id": "c", "kind": "gpu"})",
            link("a", "b", 10) + "," + link("b", "c", far) + "," +
                link("a", "c", 10)))) {
    packing.algbw = chain + star;
    packing.trees.push_back({0, {}, {edge(0, 1), edge(1, 2)}, chain});
    packing.trees.push_back({0, {}, {edge(0, 1), edge(0, 2)}, star});
    problem.rankTopology = &rankTopology_;
    REQUIRE(!problem.verify(packing));
  }

  Packing packing;
  PackingProblem problem{nullptr, Collective::broadcast, 0};

private:
  static std::string link(const char *from, const char *to, int bandwidth) {
    return R"({"from": ")" + std::string(from) + R"(", "to": ")" + to +
           R"(", "bandwidth": )" + std::to_string(bandwidth) +
           R"(, "latency": 1, "kind": "nvlink"})";
  }
  TreeEdge edge(int from, int to) {
    const char *const names[] = {"a", "b", "c"};
    return {from, to,
            pathOver(rankTopology_.topology(), {names[from], names[to]})};
  }

  RankTopology rankTopology_;
};

} // namespace

TEST_CASE("a light tree is through early, and a heavy one cannot make up") {
  const Forked forked(8, 2);
  // Each tree gets 5 GB/s until the light one is done after 2/5 s. The other
  // one then has the 8 GB/s of its second hop for the 6 GB that are left.
  CHECK(fairRate(forked.problem, forked.packing, {1, 1}) ==
        doctest::Approx(10 / (0.4 + 0.75)));
  CHECK(fairRate(forked.problem, forked.packing, {4, 1}) ==
        doctest::Approx(10));
  CHECK(evenParts(forked.problem, forked.packing) ==
        std::vector<unsigned>{4, 1});
  CHECK(isFair(forked.problem, forked.packing));
}

TEST_CASE("weights of a common part are even in halves and thirds, too") {
  const Forked forked(7.5, 2.5);
  CHECK(evenParts(forked.problem, forked.packing) ==
        std::vector<unsigned>{3, 1});
  const Forked halves(6, 4);
  CHECK(evenParts(halves.problem, halves.packing) ==
        std::vector<unsigned>{3, 2});
}

TEST_CASE("equal trees and what has no small common part stay whole") {
  const Forked equal(5, 5);
  CHECK(evenParts(equal.problem, equal.packing) == std::vector<unsigned>{1, 1});
  CHECK(isFair(equal.problem, equal.packing));
  const Forked odd(7.9, 2.03);
  CHECK(evenParts(odd.problem, odd.packing) == std::vector<unsigned>{1, 1});
  CHECK(!isFair(odd.problem, odd.packing));
}

TEST_CASE("chains from one root go in parts of nearly one weight") {
  // The link from b to c has 4 GB/s, which the chain's block for c needs all
  // the time. But the chain gets only a third of 10 GB/s until the star's block
  // for b is done, after 0.6 s.
  for (double star : {2.0, 1.9}) {
    Forked forked(4, star, 4);
    forked.problem.collective = Collective::scatter;
    forked.packing.algbw *= 3;
    CHECK(fairRate(forked.problem, forked.packing, {1, 1}) ==
          doctest::Approx(forked.packing.algbw / (star * 0.3 + 1 - star / 4)));
    CHECK(fairRate(forked.problem, forked.packing, {2, 1}) ==
          doctest::Approx(forked.packing.algbw));
    CHECK(evenParts(forked.problem, forked.packing) ==
          std::vector<unsigned>{2, 1});
  }
}

TEST_CASE("fair trees are found for as little of the rate as it takes") {
  struct {
    const char *machine;
    Collective collective;
    std::vector<double> least; ///< fraction of the optimum, for each packing
  } const cases[] = {
      // 14 trees of 1.9 to 12.4 GB/s, which keep 86 % on fairly shared links.
      {"dgx1", Collective::allreduce, {0.965, 0.99}},
      {"dgx1", Collective::allgather, {0.95}},
      {"dgx1", Collective::reducescatter, {0.95}},
      {"pcie-8gpu", Collective::broadcast, {1}},
      // Few equal trees fit badly into links of 46 and 31.5 GB/s.
      {"mi100-8gpu", Collective::allreduce, {0.975}},
      {"mi100-8gpu", Collective::allgather, {0.975, 0.999}},
      // The first trees that are found are not fair.
      {"azure-ndv2", Collective::allgather, {0.95, 0.98}},
  };
  for (const auto &[machine, collective, least] : cases) {
    CAPTURE(machine);
    CAPTURE(toString(collective).str());
    const RankTopology rankTopology = rankTopologyOf(shippedTopology(machine));
    const PackingProblem problem{&rankTopology, collective, 0};
    const PackedTrees packed = valueOf(packTrees(problem));
    const std::vector<Packing> found = valueOf(
        selectFairTrees(problem, packed, SelectOptions(), {0.05, 0.025, 0.01}));
    REQUIRE(found.size() >= least.size());
    for (size_t i = 0; i < found.size(); ++i) {
      const Packing &fair = found[i];
      CHECK(!problem.verify(fair));
      CHECK(fair.algbw >= least[std::min(i, least.size() - 1)] *
                              packed.packing.algbw * (1 - 1e-9));
      CHECK((i == 0 || fair.algbw > found[i - 1].algbw));
      CHECK(isFair(problem, fair));
      CHECK(fairRate(problem, fair, evenParts(problem, fair)) >=
            0.99 * fair.algbw);
    }
  }
}
