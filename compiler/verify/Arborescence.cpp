//===- Arborescence.cpp - the cheapest spanning tree of a root ------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A path grows backwards: from its last node along the cheapest edge into that
// node. If the edge comes from a node that is already joined to the root, the
// whole path is joined; if it comes from the path itself, the circle becomes
// one node.
//
//===----------------------------------------------------------------------===//

#include "compiler/verify/Arborescence.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace blink::verify {

namespace {

enum class State : uint8_t { fresh, onPath, joined };

class Contraction {
public:
  Contraction(uint32_t count, std::vector<double> costs, uint32_t root)
      : count_(count), costs_(std::move(costs)), circles_(count),
        states_(count, State::fresh) {
    std::iota(circles_.begin(), circles_.end(), 0);
    states_[root] = State::joined;
  }

  double run() {
    double total = 0;
    for (uint32_t start = 0; start < count_; ++start) {
      if (circles_[start] != start || states_[start] != State::fresh)
        continue;
      path_ = {start};
      states_[start] = State::onPath;
      while (!path_.empty())
        total += growPath();
    }
    return total;
  }

private:
  /// Returns the costs of the edges into a node, by the nodes that they come
  /// from.
  double *edgesInto(uint32_t node) {
    return costs_.data() + size_t(node) * count_;
  }

  /// Takes the cheapest edge into the path's last node. Returns what the edge
  /// costs beyond the amounts already paid for the node's parts.
  double growPath() {
    const uint32_t last = path_.back();
    double *edges = edgesInto(last);
    double least = std::numeric_limits<double>::infinity();
    uint32_t from = last;
    for (uint32_t node = 0; node < count_; ++node)
      if (edges[node] < least && circles_[node] != last) {
        least = edges[node];
        from = circles_[node];
      }
    if (from == last) { // no edge comes in
      joinPath();
      return least;
    }
    for (uint32_t node = 0; node < count_; ++node)
      edges[node] -= least;

    if (states_[from] == State::joined) {
      joinPath();
    } else if (states_[from] == State::onPath) {
      contract(from);
    } else {
      states_[from] = State::onPath;
      path_.push_back(from);
    }
    return least;
  }

  void joinPath() {
    for (uint32_t node : path_)
      states_[node] = State::joined;
    path_.clear();
  }

  /// Contracts the circle that begins at `first` on the path into one node,
  /// `first`.
  void contract(uint32_t first) {
    double *edges = edgesInto(first);
    for (; path_.back() != first; path_.pop_back()) {
      const uint32_t part = path_.back();
      const double *others = edgesInto(part);
      for (uint32_t node = 0; node < count_; ++node) {
        edges[node] = std::min(edges[node], others[node]);
        if (circles_[node] == part)
          circles_[node] = first;
      }
    }
  }

  uint32_t count_;
  std::vector<double> costs_;     // reduced by the amounts paid
  std::vector<uint32_t> circles_; // by node: the node of which it is part now
  std::vector<State> states_;     // of nodes that are not part of another
  std::vector<uint32_t> path_;
};

} // namespace

double cheapestArborescence(uint32_t count, std::vector<double> costs,
                            uint32_t root) {
  return Contraction(count, std::move(costs), root).run();
}

} // namespace blink::verify
