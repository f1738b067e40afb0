//===- PartIsomorphism.cpp - isomorphism of machine parts -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Groups of twins, the refinement of their colours, and the search for a map.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/symmetry/PartIsomorphism.h"

#include <algorithm>

using namespace blink;

using Arc = ColoredGraph::Arc;

PartGraph::PartGraph(ColoredGraph graph, std::vector<int> nodeColors)
    : graph_(std::move(graph)), nodeColors_(std::move(nodeColors)) {
  for (std::vector<Arc> &arcs : graph_.arcs)
    std::sort(arcs.begin(), arcs.end());
  findGroups();
  colorGroups();
}

bool PartGraph::canSwap(int a, int b) const {
  const std::vector<Arc> &left = graph_.arcs[a], &right = graph_.arcs[b];
  if (nodeColors_[a] != nodeColors_[b] || left.size() != right.size())
    return false;
  // Arcs to other nodes must be the same; arcs between the two must look the
  // same from both.
  auto i = left.begin(), j = right.begin();
  std::vector<uint64_t> there, back;
  while (true) {
    for (; i != left.end() && i->node == b; ++i)
      there.push_back(i->color);
    for (; j != right.end() && j->node == a; ++j)
      back.push_back(j->color);
    if (i == left.end() || j == right.end())
      break;
    if (!(*i++ == *j++))
      return false;
  }
  return i == left.end() && j == right.end() && there == back;
}

void PartGraph::findGroups() {
  groupOf_.resize(nodeColors_.size());
  for (int node = 0; node < numNodes(); ++node) {
    size_t group = 0;
    while (group < groups_.size() && !canSwap(groups_[group].front(), node))
      ++group;
    if (group == groups_.size())
      groups_.emplace_back();
    groups_[group].push_back(node);
    groupOf_[node] = static_cast<int>(group);
  }
}

/// Refines the colours in rounds of hashing, in which a sum of hashes stands
/// for a multiset. A collision merges colours: that costs search time, not
/// correctness.
void PartGraph::colorGroups() {
  size_t n = groups_.size();
  groupGraph_.arcs.resize(n);
  std::vector<uint64_t> hashes(n);
  for (size_t group = 0; group < n; ++group) {
    int first = groups_[group].front();
    uint64_t within = 0; // hash of the arcs among the twins themselves
    for (const Arc &arc : graph_.arcs[first]) {
      int other = groupOf_[arc.node];
      if (other == static_cast<int>(group))
        within += mixBits(arc.color);
      else if (arc.node == groups_[other].front())
        groupGraph_.arcs[group].push_back({other, arc.color});
    }
    hashes[group] = mixBits(
        mixBits(mixBits(uint64_t(nodeColors_[first])) + groups_[group].size()) +
        within);
  }
  size_t distinct = 0;
  while (true) {
    invariant_ = hashes;
    std::sort(invariant_.begin(), invariant_.end());
    size_t now = 0;
    for (size_t at = 0; at < n; ++at)
      now += at == 0 || invariant_[at] != invariant_[at - 1];
    if (now <= distinct)
      break;
    distinct = now;
    std::vector<uint64_t> next(n);
    for (size_t group = 0; group < n; ++group) {
      uint64_t around = 0;
      for (const Arc &arc : groupGraph_.arcs[group])
        around += mixBits(hashes[arc.node] + mixBits(arc.color));
      next[group] = mixBits(hashes[group] + mixBits(around));
    }
    hashes = std::move(next);
  }
  std::vector<uint64_t> colors = invariant_;
  colors.erase(std::unique(colors.begin(), colors.end()), colors.end());
  for (uint64_t hash : hashes)
    groupColors_.push_back(static_cast<int>(
        std::lower_bound(colors.begin(), colors.end(), hash) - colors.begin()));
}

bool PartGraph::isImage(const PartGraph &left,
                        const std::vector<int> &map) const {
  std::vector<Arc> arcs;
  for (int node = 0; node < numNodes(); ++node) {
    if (left.nodeColors_[node] != nodeColors_[map[node]])
      return false;
    arcs.clear();
    for (const Arc &arc : left.graph_.arcs[node])
      arcs.push_back({map[arc.node], arc.color});
    std::sort(arcs.begin(), arcs.end());
    if (arcs != graph_.arcs[map[node]])
      return false;
  }
  return true;
}

class PartGraph::Search {
public:
  Search(const PartGraph &left, const PartGraph &right,
         std::optional<std::pair<int, int>> pin)
      : left_(left), right_(right), pin_(pin) {}

  std::optional<std::vector<int>> run() {
    TwinColoring coloring(left_.groupGraph_, left_.groupColors_,
                          right_.groupGraph_, right_.groupColors_);
    bool possible = coloring.isPossible();
    if (possible && pin_)
      possible = coloring.require(
          {{left_.groupOf_[pin_->first], right_.groupOf_[pin_->second]}});
    if (!possible || !extend(std::move(coloring), 0))
      return std::nullopt;
    return std::move(map_);
  }

private:
  /// All groups before `done` are fixed.
  bool extend(TwinColoring coloring, int done) {
    int numGroups = static_cast<int>(left_.groups_.size());
    while (done < numGroups && coloring.isFixed(done))
      ++done;
    if (done == numGroups)
      return finish(coloring);
    std::vector<int> images = coloring.candidates(done);
    std::sort(images.begin(), images.end());
    for (int image : images) {
      TwinColoring next = coloring;
      if (!next.require({{done, image}}))
        ++deadEnds_;
      else if (extend(std::move(next), done + 1))
        return true;
      if (deadEnds_ >= kMostDeadEnds)
        return false;
    }
    return false;
  }

  bool finish(const TwinColoring &coloring) {
    map_.assign(left_.numNodes(), -1);
    for (size_t group = 0; group < left_.groups_.size(); ++group) {
      const std::vector<int> &from = left_.groups_[group];
      const std::vector<int> &to =
          right_.groups_[coloring.image(static_cast<int>(group))];
      if (from.size() != to.size()) { // after a collision of hashes
        ++deadEnds_;
        return false;
      }
      for (size_t member = 0; member < from.size(); ++member)
        map_[from[member]] = to[member];
    }
    if (pin_) {
      // Let the pinned node and the twin that took its image trade places.
      auto other = std::find(map_.begin(), map_.end(), pin_->second);
      std::swap(*other, map_[pin_->first]);
    }
    if (right_.isImage(left_, map_))
      return true;
    ++deadEnds_;
    return false;
  }

  const PartGraph &left_, &right_;
  std::optional<std::pair<int, int>> pin_;
  std::vector<int> map_;
  int deadEnds_ = 0;
};

std::optional<std::vector<int>>
PartGraph::isomorphism(const PartGraph &left, const PartGraph &right,
                       std::optional<std::pair<int, int>> pin) {
  // The colours of two graphs are comparable only if the invariants are equal.
  if (left.numNodes() != right.numNodes() ||
      left.invariant_ != right.invariant_)
    return std::nullopt;
  auto colorOf = [](const PartGraph &graph, int node) {
    return graph.groupColors_[graph.groupOf_[node]];
  };
  if (pin && colorOf(left, pin->first) != colorOf(right, pin->second))
    return std::nullopt;
  return Search(left, right, pin).run();
}
