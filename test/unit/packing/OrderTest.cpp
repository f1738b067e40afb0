//===- OrderTest.cpp - trees that add in one order --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The oracle is a different linear program, of flows from place to place, that
// contains no tree. For sums in a given order it has the same optimum: an
// ordered sum is a tree, and flows between places of a tree decompose into
// embeddings of that tree. For the way back see Edmonds.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/SelectTrees.h"
#include "compiler/packing/order/OrderedTrees.h"
#include "compiler/packing/order/PackInOrder.h"
#include "compiler/support/Numbers.h"
#include "test/common/Contains.h"
#include "test/unit/packing/Oracles.h"
#include "test/unit/topology/TestTopology.h"

#include "doctest/doctest.h"

#include <glpk.h>

#include <algorithm>
#include <limits>
#include <map>

using namespace blink;
using namespace blink::test;

namespace {

/// A node of a sum: either a rank's term, or the sum of two other nodes.
struct Sum {
  int term = -1, left = -1, right = -1;
};

int addSum(std::vector<Sum> &sums, bool halves, int first, int last) {
  if (last - first == 1) {
    sums.push_back({first});
  } else {
    const int middle = halves ? (first + last + 1) / 2 : last - 1;
    const int left = addSum(sums, halves, first, middle);
    const int right = addSum(sums, halves, middle, last);
    sums.push_back({-1, left, right});
  }
  return int(sums.size()) - 1;
}

/// A linear program, built column by column and row by row, that maximises
/// column 1.
class Program {
public:
  Program() : problem_(glp_create_prob()) {
    glp_set_obj_dir(problem_, GLP_MAX);
    glp_set_obj_coef(problem_, columns(1), 1);
  }
  ~Program() { glp_delete_prob(problem_); }
  /// Adds `count` columns >= 0 and returns the first.
  int columns(int count) {
    const int first = glp_add_cols(problem_, count);
    for (int column = first; column < first + count; ++column)
      glp_set_col_bnds(problem_, column, GLP_LO, 0, 0);
    return first;
  }
  using Terms = std::vector<std::pair<int, double>>;
  void equalsZero(const Terms &terms) { row(GLP_FX, 0, terms); }
  void isAtMost(double most, const Terms &terms) { row(GLP_UP, most, terms); }
  double solve() {
    glp_load_matrix(problem_, int(values_.size()) - 1, rows_.data(),
                    columns_.data(), values_.data());
    glp_smcp options;
    glp_init_smcp(&options);
    options.msg_lev = GLP_MSG_OFF;
    REQUIRE(glp_simplex(problem_, &options) == 0);
    REQUIRE(glp_get_status(problem_) == GLP_OPT);
    return glp_get_obj_val(problem_);
  }

private:
  void row(int type, double bound, const Terms &terms) {
    const int number = glp_add_rows(problem_, 1);
    glp_set_row_bnds(problem_, number, type, bound, bound);
    std::map<int, double> sums; // a row may name a column once only
    for (auto [column, value] : terms)
      sums[column] += value;
    for (auto [column, value] : sums) {
      rows_.push_back(number);
      columns_.push_back(column);
      values_.push_back(value);
    }
  }
  glp_prob *problem_;
  std::vector<int> rows_{0}, columns_{0};
  std::vector<double> values_{0};
};

/// Returns the best rate of sums in this order; `root` < 0 means an allreduce.
double flowOptimum(const Capacities &capacities, bool halves, int root) {
  constexpr int kRate = 1;
  const int n = int(capacities.size());
  std::vector<Sum> sums;
  const int last = addSum(sums, halves, 0, n);
  Program program;
  auto edge = [&](int flow, int from, int to) { return flow + from * n + to; };
  std::vector<int> places(sums.size()), flows;
  for (size_t sum = 0; sum < sums.size(); ++sum)
    places[sum] = program.columns(n); // unused for terms
  // One flow for each operand of a sum, to the place where it is added.
  auto conserve = [&](int flow, int at, Program::Terms terms) {
    for (int other = 0; other < n; ++other)
      if (other != at) {
        terms.push_back({edge(flow, at, other), 1});
        terms.push_back({edge(flow, other, at), -1});
      }
    program.equalsZero(terms);
  };
  for (int sum = 0; sum <= last; ++sum) {
    if (sums[sum].term >= 0)
      continue;
    Program::Terms all{{kRate, -1}};
    for (int at = 0; at < n; ++at)
      if (sum < last || root < 0 || at == root)
        all.push_back({places[sum] + at, 1});
    program.equalsZero(all);
    for (int at = 0; root >= 0 && sum == last && at < n; ++at)
      if (at != root)
        program.equalsZero({{places[sum] + at, 1}});
    for (int part : {sums[sum].left, sums[sum].right}) {
      flows.push_back(program.columns(n * n));
      for (int at = 0; at < n; ++at) {
        Program::Terms terms{{places[sum] + at, 1}};
        if (sums[part].term == at)
          terms.push_back({kRate, -1});
        else if (sums[part].term < 0)
          terms.push_back({places[part] + at, -1});
        conserve(flows.back(), at, terms);
      }
    }
  }
  // One flow for each rank from the places of the sum; a link carries the
  // largest of them.
  const int back = program.columns(n * n);
  if (root < 0)
    for (int rank = 0; rank < n; ++rank) {
      const int flow = program.columns(n * n);
      for (int at = 0; at < n; ++at) {
        Program::Terms terms{{places[last] + at, -1}};
        if (at == rank)
          terms.push_back({kRate, 1});
        conserve(flow, at, terms);
        for (int to = 0; to < n; ++to)
          program.isAtMost(0,
                           {{edge(flow, at, to), 1}, {edge(back, at, to), -1}});
      }
    }
  for (int from = 0; from < n; ++from)
    for (int to = 0; to < n; ++to) {
      Program::Terms terms{{edge(back, from, to), 1}};
      for (int flow : flows)
        terms.push_back({edge(flow, from, to), 1});
      program.isAtMost(capacities[from][to], terms);
    }
  return program.solve();
}

OrderedPacking orderedOf(const PackingProblem &problem, ReductionOrder order) {
  const PackedTrees any = valueOf(packTrees(problem));
  return valueOf(packInOrder(problem, any, order, nullptr));
}

} // namespace

