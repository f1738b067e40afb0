//===- SwitchesTest.cpp - trees for which switches work ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Small machines around a switch that reduces, multicasts or both, compared
// with a linear program over all existing trees. It is written here from the
// definition: what a switch does for a tree uses each rank's link to the switch
// once.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/PackTrees.h"
#include "compiler/packing/SelectTrees.h"
#include "test/unit/topology/TestTopology.h"

#include <glpk.h>

#include <algorithm>
#include <functional>
#include <random>

using namespace blink;
using namespace blink::test;

namespace {

/// GPUs around one switch, with direct links between some of them.
struct StarMachine {
  int gpus;
  bool reduces, multicasts;
  std::vector<double> to, from;                       ///< by GPU
  std::vector<std::tuple<int, int, double>> directly; ///< one way
};

StarMachine randomMachine(std::minstd_rand &random) {
  StarMachine machine{
      2 + int(random() % 3), random() % 4 != 0, random() % 4 != 0, {}, {}, {}};
  // One link that is far slower than the others would bound all trees alike.
  const unsigned kinds = random() % 3 == 0 ? 5 : 1 + random() % 2;
  auto bandwidth = [&] { return 50.0 - 10.0 * double(random() % kinds); };
  for (int gpu = 0; gpu < machine.gpus; ++gpu) {
    machine.to.push_back(bandwidth());
    machine.from.push_back(bandwidth());
  }
  for (int a = 0; a < machine.gpus; ++a)
    for (int b = 0; b < machine.gpus; ++b)
      if (a != b && random() % 6 == 0)
        machine.directly.emplace_back(a, b, bandwidth());
  return machine;
}

Topology topologyOf(const StarMachine &machine) {
  Topology topology;
  topology.name = "star";
  for (int gpu = 0; gpu < machine.gpus; ++gpu)
    topology.nodes.push_back({"gpu" + std::to_string(gpu), NodeKind::gpu});
  topology.nodes.push_back(
      {"sw", NodeKind::switch_, machine.multicasts, machine.reduces});
  for (int gpu = 0; gpu < machine.gpus; ++gpu) {
    topology.links.push_back(
        {gpu, machine.gpus, machine.to[gpu], 1, LinkKind::nvlink});
    topology.links.push_back(
        {machine.gpus, gpu, machine.from[gpu], 1, LinkKind::nvlink});
  }
  for (auto [a, b, bandwidth] : machine.directly)
    topology.links.push_back({a, b, bandwidth, 1, LinkKind::nvlink});
  return topology;
}

/// How often a part of a tree uses each link, numbered as in topologyOf.
using Uses = std::vector<int>;

/// Returns all spanning trees from `root`, with each edge over the switch or
/// direct, and the parts that the switch itself can do. With `up`, all edges
/// are reversed.
std::vector<Uses> partsOf(const StarMachine &machine, int root, bool up) {
  const int n = machine.gpus;
  std::vector<Uses> parts;
  Uses uses(size_t(2 * n) + machine.directly.size(), 0);
  std::vector<int> parent(n, -1);
  // Each rank in turn gets a parent; cycles are discarded at the end.
  std::function<void(int)> choose = [&](int rank) {
    if (rank == n) {
      for (int at = 0; at < n; ++at) {
        int steps = 0;
        for (int next = at; next != root && steps <= n; ++steps)
          next = parent[next];
        if (steps > n)
          return;
      }
      parts.push_back(uses);
      return;
    }
    if (rank == root)
      return choose(rank + 1);
    for (int other = 0; other < n; ++other) {
      if (other == rank)
        continue;
      parent[rank] = other;
      const int from = up ? rank : other, to = up ? other : rank;
      ++uses[2 * from];
      ++uses[2 * to + 1];
      choose(rank + 1);
      --uses[2 * from];
      --uses[2 * to + 1];
      for (size_t i = 0; i < machine.directly.size(); ++i) {
        auto [a, b, bandwidth] = machine.directly[i];
        if (a != from || b != to)
          continue;
        ++uses[2 * n + i];
        choose(rank + 1);
        --uses[2 * n + i];
      }
    }
  };
  choose(0);
  if (up ? machine.reduces : machine.multicasts) {
    Uses star(uses.size(), 0);
    for (int rank = 0; rank < n; ++rank)
      ++star[2 * rank + (up ? 0 : 1)];
    ++star[2 * root + (up ? 1 : 0)];
    parts.push_back(star);
  }
  std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  return parts;
}

/// Returns the maximum rate of all trees together, of all roots or of one.
double optimum(const StarMachine &machine, Collective collective,
               int onlyRoot) {
  std::vector<double> capacity;
  for (int gpu = 0; gpu < machine.gpus; ++gpu) {
    capacity.push_back(machine.to[gpu]);
    capacity.push_back(machine.from[gpu]);
  }
  for (auto [a, b, bandwidth] : machine.directly)
    capacity.push_back(bandwidth);
  glp_prob *lp = glp_create_prob();
  glp_set_obj_dir(lp, GLP_MAX);
  glp_add_rows(lp, int(capacity.size()));
  for (size_t link = 0; link < capacity.size(); ++link)
    glp_set_row_bnds(lp, int(link) + 1, GLP_UP, 0, capacity[link]);
  for (int root = 0; root < machine.gpus; ++root) {
    if (onlyRoot >= 0 && root != onlyRoot)
      continue;
    std::vector<Uses> ups{Uses(capacity.size(), 0)}, downs = ups;
    if (hasUpTrees(collective))
      ups = partsOf(machine, root, /*up=*/true);
    if (hasDownTrees(collective))
      downs = partsOf(machine, root, /*up=*/false);
    for (const Uses &up : ups)
      for (const Uses &down : downs) {
        const int column = glp_add_cols(lp, 1);
        glp_set_obj_coef(lp, column, 1);
        glp_set_col_bnds(lp, column, GLP_LO, 0, 0);
        std::vector<int> rows{0};
        std::vector<double> values{0};
        for (size_t link = 0; link < capacity.size(); ++link)
          if (up[link] + down[link] > 0) {
            rows.push_back(int(link) + 1);
            values.push_back(up[link] + down[link]);
          }
        glp_set_mat_col(lp, column, int(rows.size()) - 1, rows.data(),
                        values.data());
      }
  }
  glp_smcp options;
  glp_init_smcp(&options);
  options.msg_lev = GLP_MSG_OFF;
  REQUIRE(glp_simplex(lp, &options) == 0);
  const double value = glp_get_obj_val(lp);
  glp_delete_prob(lp);
  return value;
}

PackingProblem withSwitches(const RankTopology &rankTopology,
                            Collective collective, int root = 0) {
  PackingProblem problem{&rankTopology, collective, root};
  problem.switches = switchStars(rankTopology);
  return problem;
}

Topology dgxH100() {
  StarMachine machine{
      8, true, true, std::vector<double>(8, 450), std::vector<double>(8, 450),
      {}};
  return topologyOf(machine);
}

} // namespace

