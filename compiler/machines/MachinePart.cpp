//===- MachinePart.cpp - reduced machines for comparison ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/machines/MachinePart.h"

#include "compiler/support/Numbers.h"
#include "compiler/topology/fabric/RankTopology.h"

#include <algorithm>
#include <set>

using namespace blink;

int MachinePart::numPairs() const {
  std::set<std::pair<int, int>> pairs;
  for (const auto &[ends, byKind] : rates)
    pairs.insert(std::minmax(ends.first, ends.second));
  return static_cast<int>(pairs.size());
}

double MachinePart::fastest(LinkKind kind) const {
  double most = 0;
  for (const auto &[ends, byKind] : rates)
    if (auto rate = byKind.find(kind); rate != byKind.end())
      most = std::max(most, rate->second);
  return most;
}

namespace {

/// Removes nodes one after the other.
class Reduction {
public:
  Reduction(const Topology &topology, bool peerLinksOnly,
            llvm::ArrayRef<int> gpus)
      : topology_(topology), from_(topology.nodes.size()),
        to_(topology.nodes.size()), isGone_(topology.nodes.size(), false) {
    const std::vector<int> all = topology.gpus();
    isOther_.assign(topology.nodes.size(), false);
    for (int gpu : all)
      isOther_[gpu] = true;
    for (int gpu : gpus)
      isOther_[all[gpu]] = false;
    for (const Link &link : topology.links)
      if (!peerLinksOnly || isPeerLink(link.kind))
        add(link.from, link.to, {{link.kind, link.bandwidth}});
  }

  MachinePart run() {
    std::vector<int> pending;
    for (size_t node = 0; node < isGone_.size(); ++node)
      pending.push_back(static_cast<int>(node));
    while (!pending.empty()) {
      const int node = pending.back();
      pending.pop_back();
      if (isGone_[node] || !canGo(node))
        continue;
      // Its neighbours may be removable now.
      const std::set<int> others = neighbours(node);
      takeAway(node);
      pending.insert(pending.end(), others.begin(), others.end());
    }
    return rest();
  }

private:
  using ByNode = std::map<int, PairRates>;

  void add(int from, int to, const PairRates &rates) {
    for (auto [kind, bandwidth] : rates) {
      from_[from][to][kind] += bandwidth;
      to_[to][from][kind] += bandwidth;
    }
  }

  std::set<int> neighbours(int node) const {
    std::set<int> others;
    for (const ByNode *side : {&from_[node], &to_[node]})
      for (const auto &[other, rates] : *side)
        others.insert(other);
    return others;
  }

  bool canGo(int node) const {
    const NodeKind kind = topology_.nodes[node].kind;
    if (kind == NodeKind::gpu)
      return isOther_[node];
    // The sizes rule out nodes with many neighbours before the set is built.
    if (kind == NodeKind::nic ||
        (from_[node].size() <= 1 && to_[node].size() <= 1 &&
         neighbours(node).size() <= 1))
      return true;
    return passesOn(node);
  }

  /// Returns true if a PCIe switch has two neighbours that have no other link.
  bool passesOn(int node) const {
    const ByNode &to = from_[node], &from = to_[node];
    if (topology_.nodes[node].kind != NodeKind::switch_ || to.size() != 2 ||
        from.size() != 2)
      return false;
    const int first = to.begin()->first, second = to.rbegin()->first;
    auto isPcie = [](const auto &entry) {
      return entry.second.size() == 1 &&
             entry.second.begin()->first == LinkKind::pcie;
    };
    return from.count(first) && from.count(second) &&
           std::all_of(to.begin(), to.end(), isPcie) &&
           std::all_of(from.begin(), from.end(), isPcie) &&
           from_[first].count(second) == 0 && from_[second].count(first) == 0;
  }

  void takeAway(int node) {
    if (passesOn(node)) {
      const int ends[2] = {from_[node].begin()->first,
                           from_[node].rbegin()->first};
      for (int side : {0, 1})
        add(ends[side], ends[1 - side],
            {{LinkKind::pcie,
              std::min(to_[node][ends[side]][LinkKind::pcie],
                       from_[node][ends[1 - side]][LinkKind::pcie])}});
    }
    for (const auto &[other, rates] : from_[node])
      to_[other].erase(node);
    for (const auto &[other, rates] : to_[node])
      from_[other].erase(node);
    from_[node].clear();
    to_[node].clear();
    isGone_[node] = true;
  }

  MachinePart rest() const {
    MachinePart part;
    std::vector<int> placeOf(isGone_.size(), -1);
    for (NodeKind kind : sched::EnumValuesNodeKind())
      for (size_t node = 0; node < isGone_.size(); ++node)
        if (!isGone_[node] && topology_.nodes[node].kind == kind) {
          placeOf[node] = part.numNodes();
          part.nodes.push_back(static_cast<int>(node));
          part.kinds.push_back(kind);
        }
    for (size_t node = 0; node < isGone_.size(); ++node)
      for (const auto &[other, rates] : from_[node])
        part.rates[{placeOf[node], placeOf[other]}] = rates;
    return part;
  }

  const Topology &topology_;
  std::vector<ByNode> from_, to_; // per node: rates to others, and from them
  std::vector<char> isGone_;
  std::vector<char> isOther_; // a GPU that was not requested
};

} // namespace

MachinePart blink::partOf(const Topology &topology, bool peerLinksOnly,
                          llvm::ArrayRef<int> gpus) {
  return Reduction(topology, peerLinksOnly, gpus).run();
}

MachinePart blink::partOf(const Topology &topology, bool peerLinksOnly) {
  return partOf(topology, peerLinksOnly, firstNumbers(topology.gpus().size()));
}

std::vector<int> blink::findTwins(const MachinePart &part) {
  static const PairRates none;
  const size_t size = part.nodes.size();
  std::vector<const PairRates *> table(size * size, &none);
  for (const auto &[ends, rates] : part.rates)
    table[ends.first * size + ends.second] = &rates;
  auto areAlike = [&](size_t from, size_t to, size_t from2, size_t to2) {
    return *table[from * size + to] == *table[from2 * size + to2];
  };
  auto areTwins = [&](size_t a, size_t b) {
    if (part.kinds[a] != part.kinds[b] || !areAlike(a, b, b, a))
      return false;
    for (size_t other = 0; other < size; ++other)
      if (other != a && other != b &&
          (!areAlike(a, other, b, other) || !areAlike(other, a, other, b)))
        return false;
    return true;
  };
  std::vector<int> twins(size, 0);
  for (size_t node = 0; node < size; ++node)
    while (!areTwins(twins[node], node))
      ++twins[node];
  return twins;
}
