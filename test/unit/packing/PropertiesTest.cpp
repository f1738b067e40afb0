//===- PropertiesTest.cpp ---------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// All collectives on random graphs of 2 to 12 nodes, compared with optima
// computed in other ways: smallest cuts for trees, and a plain flow program for
// routed collectives.
//
//===----------------------------------------------------------------------===//

#include "compiler/generate/Generate.h"
#include "compiler/packing/PackTrees.h"
#include "compiler/packing/SelectTrees.h"
#include "compiler/packing/Shares.h"
#include "test/unit/packing/MaxFlow.h"
#include "test/unit/topology/TestTopology.h"

#include <algorithm>
#include <cmath>
#include <glpk.h>
#include <random>

using namespace blink;
using namespace blink::test;

namespace {

Topology backwards(Topology machine) {
  for (Link &link : machine.links)
    std::swap(link.from, link.to);
  return machine;
}

/// Returns n times the largest x with cut(S) >= x * (GPUs in S) for every set S
/// of nodes that omits some GPU. Packings of trees reach it if switches send as
/// much as they receive (ForestColl, theorem 1).
double allgatherOptimum(const Topology &machine) {
  std::vector<int> gpus = machine.gpus();
  double least = std::numeric_limits<double>::infinity();
  for (unsigned set = 1; set < 1u << machine.nodes.size(); ++set) {
    long inside = std::count_if(gpus.begin(), gpus.end(),
                                [&](int gpu) { return set >> gpu & 1; });
    if (inside == 0 || inside == static_cast<long>(gpus.size()))
      continue;
    double cut = 0;
    for (const Link &link : machine.links)
      if ((set >> link.from & 1) && !(set >> link.to & 1))
        cut += link.bandwidth;
    least = std::min(least, cut / static_cast<double>(inside));
  }
  return least * static_cast<double>(gpus.size());
}

/// Returns the smallest of the maximum flows from the root to another GPU
/// (Edmonds 1973).
double broadcastOptimum(const Topology &machine, int root) {
  std::vector<int> gpus = machine.gpus();
  double least = std::numeric_limits<double>::infinity();
  for (int gpu : gpus) {
    if (gpu == gpus[root])
      continue;
    FlowNetwork network(static_cast<int>(machine.nodes.size()));
    for (const Link &link : machine.links)
      network.addEdge(link.from, link.to, link.bandwidth);
    least = std::min(least, network.maxFlow(gpus[root], gpu));
  }
  return least;
}

/// Multicommodity flow, arc by arc: each of `sources` sends x to each other
/// GPU, and GPUs and switches forward. Returns n * x.
double flowOptimum(const Topology &machine, const std::vector<int> &sources) {
  std::vector<int> gpus = machine.gpus();
  int nodes = static_cast<int>(machine.nodes.size());
  int arcs = static_cast<int>(machine.links.size());
  glp_term_out(GLP_OFF);
  glp_prob *lp = glp_create_prob();
  glp_set_obj_dir(lp, GLP_MAX);
  glp_add_cols(lp, 1 + arcs * static_cast<int>(sources.size()));
  for (int column = 1; column <= glp_get_num_cols(lp); ++column)
    glp_set_col_bnds(lp, column, GLP_LO, 0, 0);
  glp_set_obj_coef(lp, 1, 1);
  auto columnOf = [&](size_t source, int arc) {
    return 2 + static_cast<int>(source) * arcs + arc;
  };
  auto addRow = [&](std::vector<int> columns, std::vector<double> values,
                    int kind, double bound) {
    columns.insert(columns.begin(), 0);
    values.insert(values.begin(), 0);
    int row = glp_add_rows(lp, 1);
    glp_set_row_bnds(lp, row, kind, bound, bound);
    glp_set_mat_row(lp, row, static_cast<int>(columns.size()) - 1,
                    columns.data(), values.data());
  };
  for (size_t source = 0; source < sources.size(); ++source)
    for (int node = 0; node < nodes; ++node) {
      if (node == gpus[sources[source]])
        continue;
      std::vector<int> columns;
      std::vector<double> values;
      for (int arc = 0; arc < arcs; ++arc)
        if (machine.links[arc].to == node || machine.links[arc].from == node) {
          columns.push_back(columnOf(source, arc));
          values.push_back(machine.links[arc].to == node ? 1 : -1);
        }
      if (machine.nodes[node].kind == NodeKind::gpu) {
        columns.push_back(1);
        values.push_back(-1);
      }
      addRow(columns, values, GLP_FX, 0);
    }
  for (int arc = 0; arc < arcs; ++arc) {
    std::vector<int> columns;
    for (size_t source = 0; source < sources.size(); ++source)
      columns.push_back(columnOf(source, arc));
    addRow(columns, std::vector<double>(columns.size(), 1), GLP_UP,
           machine.links[arc].bandwidth);
  }
  REQUIRE(glp_simplex(lp, nullptr) == 0);
  REQUIRE(glp_get_status(lp) == GLP_OPT);
  double x = glp_get_obj_val(lp);
  glp_delete_prob(lp);
  return x * static_cast<double>(gpus.size());
}

/// Packs without slack and checks what must hold for every result.
double rateOf(const Topology &machine, Collective collective, int root) {
  RankTopology rankTopology = rankTopologyOf(machine);
  PackingProblem problem{&rankTopology, collective, root};
  PackedTrees packed = valueOf(packTrees(problem));
  double bound = packed.certificate.bound;
  CHECK(packed.packing.algbw >= bound * (1 - 1e-8));
  CHECK(packed.packing.algbw <= bound * (1 + 1e-9));
  SelectOptions exact;
  exact.slack = 0;
  Packing selected = valueOf(selectTrees(problem, packed, exact));
  CHECK(!problem.verify(selected)); // loads within capacity
  CHECK(selected.algbw >= bound * (1 - 1e-6));
  Shares shares = valueOf(exactShares(problem, selected));
  CHECK(rateOfShares(problem, selected, shares) >= bound * (1 - 1e-6));
  return packed.packing.algbw;
}

struct Instance {
  Topology machine;
  int gpus;
  bool balanced; ///< switches send as much as they receive
};

/// Returns graph number `trial`: with and without switches, directed and not,
/// with and without latencies.
Instance instanceOf(int trial) {
  std::mt19937 random(trial);
  int gpus = 2 + static_cast<int>(random() % 7);
  int switches = trial % 2 ? static_cast<int>(random() % 5) : 0;
  bool directed = trial % 4 >= 2;
  int nodes = gpus + switches;
  int least = directed ? nodes : nodes - 1;
  int most = nodes * (nodes - 1) / (directed ? 1 : 2);
  int links = std::min<int>(most, least + static_cast<int>(random() % 10));
  Wire wire;
  wire.latency = trial % 3 ? 0.5 : 0;
  return {valueOf(generateRandom(gpus, switches, links, trial, directed, wire)),
          gpus, !directed || switches == 0};
}

doctest::Approx near(double value) {
  return doctest::Approx(value).epsilon(1e-6);
}

} // namespace

