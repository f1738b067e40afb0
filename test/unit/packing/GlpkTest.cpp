//===- GlpkTest.cpp ---------------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/MasterLp.h"
#include "test/unit/topology/TestTopology.h"

using namespace blink;
using namespace blink::test;

TEST_CASE("misuse of GLPK is an error in its own words, and no end") {
  GlpkProblem broken = valueOf(GlpkProblem::create());
  std::string text = textOf(
      broken.call([](glp_prob *lp) { glp_set_row_bnds(lp, 7, GLP_UP, 0, 1); }));
  CHECK(text.find("row number out of range") != std::string::npos);
  CHECK(textOf(broken.call([](glp_prob *) {})).find("before") !=
        std::string::npos);

  // Others go on as if nothing had happened.
  GlpkProblem whole = valueOf(GlpkProblem::create());
  int rows = 0;
  CHECK(!whole.call([&](glp_prob *lp) {
    glp_add_rows(lp, 3);
    rows = glp_get_num_rows(lp);
  }));
  CHECK(rows == 3);
}

TEST_CASE("the master LP weighs trees, and its duals price links") {
  Fabric fabric = fabricOf(
      makeTopology(R"({"id":"a","kind":"gpu"},{"id":"b","kind":"gpu"})",
                   R"({"from":"a","to":"b","bandwidth":10},
         {"from":"a","to":"b","bandwidth":2,"kind":"xgmi"})"));
  const Topology &topology = fabric.topology();
  int wide = -1, narrow = -1;
  for (size_t link = 0; link < topology.links.size(); ++link)
    if (topology.links[link].from == fabric.nodeOf(0))
      (topology.links[link].bandwidth == 10 ? wide : narrow) =
          static_cast<int>(link);
  PackingProblem problem{&fabric, Collective::broadcast, 0};
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

  // A column added to a solved LP is taken up; this one crosses a link twice.
  REQUIRE(!lp.addTree(0, {{plain.rowOf(wide), 2}}));
  REQUIRE(!lp.solve());
  CHECK(lp.rate() == doctest::Approx(12));
}

TEST_CASE("roots of an allgather are worth n together") {
  Fabric fabric = fabricOf(
      makeTopology(R"({"id":"a","kind":"gpu"},{"id":"b","kind":"gpu"})",
                   R"({"from":"a","to":"b","bandwidth":8,"directed":true},
         {"from":"b","to":"a","bandwidth":2,"directed":true})"));
  PackingProblem problem{&fabric, Collective::allgather, 0};
  SymmetricProblem plain = SymmetricProblem::plain(problem);
  MasterLp lp = valueOf(MasterLp::create(plain, 1));
  for (int link = 0; link < 2; ++link)
    REQUIRE(!lp.addTree(fabric.topology().links[link].bandwidth == 8 ? 0 : 1,
                        {{plain.rowOf(link), 1}}));
  REQUIRE(!lp.solve());
  CHECK(lp.rate() == doctest::Approx(4)); // the slow root binds
  CHECK(lp.worth(0) == doctest::Approx(0));
  CHECK(lp.worth(1) == doctest::Approx(2));
}
