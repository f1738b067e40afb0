//===- SelectionTest.cpp ----------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/PackTrees.h"
#include "compiler/packing/SelectTrees.h"
#include "compiler/packing/select/IntegerProgram.h"
#include "compiler/packing/select/TreeRouter.h"
#include "compiler/packing/select/UniformBound.h"
#include "compiler/packing/select/UnsolvedPrograms.h"
#include "test/unit/topology/TestTopology.h"

#include <algorithm>
#include <limits>
#include <utility>

using namespace blink;
using namespace blink::test;

namespace {

struct Solved {
  RankTopology rankTopology;
  PackingProblem problem;
  PackedTrees packed;
  SymmetricProblem plain;

  Solved(const char *machine, Collective collective, const char *kinds = "all",
         std::vector<int> gpus = {})
      : rankTopology(rankTopologyOf(shippedTopology(machine), std::move(gpus),
                                    valueOf(parseLinkKinds(kinds)))),
        problem{&rankTopology, collective, 0},
        packed(valueOf(packTrees(problem))),
        plain(SymmetricProblem::plain(problem)) {}

  Packing select(const SelectOptions &options = {}) const {
    Packing selected = valueOf(selectTrees(problem, packed, options));
    CHECK(!problem.verify(selected));
    return selected;
  }
};

int depthOf(const Solved &solved, const Packing &packing) {
  int depth = 0;
  for (const Tree &tree : packing.trees)
    depth = std::max(depth, tree.depth(solved.rankTopology.numRanks()));
  return depth;
}

/// Returns the score that selection minimises; see selectTrees.
int scoreOf(const Solved &solved, const Packing &packing) {
  return (static_cast<int>(packing.trees.size()) + 8) *
         depthOf(solved, packing);
}

const Collective kAll[] = {Collective::allreduce,     Collective::broadcast,
                           Collective::reduce,        Collective::allgather,
                           Collective::reducescatter, Collective::gather,
                           Collective::scatter,       Collective::alltoall};

} // namespace

TEST_CASE("a full DGX-1V broadcasts over NVLink with six trees of weight one") {
  Solved solved("dgx1", Collective::broadcast, "nvlink");
  Packing selected = solved.select();
  REQUIRE(selected.trees.size() == 6);
  for (const Tree &tree : selected.trees)
    CHECK(tree.weight == doctest::Approx(25).epsilon(1e-9));
}

TEST_CASE("no slack, no loss") {
  for (const char *machine : {"dgx1", "dgx2", "pcie-8gpu", "a100-nv4"})
    for (Collective collective : kAll) {
      CAPTURE(machine);
      Solved solved(machine, collective);
      double optimum = solved.packed.packing.algbw;
      Packing exact = solved.select({0, 0});
      CHECK(exact.algbw >= optimum * (1 - 1e-9));
      CHECK(scoreOf(solved, exact) <= scoreOf(solved, solved.packed.packing));
      // Slack buys fewer trees or lower ones.
      Packing loose = solved.select({0.05, 0});
      CHECK(loose.algbw >= optimum * 0.95 * (1 - 1e-9));
      CHECK(scoreOf(solved, loose) <= scoreOf(solved, exact));
    }
}

TEST_CASE("what packing has given up is not given up again") {
  Solved solved("dgx1", Collective::allreduce);
  const double optimum = solved.packed.packing.algbw;
  CHECK(solved.select({0.01, 0}).algbw < optimum * 0.998);
  // As if packing had lost 0.8 %.
  const double bound = solved.packed.certificate.bound = optimum / 0.992;
  CHECK(solved.select({0.01, 0}).algbw >= bound * 0.99 * (1 - 1e-9));
  // What it has lost beyond the slack is lost, and no reason for no slack.
  solved.packed.certificate.bound = optimum * 2;
  const double rest = solved.select({0.01, 0}).algbw;
  CHECK(rest >= optimum * 0.99 * (1 - 1e-9));
  CHECK(rest < optimum * 0.998);
}