TEST_CASE("what a switch does is in the optimum, and no more") {
  std::minstd_rand random(22);
  int better = 0;
  for (int trial = 0; trial < 90; ++trial) {
    CAPTURE(trial);
    const StarMachine machine = randomMachine(random);
    const RankTopology rankTopology = rankTopologyOf(topologyOf(machine));
    for (Collective collective :
         {Collective::allreduce, Collective::broadcast, Collective::reduce}) {
      const int root = isRooted(collective) ? int(random() % machine.gpus) : -1;
      PackingProblem problem =
          withSwitches(rankTopology, collective, std::max(root, 0));
      const PackedTrees packed = valueOf(packTrees(problem));
      CHECK(packed.packing.algbw ==
            doctest::Approx(optimum(machine, collective, root)).epsilon(1e-8));
      CHECK(!problem.verify(packed.packing));
      const Packing selected = valueOf(selectTrees(problem, packed, {}));
      CHECK(!problem.verify(selected));
      CHECK(selected.algbw >= 0.99 * packed.packing.algbw * (1 - 1e-7));
      problem.switches.clear();
      const double plain = valueOf(packTrees(problem)).packing.algbw;
      CHECK(plain <= packed.packing.algbw * (1 + 1e-8));
      better += plain < packed.packing.algbw * (1 - 1e-6);
    }
  }
  CHECK(better > 5);
}

TEST_CASE("switches of a box and of its parts") {
  const Topology box = dgxH100();
  for (int n = 2; n <= 8; ++n) {
    CAPTURE(n);
    std::vector<int> gpus;
    for (int gpu = 0; gpu < n; ++gpu)
      gpus.push_back(gpu);
    const RankTopology ranks = rankTopologyOf(box, gpus);
    const PackingProblem problem = withSwitches(ranks, Collective::allreduce);
    REQUIRE(problem.switches.size() == 1);
    // With the switch, each GPU sends the buffer and its part of the result. By
    // links, it sends all but its part twice.
    const double byLinks = 450.0 * n / (2 * (n - 1));
    const double inSwitch = 450.0 * n / (n + 1);
    CHECK(valueOf(packTrees(problem)).packing.algbw ==
          doctest::Approx(std::max(byLinks, inSwitch)).epsilon(1e-9));
  }
  // A GPU outside the switch belongs to no group.
  Topology more = box;
  more.nodes.push_back({"gpu8", NodeKind::gpu});
  more.links.push_back({0, 9, 50, 1, LinkKind::nvlink});
  more.links.push_back({9, 0, 50, 1, LinkKind::nvlink});
  CHECK(switchStars(rankTopologyOf(more)).empty());
  CHECK(switchStars(rankTopologyOf(more, {1, 2, 3})).size() == 1);
  CHECK(switchStars(rankTopologyOf(box, {3})).empty());
}

TEST_CASE("a packing whose switch does what it cannot is refused") {
  const RankTopology ranks = rankTopologyOf(dgxH100());
  const PackingProblem problem = withSwitches(ranks, Collective::allreduce);
  const Packing right = valueOf(packTrees(problem)).packing;
  REQUIRE(!problem.verify(right));
  auto errorOf = [&](const std::function<void(Packing &)> &change) {
    Packing wrong = right;
    change(wrong);
    return llvm::toString(problem.verify(wrong));
  };
  CHECK(errorOf([](Packing &wrong) {
          wrong.trees[0].switchUse = {};
        }).find("exceeds its bandwidth") != std::string::npos);
  CHECK(errorOf([](Packing &wrong) {
          std::swap(wrong.trees[0].switchUse.toSwitch,
                    wrong.trees[0].switchUse.fromSwitch);
        }).find("are not those of the root") != std::string::npos);
  CHECK(errorOf([](Packing &wrong) {
          wrong.trees[0].switchUse.toSwitch = 99;
        }).find("has no links") != std::string::npos);
  CHECK(errorOf([](Packing &wrong) {
          TreeEdge &edge = wrong.trees[0].up[0];
          edge.to = wrong.trees[0].up[1].from;
          edge.path.back() = 2 * edge.to + 1;
        }).find("is not one of the root") != std::string::npos);
  PackingProblem plain = problem;
  plain.switches.clear();
  CHECK(llvm::toString(plain.verify(right)).find("which the problem has not") !=
        std::string::npos);
}
