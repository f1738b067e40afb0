//===- DrivableLinks.h - the links between two GPUs -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Which links can appear on a path between two GPUs, so that the rest of the
// machine need not be looked at.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_FABRIC_DRIVABLELINKS_H
#define BLINK_COMPILER_TOPOLOGY_FABRIC_DRIVABLELINKS_H

#include "compiler/topology/fabric/PathLayers.h"

#include <optional>

namespace blink {

/// Answers, for two GPUs, which links lie on drivable paths that visit no
/// (node, layer) twice. Other paths are never better: they contain a loop.
///
/// Whether such a path uses a given link is a question about two disjoint paths
/// in a directed graph, which is NP-hard. What is asked instead is whether some
/// (node, layer) separates the link from both GPUs: lies on all routes to it
/// and on all routes from it on. No link of a path is left out, and none too
/// many is kept where the transit nodes form a tree.
///
/// Answers depend on the two GPUs alone, not on an allocation, since no
/// path crosses a GPU. They are computed when first asked for and kept for
/// machines of up to kMostKept GPUs. `machine` holds all GPUs in order and must
/// outlive this.
class DrivableLinks {
public:
  static constexpr int kMostKept = 256;

  explicit DrivableLinks(const RankTopology &machine);

  /// Indices into Topology::links, ascending. Valid until the next call.
  const std::vector<int> &between(int from, int to);
  /// The same of all pairs of these GPUs.
  std::vector<int> among(const std::vector<int> &gpus);

private:
  using Graph = std::vector<std::vector<int>>; // per vertex: successors

  /// Dominators (Cooper, Harvey and Kennedy 2001): the parent of a vertex is
  /// the last vertex before it that all routes from the starts go through.
  struct DominatorTree {
    std::vector<int> parent;       ///< numVertices: the root; -1: not reached
    std::vector<int> enter, leave; ///< numbers of a walk over the tree
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
  // Vertices: (transit node, layer), and (link, layer before it) for links
  // between transit nodes, so that links are dominated and dominate as nodes
  // do.
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
