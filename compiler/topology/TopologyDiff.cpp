//===- TopologyDiff.cpp - differences between two machines ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/TopologyDiff.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <algorithm>
#include <cmath>

using namespace blink;

/// Returns the ids of `topology` that `other` lacks.
static std::vector<std::string> onlyIn(const Topology &topology,
                                       const Topology &other) {
  llvm::StringSet<> known;
  for (const Node &node : other.nodes)
    known.insert(node.id);
  std::vector<std::string> ids;
  for (const Node &node : topology.nodes)
    if (!known.contains(node.id))
      ids.push_back(node.id);
  return ids;
}

static std::vector<NodeChange> changedNodes(const Topology &before,
                                            const Topology &after) {
  llvm::StringMap<const Node *> now;
  for (const Node &node : after.nodes)
    now[node.id] = &node;
  std::vector<NodeChange> changes;
  for (const Node &node : before.nodes) {
    const Node *other = now.lookup(node.id);
    if (other &&
        (node.kind != other->kind || node.multicast != other->multicast ||
         node.reduce != other->reduce))
      changes.push_back({node.id, node, *other});
  }
  return changes;
}

TopologyDiff blink::diffTopologies(const Topology &before,
                                   const Topology &after, double tolerance) {
  using Arc = std::tuple<std::string, std::string, LinkKind>;
  struct Rates {
    double before = 0, after = 0;
  };
  std::map<Arc, Rates> arcs;
  auto arcOf = [](const Topology &topology, const Link &link) {
    return Arc{topology.nodes[link.from].id, topology.nodes[link.to].id,
               link.kind};
  };
  for (const Link &link : before.links)
    arcs[arcOf(before, link)].before += link.bandwidth;
  for (const Link &link : after.links)
    arcs[arcOf(after, link)].after += link.bandwidth;

  TopologyDiff diff;
  diff.gone = onlyIn(before, after);
  diff.added = onlyIn(after, before);
  diff.nodes = changedNodes(before, after);
  for (const auto &[arc, rates] : arcs) {
    const auto &[from, to, kind] = arc;
    if (std::abs(rates.after - rates.before) <= tolerance * rates.before)
      continue;
    auto back = arcs.find({to, from, kind});
    bool bothWays = back != arcs.end() && back->second.before == rates.before &&
                    back->second.after == rates.after;
    if (!bothWays || from < to)
      diff.links.push_back(
          {from, to, kind, !bothWays, rates.before, rates.after});
  }
  llvm::stable_sort(diff.links, [](const LinkChange &a, const LinkChange &b) {
    auto part = [](const LinkChange &change) {
      return change.before > 0 ? change.after / change.before : INFINITY;
    };
    return part(a) < part(b);
  });
  return diff;
}
