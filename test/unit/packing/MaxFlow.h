//===- MaxFlow.h - maximum flows and minimum cuts ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// An oracle: by Edmonds' theorem the smallest of the maximum flows from a root
// is the optimum of its broadcasts.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_UNIT_PACKING_MAXFLOW_H
#define BLINK_TEST_UNIT_PACKING_MAXFLOW_H

#include <vector>

namespace blink {

/// A directed graph with capacities. Dinic's algorithm: at most n phases of
/// O(n m), whatever the capacities are.
///
///     FlowNetwork network(3);
///     network.addEdge(0, 1, 25.0);
///     network.addEdge(1, 2, 50.0);
///     network.maxFlow(0, 2);  // 25
///     network.minCutSide(0);  // {true, false, false}
class FlowNetwork {
public:
  explicit FlowNetwork(int numNodes) : first_(numNodes, -1) {}

  /// Parallel edges are fine. `capacity` >= 0, infinity allowed.
  void addEdge(int from, int to, double capacity);

  /// Returns the maximum flow from `source` to `sink`, which must differ.
  /// Forgets the flow of an earlier call. Returns infinity if a path of
  /// infinite edges joins the two; then there is no cut.
  double maxFlow(int source, int sink);

  /// After maxFlow(source, ...): returns for each node whether it is on the
  /// source's side of the minimum cut nearest to the source. The edges that
  /// leave this side have the flow's value as capacity.
  std::vector<bool> minCutSide(int source) const;

private:
  /// Edges come in pairs: 2k as added, 2k + 1 its reverse.
  struct Edge {
    int to;
    int next; ///< the next edge out of the same node, -1 at the end
    double capacity;
    double residual;
  };

  bool findLevels(int source, int sink);
  double augment(int source, int sink);

  std::vector<Edge> edges_;
  std::vector<int> first_;   // per node: its first edge
  std::vector<int> level_;   // per node: hops from the source, -1 if cut off
  std::vector<int> current_; // per node: the first edge not yet exhausted
};

} // namespace blink

#endif // BLINK_TEST_UNIT_PACKING_MAXFLOW_H
