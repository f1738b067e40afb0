//===- PairGraph.cpp - the pairs of ranks that have paths -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/trees/PairGraph.h"

#include "compiler/support/Infinity.h"

#include "llvm/ADT/STLExtras.h"

using namespace blink;

PairGraph::PairGraph(const SymmetricPaths &paths) {
  const PathTable &table = paths.table();
  const Symmetry &symmetry = paths.symmetry();
  std::vector<std::vector<Pair>> rows; // per representative
  std::vector<size_t> rowOf(size_t(table.numRanks));
  for (int from : symmetry.representatives()) {
    rowOf[size_t(from)] = rows.size();
    std::vector<Pair> &row = rows.emplace_back();
    for (int to = 0; to < table.numRanks; ++to)
      if (to != from && table.cost(from, to) < kInfinity)
        row.push_back({to, static_cast<uint32_t>(table.place(from, to))});
  }
  size_t count = 0;
  for (const std::vector<Pair> &row : rows)
    count += row.size() * size_t(symmetry.order());
  pairs_.reserve(count);
  for (int from = 0; from < table.numRanks; ++from) {
    const int element = symmetry.elementTo(from);
    for (const Pair &pair : rows[rowOf[size_t(symmetry.representative(from))]])
      pairs_.push_back({symmetry.mapRank(element, pair.to), pair.place});
    std::sort(pairs_.begin() + long(begins_.back()), pairs_.end(),
              [](const Pair &a, const Pair &b) { return a.to < b.to; });
    begins_.push_back(pairs_.size());
  }
}

CostGraph PairGraph::withCosts(const std::vector<double> &rows) const {
  CostGraph graph;
  std::vector<CostGraph::Edge> edges;
  for (size_t from = 0; from + 1 < begins_.size(); ++from) {
    edges.clear();
    for (size_t at = begins_[from]; at < begins_[from + 1]; ++at)
      edges.push_back({pairs_[at].to, rows[pairs_[at].place]});
    graph.addVertex(edges);
  }
  return graph;
}