TEST_CASE("associations in post-order") {
  const Association chain(Parentheses::chain, 4);
  REQUIRE(chain.nodes().size() == 7);
  std::vector<int> terms;
  for (const Association::Node &node : chain.nodes())
    terms.push_back(node.rank);
  CHECK(terms == std::vector<int>{0, 1, -1, 2, -1, 3, -1});
  CHECK(chain.nodes()[6].left == 4);
  CHECK(chain.nodes()[6].right == 5);
  CHECK(chain.nodes()[4].user == 6);
  for (int node = 0; node <= chain.root(); ++node)
    CHECK_FALSE(chain.isRightSum(node));
  // (0 + 1) + (2 + 3)
  const Association halves(Parentheses::halves, 4);
  CHECK(halves.nodes()[6].left == 2);
  CHECK(halves.nodes()[6].right == 5);
  CHECK(halves.isRightSum(5));
  CHECK_FALSE(halves.isRightSum(2));
  CHECK(Association(Parentheses::halves, 1).root() == 0);
}

TEST_CASE("the cheapest places are those of all choices") {
  std::minstd_rand random(5);
  for (int variation = 0; variation < 60; ++variation) {
    CAPTURE(variation);
    const int n = 2 + int(random() % 3);
    const Association association(
        variation % 2 ? Parentheses::halves : Parentheses::chain, n);
    PathTable table = PathTable::from(firstNumbers(n), n);
    table.costs.clear();
    table.paths.clear();
    for (int pair = 0; pair < n * n; ++pair) {
      const bool none = random() % 5 == 0;
      table.costs.push_back(none ? std::numeric_limits<double>::infinity()
                                 : double(1 + random() % 9));
      table.paths.push_back({pair});
    }
    for (int rank = 0; rank < n; ++rank)
      table.costs[rank * n + rank] = 0;
    // The cheapest cost of each pair, over other ranks.
    std::vector<double> apart = table.costs;
    for (int via = 0; via < n; ++via)
      for (int from = 0; from < n; ++from)
        for (int to = 0; to < n; ++to)
          apart[from * n + to] =
              std::min(apart[from * n + to],
                       apart[from * n + via] + apart[via * n + to]);
    const int nodes = association.root() + 1;
    std::vector<double> least(n, std::numeric_limits<double>::infinity());
    std::vector<int> places(nodes, 0);
    // Enumerates all combinations of places.
    while (true) {
      double cost = 0;
      for (int node = 0; node < nodes; ++node) {
        const Association::Node &of = association.nodes()[node];
        if (of.isTerm() && places[node] != of.rank)
          cost = std::numeric_limits<double>::infinity();
        if (of.user < 0)
          continue;
        const int to = places[of.user];
        if (association.isRightSum(node) && places[node] == to)
          cost = std::numeric_limits<double>::infinity();
        cost += apart[places[node] * n + to];
      }
      least[places.back()] = std::min(least[places.back()], cost);
      int digit = 0;
      while (digit < nodes && ++places[digit] == n)
        places[digit++] = 0;
      if (digit == nodes)
        break;
    }
    const OrderedTrees trees(association, table);
    for (int root = 0; root < n; ++root) {
      CHECK(trees.cost(root) == least[root]);
      if (least[root] == std::numeric_limits<double>::infinity()) {
        CHECK(trees.places(root).empty());
        continue;
      }
      Tree tree;
      tree.root = root;
      tree.up = trees.edges(trees.places(root));
      CHECK_FALSE(bool(checkOrdered(association, tree)));
      double cost = 0;
      for (const TreeEdge &edge : tree.up)
        for (int pair : edge.path)
          cost += table.costs[pair];
      CHECK(cost == least[root]);
    }
  }
}

