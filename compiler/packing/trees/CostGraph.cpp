//===- CostGraph.cpp - a digraph with costs on its edges ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/trees/CostGraph.h"

#include "compiler/support/Infinity.h"

#include <algorithm>

using namespace blink;

CostGraph::CostGraph(const CostMatrix &costs, int n) : CostGraph() {
  std::vector<Edge> edges;
  for (int from = 0; from < n; ++from) {
    edges.clear();
    for (int to = 0; to < n; ++to)
      if (from != to && costs[size_t(from) * n + to] < kInfinity)
        edges.push_back({to, costs[size_t(from) * n + to]});
    addVertex(edges);
  }
}

void CostGraph::addVertex(llvm::ArrayRef<Edge> edges) {
  edges_.insert(edges_.end(), edges.begin(), edges.end());
  begins_.push_back(edges_.size());
}

double CostGraph::cost(int from, int to) const {
  const llvm::ArrayRef<Edge> edges = this->from(from);
  const Edge *edge =
      std::lower_bound(edges.begin(), edges.end(), to,
                       [](const Edge &e, int end) { return e.end < end; });
  return edge != edges.end() && edge->end == to ? edge->cost : kInfinity;
}

CostGraph CostGraph::reversed() const {
  CostGraph result;
  result.begins_.assign(begins_.size(), 0);
  result.edges_.resize(edges_.size());
  for (const Edge &edge : edges_)
    ++result.begins_[edge.end + 1];
  for (size_t vertex = 1; vertex < begins_.size(); ++vertex)
    result.begins_[vertex] += result.begins_[vertex - 1];
  std::vector<size_t> next = result.begins_;
  for (int vertex = 0; vertex < numVertices(); ++vertex)
    for (const Edge &edge : from(vertex))
      result.edges_[next[edge.end]++] = {vertex, edge.cost};
  return result;
}

template <typename CostOf>
static double sumOf(const Parents &parents, CostOf costOf) {
  if (parents.empty())
    return kInfinity;
  double sum = 0;
  for (size_t vertex = 0; vertex < parents.size(); ++vertex)
    if (parents[vertex] >= 0)
      sum += costOf(parents[vertex], static_cast<int>(vertex));
  return sum;
}

double blink::costOf(const CostGraph &costs, const Parents &parents) {
  return sumOf(parents, [&](int from, int to) { return costs.cost(from, to); });
}

double blink::costOf(const CostMatrix &costs, const Parents &parents) {
  return sumOf(parents, [&](int from, int to) {
    return costs[size_t(from) * parents.size() + to];
  });
}
