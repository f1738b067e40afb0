//===- Oracles.cpp - optima by enumeration ----------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/unit/packing/Oracles.h"
#include "compiler/support/Infinity.h"

#include <algorithm>
#include <functional>

using namespace blink;

namespace {

/// Returns the bandwidth out of the set of GPUs whose bits are set in `mask`.
double cutOf(const test::Capacities &capacities, unsigned mask) {
  double sum = 0;
  for (size_t from = 0; from < capacities.size(); ++from)
    for (size_t to = 0; to < capacities.size(); ++to)
      if ((mask >> from & 1) && !(mask >> to & 1))
        sum += capacities[from][to];
  return sum;
}

} // namespace

double test::broadcastOptimum(const Capacities &capacities, int root) {
  double best = kInfinity;
  unsigned all = (1u << capacities.size()) - 1;
  for (unsigned mask = 1; mask < all; ++mask)
    if (mask >> root & 1)
      best = std::min(best, cutOf(capacities, mask));
  return best;
}

double test::allgatherOptimum(const Capacities &capacities) {
  double best = kInfinity;
  unsigned all = (1u << capacities.size()) - 1;
  for (unsigned mask = 1; mask < all; ++mask)
    best = std::min(best, cutOf(capacities, mask) / __builtin_popcount(mask));
  return best * capacities.size();
}

double test::allreduceOptimum(const Capacities &capacities) {
  size_t n = capacities.size();
  double best = kInfinity;
  std::vector<int> part(n, 0);
  // Restricted growth strings: every partition once.
  std::function<void(size_t, int)> visit = [&](size_t vertex, int parts) {
    if (vertex < n) {
      for (int p = 0; p <= parts; ++p) {
        part[vertex] = p;
        visit(vertex + 1, std::max(parts, p + 1));
      }
      return;
    }
    if (parts < 2)
      return;
    double crossing = 0;
    for (size_t a = 0; a < n; ++a)
      for (size_t b = a + 1; b < n; ++b)
        if (part[a] != part[b])
          crossing += capacities[a][b];
    best = std::min(best, crossing / (parts - 1));
  };
  visit(0, 0);
  return best;
}

test::Capacities test::reversed(const Capacities &capacities) {
  Capacities result = capacities;
  for (size_t a = 0; a < capacities.size(); ++a)
    for (size_t b = 0; b < capacities.size(); ++b)
      result[a][b] = capacities[b][a];
  return result;
}

test::Capacities test::capacitiesOf(const Topology &topology,
                                    const std::vector<int> &gpus) {
  std::vector<int> nodes = topology.gpus();
  size_t n = gpus.size();
  Capacities result(n, std::vector<double>(n, 0.0));
  for (const Link &link : topology.links)
    for (size_t a = 0; a < n; ++a)
      for (size_t b = 0; b < n; ++b)
        if (link.kind == LinkKind::nvlink && link.from == nodes[gpus[a]] &&
            link.to == nodes[gpus[b]])
          result[a][b] += link.bandwidth;
  return result;
}

Topology test::machineOf(const Capacities &capacities) {
  Topology machine;
  machine.name = "random";
  int n = static_cast<int>(capacities.size());
  for (int gpu = 0; gpu < n; ++gpu)
    machine.nodes.push_back({"gpu" + std::to_string(gpu), NodeKind::gpu});
  for (int from = 0; from < n; ++from)
    for (int to = 0; to < n; ++to)
      if (capacities[from][to] > 0)
        machine.links.push_back(
            {from, to, capacities[from][to], 1, LinkKind::nvlink});
  return machine;
}

test::Capacities test::randomCapacities(std::minstd_rand &random, int n,
                                        bool symmetric) {
  Capacities result(n, std::vector<double>(n, 0.0));
  // A ring in both directions connects all GPUs; further links are random.
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b)
      if (a != b && (b == (a + 1) % n || random() % 3 == 0)) {
        result[a][b] = 5.0 * (1 + random() % 4);
        if (symmetric)
          result[b][a] = result[a][b];
      }
  return result;
}