TEST_CASE("rates of sums in an order are those of flows") {
  std::minstd_rand random(23);
  int slower = 0;
  for (int variation = 0; variation < 40; ++variation) {
    CAPTURE(variation);
    const int n = 2 + int(random() % 4);
    const Capacities capacities = randomCapacities(random, n, variation % 3);
    const RankTopology machine = rankTopologyOf(machineOf(capacities));
    const bool rooted = variation % 4 == 3;
    const int root = rooted ? int(random() % n) : -1;
    const PackingProblem problem{
        &machine, rooted ? Collective::reduce : Collective::allreduce,
        std::max(0, root)};
    const double any = valueOf(packTrees(problem)).packing.algbw;
    const double chain = flowOptimum(capacities, false, root);
    const double halves = flowOptimum(capacities, true, root);
    const OrderedPacking rank = orderedOf(problem, ReductionOrder::rank);
    CHECK(rank.parentheses == Parentheses::chain);
    CHECK(rank.packed.packing.algbw == doctest::Approx(chain).epsilon(1e-6));
    CHECK(rank.packed.certificate.bound ==
          doctest::Approx(chain).epsilon(1e-6));
    // If one rank runs two folds, the second can read the first one's sum only
    // from a channel. Therefore halves may reach less than the flows say, but
    // never more.
    const OrderedPacking best = orderedOf(problem, ReductionOrder::invariant);
    CHECK(best.packed.packing.algbw >= chain * (1 - 1e-6));
    CHECK(best.packed.packing.algbw <= std::max(chain, halves) * (1 + 1e-6));
    CHECK(best.packed.packing.algbw <= any * (1 + 1e-6));
    slower += chain < any * 0.999;
  }
  CHECK(slower > 4);
}

