//===- PathRules.h - which paths the runtime can drive ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The rules documented at RankTopology (compiler/topology/fabric), implemented
// a second time: this code shares nothing with the code that chose the paths.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_VERIFY_PATHRULES_H
#define BLINK_COMPILER_VERIFY_PATHRULES_H

#include "compiler/verify/Semantics.h"

#include <memory>
#include <vector>

namespace blink::verify {

/// All links between two nodes, given by their numbers; none if the two are
/// equal.
struct FailedLinks {
  uint32_t nodeA = 0, nodeB = 0;

  bool contains(const sched::Link &link) const {
    return nodeA != nodeB && ((link.from() == nodeA && link.to() == nodeB) ||
                              (link.from() == nodeB && link.to() == nodeA));
  }
};

/// The machine of a file as a program's ranks see it. The file must outlive it.
class TopologyView {
public:
  TopologyView(const sched::Schedule &file, const sched::Program &program);
  /// The view of ranks on the GPUs whose nodes are `gpus`, after links have
  /// failed: these keep their numbers, and no path leads over them.
  TopologyView(const sched::Schedule &file, std::vector<uint32_t> gpus,
               const FailedLinks &failed = {});
  /// The same for a machine without a file; `linkKinds` says which links are
  /// used.
  TopologyView(const sched::Topology &topology, uint8_t linkKinds,
               std::vector<uint32_t> gpus, const FailedLinks &failed = {});
  /// Returns the same machine as seen by ranks on other GPUs.
  TopologyView on(std::vector<uint32_t> gpus) const;

  uint32_t numRanks() const { return numRanks_; }
  /// Returns the number of ranks and relays; relays are numbered after ranks.
  uint32_t numPrograms() const { return static_cast<uint32_t>(nodes_.size()); }
  uint32_t numNodes() const { return topology_.nodes()->size(); }
  uint32_t numLinks() const { return topology_.links()->size(); }
  /// Returns the node of the GPU of a rank or relay.
  uint32_t nodeOf(uint32_t rank) const { return nodes_[rank]; }
  const sched::Link &link(uint32_t link) const {
    return *topology_.links()->Get(link);
  }
  sched::NodeKind kindOf(uint32_t node) const { return graph_->kinds[node]; }
  const sched::Node &node(uint32_t node) const {
    return *topology_.nodes()->Get(node);
  }
  /// Returns true if the file's options allow this link's kind and the link has
  /// not failed.
  bool usable(uint32_t link) const;
  /// Returns the links that leave a node, ascending, without failed ones.
  const std::vector<uint32_t> &linksFrom(uint32_t node) const {
    return graph_->linksFrom[node];
  }

  /// Returns true if two GPUs are peer-joined: if one peer link, or a chain of
  /// peer links through switches, joins the two, in either direction and
  /// whether usable or not.
  bool arePeers(uint32_t a, uint32_t b) const;

  /// Returns, for example, "gpu0 -> plx0 (pcie)".
  std::string describe(uint32_t link) const;

private:
  /// The part that does not depend on where the ranks are; by node.
  struct Graph {
    std::vector<sched::NodeKind> kinds;
    std::vector<std::vector<uint32_t>> linksFrom;
    /// The nodes at the other ends of peer links, ascending. Switches that peer
    /// links join to each other count as one node, numbered from numNodes() on.
    std::vector<std::vector<uint32_t>> peerSets;
  };
  static Graph makeGraph(const sched::Topology &topology,
                         const FailedLinks &failed);

  const sched::Topology &topology_;
  FailedLinks failed_;
  uint8_t linkKinds_;
  uint32_t numRanks_ = 0;
  std::vector<uint32_t> nodes_; // by rank and relay
  std::shared_ptr<const Graph> graph_;
};

/// Returns true for links over which GPUs reach each other's memory: nvlink,
/// xgmi, c2c.
bool isPeerLink(sched::LinkKind kind);

/// Checks one channel; `path` holds the indices of its links.
Failure checkPath(const TopologyView &machine, const sched::Channel &channel,
                  const std::vector<uint32_t> &path);

/// Checks that every channel's path goes from the GPU of its source to the GPU
/// of its destination, link after link of usable kinds and through no GPU; that
/// its kind is the one that the nodes on the way demand; and that a `peer` path
/// between peer-joined GPUs stays on peer links. If a switch works for a tree,
/// also checks that usable peer links join it with the root.
Failure checkPaths(const TopologyView &machine, const sched::Variant &variant);

} // namespace blink::verify

#endif // BLINK_COMPILER_VERIFY_PATHRULES_H