TEST_CASE("random graphs: trees reach the cuts, and never exceed them") {
  for (int trial = 0; trial < 80; ++trial) {
    CAPTURE(trial);
    auto [machine, gpus, balanced] = instanceOf(trial);
    Topology back = backwards(machine);
    int root = trial % gpus;
    auto compare = [&](Collective collective, double optimum) {
      CAPTURE(toString(collective).str());
      double rate = rateOf(machine, collective, root);
      CHECK(rate <= optimum * (1 + 1e-9));
      if (balanced)
        CHECK(rate == near(optimum));
    };
    compare(Collective::broadcast, broadcastOptimum(machine, root));
    compare(Collective::reduce, broadcastOptimum(back, root));
    compare(Collective::allgather, allgatherOptimum(machine));
    compare(Collective::reducescatter, allgatherOptimum(back));
    // Every GPU receives the whole result and sends all of its input.
    double rate = rateOf(machine, Collective::allreduce, 0);
    for (int r = 0; r < gpus; ++r) {
      CHECK(rate <= broadcastOptimum(machine, r) * (1 + 1e-9));
      CHECK(rate <= broadcastOptimum(back, r) * (1 + 1e-9));
    }
  }
}

TEST_CASE("random graphs: routed collectives equal a flow program") {
  for (int trial = 0; trial < 60; ++trial) {
    CAPTURE(trial);
    Instance instance = instanceOf(trial);
    const Topology &machine = instance.machine;
    int root = trial % instance.gpus;
    CHECK(rateOf(machine, Collective::scatter, root) ==
          near(flowOptimum(machine, {root})));
    CHECK(rateOf(machine, Collective::gather, root) ==
          near(flowOptimum(backwards(machine), {root})));
    std::vector<int> all;
    for (int gpu = 0; gpu < instance.gpus; ++gpu)
      all.push_back(gpu);
    CHECK(rateOf(machine, Collective::alltoall, 0) ==
          near(flowOptimum(machine, all)));
  }
}

TEST_CASE("names and order decide nothing") {
  for (int trial = 0; trial < 24; ++trial) {
    CAPTURE(trial);
    Topology machine = instanceOf(trial).machine;
    if (trial % 3 == 0) // much symmetry to lose
      machine = valueOf(generateTorus({2, 3}, Wire()));
    Topology shuffled = machine;
    std::mt19937 random(trial);
    std::vector<int> place(machine.nodes.size());
    for (size_t i = 0; i < place.size(); ++i)
      place[i] = static_cast<int>(i);
    std::shuffle(place.begin(), place.end(), random);
    for (size_t i = 0; i < place.size(); ++i) {
      shuffled.nodes[place[i]] = machine.nodes[i];
      shuffled.nodes[place[i]].id = "n" + std::to_string(random());
    }
    for (Link &link : shuffled.links) {
      link.from = place[link.from];
      link.to = place[link.to];
    }
    std::shuffle(shuffled.links.begin(), shuffled.links.end(), random);
    for (Collective collective :
         {Collective::allreduce, Collective::allgather, Collective::alltoall})
      CHECK(rateOf(shuffled, collective, 0) ==
            near(rateOf(machine, collective, 0)));
  }
}

