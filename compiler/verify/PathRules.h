//===- PathRules.h - which paths the runtime can drive ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The rules documented at RankTopology (compiler/topology/fabric), read a
// second time: nothing here shares code with what chose the paths.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_VERIFY_PATHRULES_H
#define BLINK_COMPILER_VERIFY_PATHRULES_H

#include "compiler/verify/Semantics.h"

#include <memory>
#include <vector>

namespace blink::verify {

/// All links between two nodes, by number; of none if the two are the same.
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
  /// As seen by ranks on the GPUs that are the nodes `gpus`, when links have
  /// failed: these keep their numbers, and no path leads over them.
  TopologyView(const sched::Schedule &file, std::vector<uint32_t> gpus,
               const FailedLinks &failed = {});
  /// The same of a machine without a file, of whose links some kinds are used.
  TopologyView(const sched::Topology &topology, uint8_t linkKinds,
               std::vector<uint32_t> gpus, const FailedLinks &failed = {});
  /// The same machine, as seen by ranks on other GPUs.
  TopologyView on(std::vector<uint32_t> gpus) const;

  uint32_t numRanks() const { return numRanks_; }
  /// Ranks and, counted after them, relays.
  uint32_t numPrograms() const { return static_cast<uint32_t>(nodes_.size()); }
  uint32_t numNodes() const { return topology_.nodes()->size(); }
  uint32_t numLinks() const { return topology_.links()->size(); }
  /// The node of the GPU of a rank or relay.
  uint32_t nodeOf(uint32_t rank) const { return nodes_[rank]; }
  const sched::Link &link(uint32_t link) const {
    return *topology_.links()->Get(link);
  }
  sched::NodeKind kindOf(uint32_t node) const { return graph_->kinds[node]; }
  const sched::Node &node(uint32_t node) const {
    return *topology_.nodes()->Get(node);
  }
  /// Whether the file's options allow the kind of this link, which has not
  /// failed.
  bool usable(uint32_t link) const;
  /// Links that leave a node, ascending, without failed ones.
  const std::vector<uint32_t> &linksFrom(uint32_t node) const {
    return graph_->linksFrom[node];
  }

  /// Are these two GPUs peer-joined? That is, does one peer link, or a chain of
  /// them through switches, join the two, in whatever direction and whether
  /// usable or not.
  bool arePeers(uint32_t a, uint32_t b) const;

  /// "gpu0 -> plx0 (pcie)".
  std::string describe(uint32_t link) const;

private:
  /// What does not depend on where the ranks are; by node.
  struct Graph {
    std::vector<sched::NodeKind> kinds;
    std::vector<std::vector<uint32_t>> linksFrom;
    /// Ascending: nodes at the other ends of peer links, of which those
    /// switches that peer links join to each other are one, numbered from
    /// numNodes() on.
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

/// Links over which GPUs reach each other's memory: nvlink, xgmi, c2c.
bool isPeerLink(sched::LinkKind kind);

/// One channel, with `path`, indices of links, for its route.
Failure checkPath(const TopologyView &machine, const sched::Channel &channel,
                  const std::vector<uint32_t> &path);

/// Every channel's path goes from the GPU of its source to the GPU of its
/// destination, link after link of kinds that may be used, through no GPU; its
/// kind is the one the nodes on the way demand; and between peer-joined GPUs a
/// `peer` path stays on peer links.
Failure checkPaths(const TopologyView &machine, const sched::Variant &variant);

} // namespace blink::verify

#endif // BLINK_COMPILER_VERIFY_PATHRULES_H
