//===- Gates.cpp - the one rank per server that leaves it -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/trees/Gates.h"

#include "compiler/support/Error.h"

#include <algorithm>
#include <set>

using namespace blink;

std::vector<Gates> blink::gatesFor(const std::vector<int> &serverOf, int root,
                                   bool rootIsGate,
                                   const std::vector<bool> &outward) {
  auto mayBeGate = [&](int rank) { return outward.empty() || outward[rank]; };
  rootIsGate &= mayBeGate(root);
  std::vector<std::vector<int>> servers;
  int place = 0; // of the root
  for (int rank = 0; rank < static_cast<int>(serverOf.size()); ++rank) {
    servers.resize(std::max(servers.size(), size_t(serverOf[rank]) + 1));
    std::vector<int> &ranks = servers[serverOf[rank]];
    if (rank == root)
      place = static_cast<int>(ranks.size());
    if (mayBeGate(rank))
      ranks.push_back(rank);
  }
  std::vector<Gates> choices;
  std::set<Gates> seen;
  auto add = [&](const Gates &gates) {
    if ((!rootIsGate || gates[serverOf[root]] == root) &&
        seen.insert(gates).second)
      choices.push_back(gates);
  };
  size_t most = 0, product = 1;
  for (const std::vector<int> &ranks : servers)
    most = std::max(most, ranks.size());
  for (size_t i = 0; i < most; ++i) {
    Gates gates;
    for (const std::vector<int> &ranks : servers)
      gates.push_back(ranks[(place + i) % most % ranks.size()]);
    add(gates);
  }
  if (rootIsGate)
    servers[serverOf[root]] = {root};
  for (const std::vector<int> &ranks : servers)
    product = std::min(product * ranks.size(), kMostGates + 1);
  if (product > kMostGates)
    return choices;
  for (size_t number = 0; number < product; ++number) {
    Gates gates;
    size_t rest = number;
    for (const std::vector<int> &ranks : servers) {
      gates.push_back(ranks[rest % ranks.size()]);
      rest /= ranks.size();
    }
    add(gates);
  }
  return choices;
}

std::vector<bool> blink::outwardRanks(const std::vector<int> &serverOf,
                                      const CostGraph &costs) {
  const size_t n = serverOf.size();
  std::vector<bool> sends(n), receives(n), anyOf(n);
  for (int from = 0; from < costs.numVertices(); ++from)
    for (const CostGraph::Edge &edge : costs.from(from))
      if (serverOf[from] != serverOf[edge.end])
        sends[from] = receives[edge.end] = true;
  std::vector<bool> outward(n);
  for (size_t rank = 0; rank < n; ++rank) {
    outward[rank] = sends[rank] && receives[rank];
    anyOf[serverOf[rank]] = anyOf[serverOf[rank]] || outward[rank];
  }
  for (size_t rank = 0; rank < n; ++rank)
    outward[rank] = outward[rank] || !anyOf[serverOf[rank]];
  return outward;
}

CostGraph blink::throughGates(const CostGraph &costs,
                              const std::vector<int> &serverOf,
                              const Gates &gates) {
  auto isGate = [&](int rank) { return gates[serverOf[rank]] == rank; };
  CostGraph through;
  std::vector<CostGraph::Edge> edges;
  for (int from = 0; from < costs.numVertices(); ++from) {
    edges.clear();
    for (const CostGraph::Edge &edge : costs.from(from))
      if (serverOf[from] == serverOf[edge.end] ||
          (isGate(from) && isGate(edge.end)))
        edges.push_back(edge);
    through.addVertex(edges);
  }
  return through;
}

llvm::Error blink::checkGates(const std::vector<int> &serverOf,
                              const Tree &tree) {
  std::vector<int> gates(serverOf.size(), -1); // by server
  for (const auto *edges : {&tree.up, &tree.down})
    for (const TreeEdge &edge : *edges)
      for (int rank : {edge.from, edge.to}) {
        if (serverOf[edge.from] == serverOf[edge.to])
          continue;
        int &gate = gates[serverOf[rank]];
        if (gate >= 0 && gate != rank)
          return makeError("edge {0} -> {1}: ranks {2} and {3} of one server "
                           "talk to others, expected one of them",
                           edge.from, edge.to, gate, rank);
        gate = rank;
      }
  return llvm::Error::success();
}
