//===- MinArborescence.cpp - cheapest spanning arborescence -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Grows a path backwards along cheapest incoming edges. When the path closes a
// cycle, the cycle becomes one vertex whose incoming edges cost what choosing
// them *adds*: their cost minus that of the cycle's edge they would replace.
// When the path meets the root's component, all of it joins that component. In
// the end the contractions are undone, outermost first.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/trees/MinArborescence.h"

#include "compiler/packing/trees/SparseArborescence.h"
#include "compiler/support/Infinity.h"

#include <algorithm>
#include <cstddef>
#include <utility>

using namespace blink;

namespace {

class Contraction {
public:
  /// `into` has the costs of the edges into each vertex, one after the other.
  Contraction(CostMatrix into, int n, int root)
      : n_(n), root_(root), costs_(std::move(into)), edges_(costs_.size()),
        alive_(n, true), joined_(n, false), position_(n, -1), entering_(n, 0.0),
        vertexAt_(n), chosen_(n, -1), outer_(n, -1) {
    for (int edge = 0; edge < n * n; ++edge)
      edges_[edge] = edge;
    for (int slot = 0; slot < n; ++slot)
      vertexAt_[slot] = slot;
    joined_[root] = true;
  }

  Parents solve() {
    for (int slot = 0; slot < n_; ++slot)
      if (alive_[slot] && !joined_[slot] && !growPath(slot))
        return {};
    return expand();
  }

private:
  /// Returns the alive slot with the cheapest edge into `slot`. The root is
  /// tried first, so that a tie goes to the lower tree.
  int cheapestSource(int slot) const {
    int best = root_;
    for (int from = 0; from < n_; ++from)
      if (alive_[from] && from != slot &&
          costs_[slot * n_ + from] < costs_[slot * n_ + best])
        best = from;
    return best;
  }

  bool growPath(int start) {
    std::vector<int> path{start};
    position_[start] = 0;
    while (true) {
      int slot = path.back();
      int from = cheapestSource(slot);
      entering_[slot] = costs_[slot * n_ + from];
      if (entering_[slot] == kInfinity)
        return false;
      chosen_[vertexAt_[slot]] = edges_[slot * n_ + from];
      if (joined_[from])
        break;
      if (position_[from] >= 0) {
        std::vector<int> cycle(path.begin() + position_[from], path.end());
        path.resize(position_[from] + 1);
        contract(cycle);
      } else {
        position_[from] = static_cast<int>(path.size());
        path.push_back(from);
      }
    }
    for (int slot : path) {
      joined_[slot] = true;
      position_[slot] = -1;
    }
    return true;
  }

  /// Contracts `cycle` into one vertex, which uses the slot of its first
  /// member.
  void contract(const std::vector<int> &cycle) {
    int home = cycle.front();
    int vertex = static_cast<int>(outer_.size());
    outer_.push_back(-1);
    chosen_.push_back(-1);
    for (int slot : cycle) {
      outer_[vertexAt_[slot]] = vertex;
      alive_[slot] = slot == home;
    }
    std::vector<bool> inside(n_, false);
    for (int slot : cycle)
      inside[slot] = true;
    for (int other = 0; other < n_; ++other) {
      if (!alive_[other] || inside[other])
        continue;
      double in = kInfinity, out = kInfinity;
      int inEdge = -1, outEdge = -1;
      for (int slot : cycle) {
        double added = costs_[slot * n_ + other] - entering_[slot];
        if (added < in) {
          in = added;
          inEdge = edges_[slot * n_ + other];
        }
        if (costs_[other * n_ + slot] < out) {
          out = costs_[other * n_ + slot];
          outEdge = edges_[other * n_ + slot];
        }
      }
      costs_[home * n_ + other] = in;
      edges_[home * n_ + other] = inEdge;
      costs_[other * n_ + home] = out;
      edges_[other * n_ + home] = outEdge;
    }
    vertexAt_[home] = vertex;
    for (int slot : cycle)
      if (slot != home)
        position_[slot] = -1;
  }

  /// The edge that enters a contracted vertex enters one of its members and
  /// replaces the cycle's edge there; the other members keep their edges.
  Parents expand() const {
    Parents parents(n_, -1);
    std::vector<bool> entered(outer_.size(), false);
    for (int vertex = static_cast<int>(outer_.size()) - 1; vertex >= 0;
         --vertex) {
      if (entered[vertex] || vertex == root_)
        continue;
      int to = chosen_[vertex] / n_, from = chosen_[vertex] % n_;
      parents[to] = from;
      for (int inner = to; inner != vertex; inner = outer_[inner])
        entered[inner] = true;
    }
    return parents;
  }

  int n_, root_;
  CostMatrix costs_;       // into each slot, so that a search reads one row
  std::vector<int> edges_; // into each slot: the original edge to * n + from
  std::vector<bool> alive_, joined_;
  std::vector<int> position_;    // on the path, or -1
  std::vector<double> entering_; // cost of the chosen edge into a slot
  std::vector<int> vertexAt_;    // slot -> vertex; contracted ones are >= n
  std::vector<int> chosen_;      // per vertex: the original edge into it
  std::vector<int> outer_; // per vertex: the vertex it was contracted into
};

} // namespace

Parents blink::minArborescence(const CostMatrix &costs, int n, int root) {
  return Contraction(transposed(costs, n), n, root).solve();
}

Parents blink::minArborescence(const CostGraph &into, int root) {
  // Up to this size a matrix is small, and the dense method chooses among equal
  // trees as earlier versions of Blink did.
  constexpr int kDense = 1024;
  const int n = into.numVertices();
  return n <= kDense ? Contraction(into.asMatrix(), n, root).solve()
                     : sparseArborescence(into, root);
}

CostMatrix blink::transposed(const CostMatrix &costs, int n) {
  // Works in tiles, because reading a column of a large matrix costs a cache
  // line for each number.
  constexpr int kTile = 8; // doubles in a cache line
  CostMatrix result(costs.size());
  for (int row = 0; row < n; row += kTile)
    for (int column = 0; column < n; column += kTile)
      for (int from = row; from < std::min(n, row + kTile); ++from)
        for (int to = column; to < std::min(n, column + kTile); ++to)
          result[size_t(to) * n + from] = costs[size_t(from) * n + to];
  return result;
}