TEST_CASE("machines that a switch joins lose nothing, a DGX-1 neither") {
  for (const char *name : {"dgx-h100", "dgx2", "pcie-8gpu", "dgx1"}) {
    CAPTURE(name);
    const RankTopology machine = rankTopologyOf(shippedTopology(name));
    const PackingProblem problem{&machine, Collective::allreduce};
    const PackedTrees any = valueOf(packTrees(problem));
    const OrderedPacking rank =
        valueOf(packInOrder(problem, any, ReductionOrder::rank, nullptr));
    CHECK(rank.packed.packing.algbw ==
          doctest::Approx(any.packing.algbw).epsilon(1e-6));
  }
  // Halves are better on this machine.
  const RankTopology machine = rankTopologyOf(shippedTopology("mi250"));
  const PackingProblem problem{&machine, Collective::allreduce};
  const OrderedPacking rank = orderedOf(problem, ReductionOrder::rank);
  const OrderedPacking best = orderedOf(problem, ReductionOrder::invariant);
  CHECK(best.parentheses == Parentheses::halves);
  CHECK(best.packed.packing.algbw > 1.3 * rank.packed.packing.algbw);
}

TEST_CASE("few ordered trees keep their order") {
  const RankTopology machine = rankTopologyOf(shippedTopology("dgx1"), {},
                                              valueOf(parseLinkKinds("nvlink")))
                                   .withForwarding();
  const Association association(Parentheses::chain, machine.numRanks());
  const PackingProblem problem{&machine, Collective::allreduce, 0,
                               &association};
  const PackedTrees packed = valueOf(packTrees(problem));
  SelectOptions options;
  options.slack = 0.05;
  const Packing few = valueOf(selectTrees(problem, packed, options));
  CHECK(few.trees.size() < packed.packing.trees.size());
  CHECK(few.algbw >= packed.packing.algbw * 0.95);
  for (const Tree &tree : few.trees)
    CHECK_FALSE(bool(checkOrdered(association, tree)));
}

TEST_CASE("what is no sum in the order is told") {
  const Association association(Parentheses::chain, 3);
  Tree good;
  good.root = 2;
  // 0 goes to 1, then (0 + 1) to 2.
  good.up = {{0, 1, {0}}, {1, 1, {}}, {1, 2, {1}}, {2, 2, {}}};
  REQUIRE_FALSE(bool(checkOrdered(association, good)));
  auto problemOf = [&](auto change) {
    Tree tree = good;
    change(tree);
    return textOf(checkOrdered(association, tree));
  };
  CHECK(contains(problemOf([](Tree &tree) { tree.up.pop_back(); }),
                 "3 up edges; a sum in this order needs 4"));
  CHECK(contains(problemOf([](Tree &tree) { tree.up[0].to = 2; }),
                 "end at ranks 2 and 1, which cannot add"));
  CHECK(contains(problemOf([](Tree &tree) { tree.up[2].from = 0; }),
                 "begins at rank 0, but what it brings is at rank 1"));
  CHECK(contains(problemOf([](Tree &tree) { tree.root = 1; }),
                 "the sum is made at rank 2, the root is 1"));
  CHECK(contains(problemOf([](Tree &tree) { tree.up[1].path = {4}; }),
                 "up edge 1 from rank 1 to 1 has 1 links"));
  const Association halves(Parentheses::halves, 4);
  Tree star;
  star.root = 0;
  star.up = {{0, 0, {}},  {1, 0, {1}}, {0, 0, {}},
             {2, 0, {2}}, {3, 0, {3}}, {0, 0, {}}};
  CHECK(contains(textOf(checkOrdered(halves, star)), "no fold does that"));
}

TEST_CASE("what has no order is refused") {
  const RankTopology machine = rankTopologyOf(shippedTopology("dgx1"));
  auto refusal = [&](const RankTopology &ranks, Collective collective) {
    const PackingProblem problem{&ranks, collective};
    const PackedTrees any = valueOf(packTrees(problem));
    return textOf(
        packInOrder(problem, any, ReductionOrder::rank, nullptr).takeError());
  };
  CHECK(contains(refusal(machine, Collective::broadcast),
                 "broadcast adds nothing"));
  const RankTopology part = valueOf(RankTopology::create(
      shippedTopology("dgx1"), {0, 1, 2}, LinkKindSet::all(), {3, 4}));
  CHECK(contains(refusal(part, Collective::allreduce), "--relays"));
}
