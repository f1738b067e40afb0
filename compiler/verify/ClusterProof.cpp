//===- ClusterProof.cpp - proof of what is said of a cluster --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A permutation is checked on a graph of one box of each kind and the shared
// nodes. The cluster has the links of that graph once for each box, and boxes
// of a kind have the same links. So a permutation that preserves this graph
// preserves the cluster.
//
//===----------------------------------------------------------------------===//

#include "compiler/verify/ClusterProof.h"

#include <algorithm>

namespace blink::verify {

ClusterProof::ClusterProof(const sched::Bundle &index)
    : cluster_(*index.cluster()), topology_(*cluster_.topology()),
      boxOf_(index.num_nodes(), -1), kindNodes_(cluster_.kinds()->size()),
      links_(index.num_nodes()) {
  for (uint32_t b = 0; b < cluster_.boxes()->size(); ++b) {
    const sched::Box &box = *cluster_.boxes()->Get(b);
    for (uint16_t node : *box.nodes())
      boxOf_[node] = int(b);
    if (kindNodes_[box.kind()].empty())
      kindNodes_[box.kind()].assign(box.nodes()->begin(), box.nodes()->end());
  }
  for (uint32_t node = 0; node < boxOf_.size(); ++node)
    if (boxOf_[node] < 0)
      shared_.push_back(node);
  for (const sched::Link *link : *topology_.links()) {
    links_[link->from()].push_back(link);
    links_[link->to()].push_back(link);
  }
}

bool ClusterProof::alike(uint32_t a, uint32_t b) const {
  const sched::Node &x = *topology_.nodes()->Get(a);
  const sched::Node &y = *topology_.nodes()->Get(b);
  return x.kind() == y.kind() && x.multicast() == y.multicast() &&
         x.reduce() == y.reduce() &&
         flatbuffers::GetString(x.device()) ==
             flatbuffers::GetString(y.device());
}

/// Checks that mapping `nodes` to `images`, one by one, maps the links among
/// the nodes to those among the images.
Failure ClusterProof::checkPermutation(const Nodes &nodes, const Nodes &images,
                                       const std::string &what) const {
  std::vector<uint32_t> imageOf(boxOf_.size(), ~uint32_t(0));
  std::vector<bool> isImage(boxOf_.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!alike(nodes[i], images[i]))
      return what + ": node " + topology_.nodes()->Get(nodes[i])->id()->str() +
             " is carried onto one of another kind";
    imageOf[nodes[i]] = images[i];
    isImage[images[i]] = true;
  }
  std::vector<Arc> before, behind;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const auto lookOf = [](const sched::Link &link) {
      return Look(link.kind(), link.bandwidth(), link.latency());
    };
    for (const sched::Link *link : links_[nodes[i]])
      if (link->from() == nodes[i] && imageOf[link->to()] != ~uint32_t(0))
        before.emplace_back(images[i], imageOf[link->to()], lookOf(*link));
    for (const sched::Link *link : links_[images[i]])
      if (link->from() == images[i] && isImage[link->to()])
        behind.emplace_back(images[i], link->to(), lookOf(*link));
  }
  std::sort(before.begin(), before.end());
  std::sort(behind.begin(), behind.end());
  if (before != behind)
    return what + ": links are carried to where no such links are";
  return std::nullopt;
}

Failure ClusterProof::checkBoxes() const {
  for (const sched::Link *link : *topology_.links())
    if (boxOf_[link->from()] >= 0 && boxOf_[link->to()] >= 0 &&
        boxOf_[link->from()] != boxOf_[link->to()])
      return "cluster: a link joins boxes " +
             std::to_string(boxOf_[link->from()]) + " and " +
             std::to_string(boxOf_[link->to()]);
  for (uint32_t b = 0; b < cluster_.boxes()->size(); ++b) {
    const sched::Box &box = *cluster_.boxes()->Get(b);
    Nodes first = kindNodes_[box.kind()];
    Nodes own(box.nodes()->begin(), box.nodes()->end());
    first.insert(first.end(), shared_.begin(), shared_.end());
    own.insert(own.end(), shared_.begin(), shared_.end());
    if (Failure problem =
            checkPermutation(first, own, "cluster: box " + std::to_string(b)))
      return *problem + ", so that it is not of kind " +
             std::to_string(box.kind());
  }
  return std::nullopt;
}

