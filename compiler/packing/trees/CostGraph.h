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
/// indexed [from * n + to]. Infinity means no edge; the diagonal is not read.
using CostMatrix = std::vector<double>;

/// An arborescence as the parent of each vertex, -1 for the root; empty if
/// there is none.
using Parents = std::vector<int>;

/// A sparse digraph: the existing edges, sorted by the vertex that they leave.
/// Memory grows with the number of edges, since each of thousands of ranks has
/// paths to only a few others.
class CostGraph {
public:
  struct Edge {
    int end; ///< head of the edge
    double cost;
  };

  CostGraph() : begins_{0} {}
  /// Takes the edges of `costs` that are not infinite.
  CostGraph(const CostMatrix &costs, int n);

  /// Appends the next vertex with its edges, whose ends ascend and whose costs
  /// are finite.
  void addVertex(llvm::ArrayRef<Edge> edges);

  int numVertices() const { return static_cast<int>(begins_.size()) - 1; }
  size_t numEdges() const { return edges_.size(); }
  /// The edges that leave `vertex`, by ascending ends.
  llvm::ArrayRef<Edge> from(int vertex) const {
    return {edges_.data() + begins_[vertex],
            edges_.data() + begins_[vertex + 1]};
  }
  /// Returns the cost of an edge; infinity if there is no such edge. Takes
  /// logarithmic time.
  double cost(int from, int to) const;

  /// Returns the graph with all edges reversed.
  CostGraph reversed() const;

private:
  std::vector<size_t> begins_; // first edge of each vertex, and the end of all
  std::vector<Edge> edges_;
};

/// Returns the sum of the edges' costs; infinity if `parents` is empty (and n >
/// 0).
double costOf(const CostGraph &costs, const Parents &parents);
double costOf(const CostMatrix &costs, const Parents &parents);

} // namespace blink

#endif // BLINK_COMPILER_PACKING_TREES_COSTGRAPH_H
