//===- DrivableLinks.h - links on paths between two GPUs --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Finds the links that can appear on a path between two GPUs, so that callers
// can ignore the rest of the machine.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_FABRIC_DRIVABLELINKS_H
#define BLINK_COMPILER_TOPOLOGY_FABRIC_DRIVABLELINKS_H

#include "compiler/topology/fabric/PathLayers.h"

#include <optional>

namespace blink {

/// Tells, for two GPUs, which links lie on drivable paths that visit no (node,
/// layer) twice. Other paths contain a loop, so they are never better.
///
/// Whether such a path uses a given link is the question whether a directed
/// graph has two disjoint paths, which is NP-hard. This class checks instead
/// whether some (node, layer) separates the link from both GPUs, that is, lies
/// on all routes from the one GPU to the link and on all routes from the link
/// to the other GPU. The result contains every link of every such path, and
/// nothing else if the transit nodes form a tree.
///
/// Results depend on the two GPUs only, not on an allocation, since no path
/// crosses a GPU. They are computed on demand, and kept on machines of up to
/// kMostKept GPUs. `machine` holds all GPUs in order and must outlive this
/// object.
class DrivableLinks {
public:
  static constexpr int kMostKept = 256;

  explicit DrivableLinks(const RankTopology &machine);

  /// Returns indices into Topology::links, ascending. Valid until the next
  /// call.
  const std::vector<int> &between(int from, int to);
  /// Returns the links between all pairs of these GPUs, ascending.
  std::vector<int> among(const std::vector<int> &gpus);

private:
  using Graph = std::vector<std::vector<int>>; // per vertex: successors

  /// Dominators (Cooper, Harvey and Kennedy 2001): the parent of a vertex is
  /// the last vertex before it that lies on all routes from the starts.
  struct DominatorTree {
    std::vector<int> parent; ///< numVertices: the root; -1: not reached.
    /// Intervals of a depth-first walk over the tree.
    std::vector<int> enter, leave;
    bool reaches(int vertex) const { return parent[vertex] >= 0; }
    bool dominates(int above, int vertex) const {
      return enter[above] <= enter[vertex] && enter[vertex] < leave[above];
    }
  };
  static DominatorTree dominators(const Graph &successors,
                                  const Graph &predecessors,
                                  const std::vector<int> &starts);

  int vertexOf(int transit, PathLayer layer) const {
    return transitIndex_[transit] * numPathLayers + static_cast<int>(layer);
  }
  const DominatorTree &fromGpu(int gpu);
  const DominatorTree &toGpu(int gpu, bool joined);
  std::vector<int> compute(int from, int to);

  const RankTopology &machine_;
  std::vector<int> transitIndex_; // per node; -1 for GPUs
  // Vertices: (transit node, layer), and (link, layer before the link) for
  // links between transit nodes. Links are vertices so that they can dominate,
  // and be dominated, like nodes.
  Graph successors_, predecessors_;
  std::vector<int> linkOf_; // per vertex; -1 for transit nodes
  std::vector<std::vector<int>> linksFrom_, linksTo_; // per GPU
  std::vector<std::optional<DominatorTree>> fromGpu_; // per GPU
  std::vector<std::optional<DominatorTree>> toGpu_;   // per GPU, and joined
  std::vector<std::optional<std::vector<int>>> kept_; // per ordered pair
  std::vector<int> last_;
};

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_FABRIC_DRIVABLELINKS_H