TEST_CASE("a solver that is stopped says honestly how far it is") {
  Topology machine = valueOf(generateRandom(10, 2, 30, 5, false, Wire()));
  RankTopology rankTopology = rankTopologyOf(machine);
  PackingProblem problem{&rankTopology, Collective::broadcast, 0};
  double optimum = broadcastOptimum(machine, 0);
  for (int limit = 1; limit < 6; ++limit) {
    int calls = 0;
    PackedTrees packed =
        valueOf(packTrees(problem, [&](const SolveStatus &status) {
          CHECK(status.rate <= status.bound * (1 + 1e-9));
          return ++calls < limit;
        }));
    CHECK(calls <= limit);
    CHECK(!problem.verify(packed.packing));
    CHECK(packed.packing.algbw <= optimum * (1 + 1e-9));
    CHECK(packed.certificate.bound >= optimum * (1 - 1e-9));
    CHECK(packed.packing.algbw > 0);
  }
}

TEST_CASE("a multigraph of a thousand links is solved") {
  // Links of all kinds but one between each two of many GPUs, with odd
  // bandwidths.
  Topology machine;
  machine.name = "many";
  std::minstd_rand random(3);
  for (int gpu = 0; gpu < 16; ++gpu)
    machine.nodes.push_back({"gpu" + std::to_string(gpu), NodeKind::gpu});
  for (int a = 0; a < 16; ++a)
    for (int b = 0; b < 16; ++b)
      for (LinkKind kind : sched::EnumValuesLinkKind())
        if (a != b && kind != LinkKind::network) // network links need NICs
          machine.links.push_back(
              {a, b, 1.0 + static_cast<double>(random() % 997), 0.1, kind});
  REQUIRE(machine.links.size() > 1000);
  // The search for few trees would take half a minute; its limit stops it.
  RankTopology rankTopology = rankTopologyOf(machine);
  for (Collective collective : {Collective::allgather, Collective::alltoall}) {
    PackingProblem problem{&rankTopology, collective, 0};
    PackedTrees packed = valueOf(packTrees(problem));
    CHECK(!problem.verify(packed.packing));
    CHECK(packed.packing.algbw > 0);
    CHECK(packed.packing.algbw >= packed.certificate.bound * (1 - 1e-8));
    int asked = 0;
    SelectOptions some;
    some.keepGoing = [&] { return ++asked < 20; };
    Packing selected = valueOf(selectTrees(problem, packed, some));
    CHECK(!problem.verify(selected));
    CHECK(selected.algbw >= packed.certificate.bound * (1 - some.slack));
  }
}

TEST_CASE("DGX-1V: the trees of an exact allgather are low") {
  Topology machine = shippedTopology("dgx1");
  for (const std::vector<int> &gpus : {std::vector<int>{0, 1, 2},
                                       {0, 3, 4},
                                       {1, 4, 5, 6},
                                       {0, 1, 2, 3, 7},
                                       {0, 1, 2, 4, 5, 6},
                                       {0, 1, 2, 3, 4, 5, 6, 7}}) {
    RankTopology rankTopology =
        rankTopologyOf(machine, gpus, valueOf(parseLinkKinds("nvlink")));
    PackingProblem problem{&rankTopology, Collective::allgather, 0};
    PackedTrees packed = valueOf(packTrees(problem));
    Packing selected = valueOf(selectTrees(problem, packed, {0, 0}));
    PathTable hops = rankTopology.cheapestPaths(
        std::vector<double>(machine.links.size(), 1.0));
    int n = rankTopology.numRanks(), diameter = 0;
    // Number of hops between ranks, by relaxation.
    for (int via = 0; via < n; ++via)
      for (int a = 0; a < n; ++a)
        for (int b = 0; b < n; ++b)
          hops.costs[a * n + b] = std::min(
              hops.costs[a * n + b], hops.cost(a, via) + hops.cost(via, b));
    for (double cost : hops.costs)
      diameter = std::max(diameter, static_cast<int>(cost));
    for (const Tree &tree : selected.trees)
      CHECK(tree.depth(n) <= diameter + 1);
  }
}

TEST_CASE("bandwidths far apart do not stall the solver") {
  for (int trial = 0; trial < 3; ++trial) {
    CAPTURE(trial);
    Topology machine = valueOf(generateRandom(40, 0, 340, trial, true, Wire()));
    std::mt19937 random(trial);
    for (Link &link : machine.links) // 1e-3 to 1e6 GB/s
      link.bandwidth =
          std::pow(10, static_cast<double>(random() % 9000) / 1000 - 3);
    CHECK(rateOf(machine, Collective::broadcast, 0) ==
          near(broadcastOptimum(machine, 0)));
  }
}