Failure ClusterProof::checkSymmetries() const {
  if (Failure problem = checkBoxes())
    return problem;
  // Checks all permutations of a list, each applied to `nodes` from `begin` on.
  const auto checkAll = [&](const flatbuffers::Vector<uint16_t> &flat,
                            size_t size, const Nodes &nodes, size_t begin,
                            const std::string &what) -> Failure {
    for (size_t at = 0; at + size <= flat.size(); at += size) {
      Nodes images = nodes;
      for (size_t i = 0; i < size; ++i)
        images[begin + i] = nodes[begin + flat.Get(uint32_t(at + i))];
      if (Failure problem = checkPermutation(nodes, images,
                                             "cluster: " + what + " " +
                                                 std::to_string(at / size)))
        return problem;
    }
    return std::nullopt;
  };
  Nodes all;
  for (uint32_t k = 0; k < kindNodes_.size(); ++k) {
    Nodes nodes = kindNodes_[k];
    all.insert(all.end(), nodes.begin(), nodes.end());
    const size_t size = nodes.size();
    nodes.insert(nodes.end(), shared_.begin(), shared_.end());
    const sched::BoxKind &kind = *cluster_.kinds()->Get(k);
    const std::string of = " of kind " + std::to_string(k) + ", number";
    if (Failure problem = checkAll(*kind.swaps(), size, nodes, 0, "swap" + of))
      return problem;
    if (Failure problem = checkAll(*kind.turns(), size, nodes, 0, "turn" + of))
      return problem;
  }
  all.insert(all.end(), shared_.begin(), shared_.end());
  if (Failure problem =
          checkAll(*cluster_.exchanges(), all.size(), all, 0, "exchange"))
    return problem;
  return checkAll(*cluster_.turns(), all.size(), all, 0, "turn");
}

Failure ClusterProof::checkPart(const sched::Topology &machine,
                                const std::vector<uint16_t> &boxes) const {
  std::vector<uint32_t> nodes;
  std::vector<int> numberOf(boxOf_.size(), -1);
  for (uint32_t node = 0; node < boxOf_.size(); ++node)
    if (boxOf_[node] < 0 || std::binary_search(boxes.begin(), boxes.end(),
                                               uint16_t(boxOf_[node]))) {
      numberOf[node] = int(nodes.size());
      nodes.push_back(node);
    }
  const std::string other = "its machine is not the part of the cluster that "
                            "its GPUs use: ";
  if (nodes.size() != machine.nodes()->size())
    return other + "another number of nodes";
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    const sched::Node &x = *topology_.nodes()->Get(nodes[i]);
    const sched::Node &y = *machine.nodes()->Get(i);
    if (x.id()->str() != y.id()->str() || x.kind() != y.kind() ||
        x.multicast() != y.multicast() || x.reduce() != y.reduce() ||
        flatbuffers::GetString(x.device()) !=
            flatbuffers::GetString(y.device()))
      return other + "node " + y.id()->str();
  }
  std::vector<Arc> own, there;
  for (const sched::Link *link : *topology_.links())
    if (numberOf[link->from()] >= 0 && numberOf[link->to()] >= 0)
      there.emplace_back(
          numberOf[link->from()], numberOf[link->to()],
          Look(link->kind(), link->bandwidth(), link->latency()));
  for (const sched::Link *link : *machine.links())
    own.emplace_back(link->from(), link->to(),
                     Look(link->kind(), link->bandwidth(), link->latency()));
  std::sort(own.begin(), own.end());
  std::sort(there.begin(), there.end());
  if (own != there)
    return other + "its links";
  return std::nullopt;
}

} // namespace blink::verify
