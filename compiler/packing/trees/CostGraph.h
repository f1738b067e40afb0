//===- CostGraph.h - a digraph with costs on its edges ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_TREES_COSTGRAPH_H
#define BLINK_COMPILER_PACKING_TREES_COSTGRAPH_H

#include "llvm/ADT/ArrayRef.h"

#include <cstddef>
#include <vector>

namespace blink {

/// Costs of the edges between the vertices 0..n-1 of a complete digraph,
/// [from * n + to]; infinity where there is no edge, the diagonal is not read.
using CostMatrix = std::vector<double>;

/// An arborescence as the parent of each vertex, -1 for the root; empty when
/// none exists.
using Parents = std::vector<int>;

/// The edges that there are, by the vertex that they leave. Takes memory with
/// the edges: of thousands of ranks each has paths to few.
class CostGraph {
public:
  struct Edge {
    int end; ///< the vertex that it leads to
    double cost;
  };

  CostGraph() : begins_{0} {}
  /// Without infinite costs.
  CostGraph(const CostMatrix &costs, int n);

  /// Appends the next vertex with its edges, of ascending ends, all finite.
  void addVertex(llvm::ArrayRef<Edge> edges);

  int numVertices() const { return static_cast<int>(begins_.size()) - 1; }
  size_t numEdges() const { return edges_.size(); }
  /// By ascending ends.
  llvm::ArrayRef<Edge> from(int vertex) const {
    return {edges_.data() + begins_[vertex],
            edges_.data() + begins_[vertex + 1]};
  }
  /// Infinity where there is no edge. Logarithmic time.
  double cost(int from, int to) const;

  /// All edges the other way.
  CostGraph reversed() const;
  /// As it was made of.
  CostMatrix asMatrix() const;

private:
  std::vector<size_t> begins_; // of each vertex's edges, and the end of all
  std::vector<Edge> edges_;
};

/// Sum of the edges' costs; infinity for no arborescence (and n > 0).
double costOf(const CostGraph &costs, const Parents &parents);
double costOf(const CostMatrix &costs, const Parents &parents);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_TREES_COSTGRAPH_H
