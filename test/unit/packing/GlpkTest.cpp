//===- GlpkTest.cpp ---------------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/PackTrees.h"
#include "compiler/packing/lp/MasterLp.h"
#include "test/unit/topology/TestTopology.h"

#include <thread>

using namespace blink;
using namespace blink::test;

TEST_CASE("misuse of GLPK is an error in its own words, and no end") {
  GlpkProblem broken = valueOf(GlpkProblem::create());
  std::string text = textOf(
      broken.call([](glp_prob *lp) { glp_set_row_bnds(lp, 7, GLP_UP, 0, 1); }));
  CHECK(text.find("row number out of range") != std::string::npos);
  CHECK(textOf(broken.call([](glp_prob *) {})).find("before") !=
        std::string::npos);

  // Other problems are not affected.
  GlpkProblem whole = valueOf(GlpkProblem::create());
  int rows = 0;
  CHECK(!whole.call([&](glp_prob *lp) {
    glp_add_rows(lp, 3);
    rows = glp_get_num_rows(lp);
  }));
  CHECK(rows == 3);
}

TEST_CASE("the master LP weighs trees, and its duals price links") {
  RankTopology rankTopology = rankTopologyOf(
      makeTopology(R"({"id":"a","kind":"gpu"},{"id":"b","kind":"gpu"})",
                   R"({"from":"a","to":"b","bandwidth":10},
         {"from":"a","to":"b","bandwidth":2,"kind":"xgmi"})"));
  const Topology &topology = rankTopology.topology();
  int wide = -1, narrow = -1;
  for (size_t link = 0; link < topology.links.size(); ++link)
    if (topology.links[link].from == rankTopology.nodeOf(0))
      (topology.links[link].bandwidth == 10 ? wide : narrow) =
          static_cast<int>(link);
  PackingProblem problem{&rankTopology, Collective::broadcast, 0};
  SymmetricProblem plain = SymmetricProblem::plain(problem);
  MasterLp lp = valueOf(MasterLp::create(plain, 1));
  REQUIRE(!lp.addTree(0, {{plain.rowOf(wide), 1}}));
  REQUIRE(!lp.addTree(0, {{plain.rowOf(narrow), 1}}));
  REQUIRE(!lp.solve());
  CHECK(lp.rate() == doctest::Approx(12));
  CHECK(lp.weights()[0] == doctest::Approx(10));
  CHECK(lp.weights()[1] == doctest::Approx(2));
  CHECK(lp.linkPrices()[wide] == doctest::Approx(1));
  CHECK(lp.linkPrices()[narrow] == doctest::Approx(1));

  REQUIRE(!lp.setEnabled(0, false));
  REQUIRE(!lp.solve());
  CHECK(lp.rate() == doctest::Approx(2));
  CHECK(lp.weights()[0] == 0);
  CHECK(lp.linkPrices()[wide] == 0);
  REQUIRE(!lp.setEnabled(0, true));
  REQUIRE(!lp.solve());
  CHECK(lp.rate() == doctest::Approx(12));

  // The LP uses a column that is added after it was solved; this tree crosses a
  // link twice.
  REQUIRE(!lp.addTree(0, {{plain.rowOf(wide), 2}}));
  REQUIRE(!lp.solve());
  CHECK(lp.rate() == doctest::Approx(12));
}

TEST_CASE("roots of an allgather are worth n together") {
  RankTopology rankTopology = rankTopologyOf(
      makeTopology(R"({"id":"a","kind":"gpu"},{"id":"b","kind":"gpu"})",
                   R"({"from":"a","to":"b","bandwidth":8,"directed":true},
         {"from":"b","to":"a","bandwidth":2,"directed":true})"));
  PackingProblem problem{&rankTopology, Collective::allgather, 0};
  SymmetricProblem plain = SymmetricProblem::plain(problem);
  MasterLp lp = valueOf(MasterLp::create(plain, 1));
  for (int link = 0; link < 2; ++link)
    REQUIRE(
        !lp.addTree(rankTopology.topology().links[link].bandwidth == 8 ? 0 : 1,
                    {{plain.rowOf(link), 1}}));
  REQUIRE(!lp.solve());
  CHECK(lp.rate() == doctest::Approx(4)); // the slow root is the bottleneck
  CHECK(lp.worth(0) == doctest::Approx(0));
  CHECK(lp.worth(1) == doctest::Approx(2));
}

TEST_CASE("a column of an orbit is worth what its trees cost") {
  // A ring of four: one root represents all, and links form two classes.
  RankTopology rankTopology = rankTopologyOf(makeTopology(
      R"({"id":"a","kind":"gpu"},{"id":"b","kind":"gpu"},{"id":"c","kind":"gpu"},
         {"id":"d","kind":"gpu"})",
      R"({"from":"a","to":"b","bandwidth":6},{"from":"b","to":"c","bandwidth":6},
         {"from":"c","to":"d","bandwidth":6},{"from":"d","to":"a","bandwidth":6})"));
  PackingProblem problem{&rankTopology, Collective::allgather, 0};
  SymmetricProblem reduced = SymmetricProblem::reduce(problem);
  REQUIRE(reduced.order() == 4);
  REQUIRE(reduced.numRows() == 2);
  MasterLp lp = valueOf(MasterLp::create(reduced, 1));
  // Two edges in one direction and one in the other, and the reverse.
  std::vector<RowUse> one{{0, 2}, {1, 1}}, other{{0, 1}, {1, 2}};
  REQUIRE(!lp.addTree(0, one));
  REQUIRE(!lp.addTree(0, other));
  REQUIRE(!lp.solve());
  CHECK(lp.rate() == doctest::Approx(16)); // 4 x, 3 x = 12
  CHECK(lp.weights()[0] == doctest::Approx(2));
  CHECK(lp.weights()[1] == doctest::Approx(2));
  CHECK(lp.priceOf(one) == doctest::Approx(lp.worth(0)));
  CHECK(lp.priceOf(other) == doctest::Approx(lp.worth(0)));
  CHECK(lp.worth(0) == doctest::Approx(reduced.unitCost()));
  double value = 0;
  for (size_t link = 0; link < rankTopology.topology().links.size(); ++link)
    value +=
        lp.linkPrices()[link] * rankTopology.topology().links[link].bandwidth;
  CHECK(value == doctest::Approx(16));
}

TEST_CASE("threads do not disturb each other, and leave nothing behind") {
  if (!glpkIsPerThread()) {
    MESSAGE("this GLPK is for one thread");
    return;
  }
  RankTopology rankTopology = rankTopologyOf(makeTopology(
      R"({"id":"a","kind":"gpu"},{"id":"b","kind":"gpu"},{"id":"c","kind":"gpu"},
         {"id":"d","kind":"gpu"})",
      R"({"from":"a","to":"b","bandwidth":3},{"from":"b","to":"c","bandwidth":5},
         {"from":"c","to":"d","bandwidth":7},{"from":"d","to":"a","bandwidth":4},
         {"from":"a","to":"c","bandwidth":2})"));
  PackingProblem problem{&rankTopology, Collective::allreduce, 0};
  const PackedTrees alone = valueOf(packTrees(problem));
  std::vector<PackedTrees> results(4);
  std::vector<std::thread> threads;
  for (PackedTrees &result : results)
    threads.emplace_back([&] {
      for (int round = 0; round < 10; ++round) {
        if (auto packed = packTrees(problem))
          result = std::move(*packed);
        else
          llvm::consumeError(packed.takeError());
        releaseGlpk();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const PackedTrees &result : results) {
    CHECK(result.packing.algbw == alone.packing.algbw);
    CHECK(result.certificate.prices == alone.certificate.prices);
  }
}