TEST_CASE("trees stay few and low") {
  struct Row {
    const char *machine;
    const char *kinds;
    Collective collective;
    size_t trees;
    int depth;
  };
  const Row rows[] = {{"dgx1", "nvlink", Collective::allreduce, 14, 2},
                      {"dgx1", "all", Collective::broadcast, 8, 5},
                      {"dgx1p", "nvlink", Collective::broadcast, 4, 3},
                      {"dgx2", "all", Collective::allreduce, 16, 1},
                      {"dgx2", "all", Collective::allgather, 16, 1},
                      {"dgx2", "all", Collective::broadcast, 5, 3},
                      {"dgx-a100", "all", Collective::reduce, 6, 2},
                      {"a100-nv4", "all", Collective::broadcast, 3, 2}};
  for (const Row &row : rows) {
    CAPTURE(row.machine);
    CAPTURE(row.kinds);
    Solved solved(row.machine, row.collective, row.kinds);
    Packing selected = solved.select();
    CHECK(selected.trees.size() <= row.trees);
    CHECK(depthOf(solved, selected) <= row.depth);
  }
}

TEST_CASE("maxTrees is kept, and the rate is as good as it can be") {
  Solved allreduce("dgx1", Collective::allreduce);
  double last = 0;
  for (int most : {1, 2, 4, 8, 16}) {
    CAPTURE(most);
    Packing selected = allreduce.select({0.01, most});
    CHECK(selected.trees.size() <= size_t(most));
    CHECK(selected.algbw >= last * 0.999);
    last = selected.algbw;
  }
  CHECK(last >= 0.97 * allreduce.packed.packing.algbw);
  // A chain keeps a switch as busy as any forest does.
  Solved broadcast("dgx2", Collective::broadcast);
  CHECK(broadcast.select({0.01, 1}).algbw ==
        doctest::Approx(150).epsilon(1e-6));

  // And behind a switch one of an allreduce is almost as fast as an optimum.
  Solved switched("dgx2", Collective::allreduce);
  const Packing chain = switched.select({0.01, 1});
  CHECK(chain.trees.size() == 1);
  CHECK(chain.algbw >= switched.packed.packing.algbw * 15 / 16 * (1 - 1e-9));
  CHECK(depthOf(switched, chain) == 8);

  Solved gather("dgx1", Collective::allgather);
  CHECK(gather.select({0.01, 8}).trees.size() == 8);
  CHECK(
      textOf(selectTrees(gather.problem, gather.packed, {0.01, 7}).takeError())
          .find("8 trees at least") != std::string::npos);
}

TEST_CASE("options out of range are refused") {
  Solved solved("a100-nv4", Collective::allreduce);
  double nan = std::numeric_limits<double>::quiet_NaN();
  for (SelectOptions options : {SelectOptions{-0.1, 0}, SelectOptions{1, 0},
                                SelectOptions{nan, 0}, SelectOptions{0, -1}})
    CHECK(
        textOf(selectTrees(solved.problem, solved.packed, options).takeError())
            .find("slack") != std::string::npos);
}

TEST_CASE("selection is deterministic") {
  Solved solved("dgx1", Collective::allreduce);
  Packing first = solved.select(), again = solved.select();
  REQUIRE(first.trees.size() == again.trees.size());
  for (size_t i = 0; i < first.trees.size(); ++i)
    CHECK(first.trees[i].weight == again.trees[i].weight);
}

TEST_CASE("routed trees fit their room and keep their depth") {
  Solved solved("dgx2", Collective::broadcast);
  RouteRequest request;
  for (const Link &link : solved.rankTopology.topology().links)
    request.bandwidths.push_back(link.bandwidth);
  PathsByPrice paths(solved.rankTopology);
  int grown = 0;
  for (request.copies = 1; request.copies <= 5; ++request.copies)
    for (request.maxDepth = 1; request.maxDepth <= 5; ++request.maxDepth) {
      request.unit = 150.0 / request.copies;
      Packing packing;
      packing.trees = routeTrees(solved.plain, request, paths, grown);
      CHECK(grown <= 16 * request.copies);
      if (packing.trees.empty())
        continue;
      CHECK(packing.trees.size() == size_t(request.copies));
      packing.algbw = 150;
      CHECK(!solved.problem.verify(packing));
      CHECK(depthOf(solved, packing) <= request.maxDepth);
    }
  // Two trees of depth 4, in which each GPU is an inner node at most once, are
  // found.
  request.copies = 2;
  request.maxDepth = 4;
  request.unit = 75;
  CHECK(routeTrees(solved.plain, request, paths, grown).size() == 2);
  // Depth 3 is impossible: one child of the root and two of each other rank
  // make only 7 ranks below the root.
  request.maxDepth = 3;
  CHECK(routeTrees(solved.plain, request, paths, grown).empty());
}

TEST_CASE("the integer program finds trees of one weight among candidates") {
  // The candidates of the router include six copies of 25 GB/s.
  Solved solved("dgx1", Collective::broadcast, "nvlink");
  ColumnPool pool(solved.plain);
  RouteRequest request;
  for (const Link &link : solved.rankTopology.topology().links)
    request.bandwidths.push_back(link.bandwidth);
  request.copies = 6;
  request.unit = 25;
  request.maxDepth = 7;
  PathsByPrice paths(solved.rankTopology);
  int grown = 0;
  for (Tree &tree : routeTrees(solved.plain, request, paths, grown))
    pool.add(tree);
  for (const Tree &tree : solved.packed.candidates)
    pool.add(tree);
  std::vector<int> columns;
  for (int column = 0; column < pool.size(); ++column)
    columns.push_back(column);
  std::vector<int> counts = valueOf(uniformTrees(pool, columns, 6, 150, 1000));
  REQUIRE(counts.size() == columns.size());
  Packing packing;
  for (size_t index = 0; index < counts.size(); ++index)
    if (counts[index] > 0) {
      packing.trees.push_back(pool.tree(columns[index]));
      packing.trees.back().weight = 25.0 * counts[index];
    }
  packing.algbw = 150;
  CHECK(!solved.problem.verify(packing));
  // Five trees of 30 do not fit links of 25, and no rate exceeds the bound.
  CHECK(valueOf(uniformTrees(pool, columns, 5, 150, 1000)).empty());
  CHECK(valueOf(uniformTrees(pool, columns, 6, 151, 1000)).empty());
}

TEST_CASE("what found no solution finds none in less room") {
  Solved solved("dgx1", Collective::broadcast, "nvlink");
  ColumnPool pool(solved.plain);
  for (const Tree &tree : solved.packed.packing.trees)
    pool.add(tree);
  REQUIRE(pool.size() > 1);
  std::vector<int> columns;
  for (int column = 0; column < pool.size(); ++column)
    columns.push_back(column);
  const UnsolvedPrograms::Columns all =
      UnsolvedPrograms::columnsOf(pool, columns);
  columns.pop_back();
  const UnsolvedPrograms::Columns fewer =
      UnsolvedPrograms::columnsOf(pool, columns);
  UnsolvedPrograms unsolved;
  CHECK(!unsolved.include(all, 5, {2, 3}));
  unsolved.add(all, 5, {2, 3});
  CHECK(unsolved.include(all, 5, {2, 3}));
  CHECK(unsolved.include(all, 5, {2, 2}));
  CHECK(!unsolved.include(all, 5, {2, 4}));
  CHECK(!unsolved.include(all, 5, {3, 2}));
  CHECK(!unsolved.include(all, 6, {2, 3}));
  CHECK(!unsolved.include(fewer, 5, {2, 3}));
  unsolved.add(all, 5, {3, 1});
  CHECK(unsolved.include(all, 5, {3, 1}));
  CHECK(!unsolved.include(all, 5, {3, 3}));
}

TEST_CASE("prices of links tell that few trees of one weight do not fit") {
  const std::pair<Collective, double> cases[] = {{Collective::allreduce, 0.9},
                                                 {Collective::allgather, 0.95}};
  for (auto [collective, part] : cases) {
    Solved solved("mi100-8gpu", collective);
    ColumnPool pool(solved.plain);
    std::vector<int> columns;
    for (const Tree &tree : solved.packed.packing.trees)
      if (pool.add(tree))
        columns.push_back(pool.size() - 1);
    const double rate = solved.packed.packing.algbw * part;
    const UniformBound bound =
        valueOf(UniformBound::create(pool, columns, rate));
    int allowed = 0;
    for (int copies = 1; copies <= 24; ++copies) {
      CAPTURE(copies);
      if (bound.allows(copies, rate))
        ++allowed;
      else
        CHECK(valueOf(uniformTrees(pool, columns, copies, rate, 1000)).empty());
      // Despite rounding, nothing is faster than the bound.
      CHECK(!bound.allows(copies, solved.packed.packing.algbw * 1.01));
    }
    CHECK(allowed > 0);
    CHECK(allowed < 24);
  }
}
