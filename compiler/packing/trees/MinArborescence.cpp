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
#include <iterator>
#include <numeric>

using namespace blink;

namespace {

class Contraction {
public:
  /// `into` lists edges by the vertex that they enter.
  Contraction(const CostGraph &into, int root)
      : n_(into.numVertices()), root_(root), stride_(n_ + kPadding),
        costs_(size_t(n_) * stride_, kInfinity), edges_(costs_.size()),
        alive_(n_, true), joined_(n_, false), position_(n_, -1),
        entering_(n_, 0.0), vertexAt_(n_), chosen_(n_, -1), outer_(n_, -1) {
    for (int slot = 0; slot < n_; ++slot)
      for (const CostGraph::Edge &edge : into.from(slot))
        costs_[size_t(slot) * stride_ + edge.end] = edge.cost;
    std::iota(edges_.begin(), edges_.end(), 0);
    std::iota(vertexAt_.begin(), vertexAt_.end(), 0);
    joined_[root] = true;
  }

  Parents solve() {
    for (int slot = 0; slot < n_; ++slot)
      if (alive_[slot] && !joined_[slot] && !growPath(slot))
        return {};
    return expand();
  }

private:
  /// Returns the alive slot with the cheapest edge into `slot`: the root if it
  /// has one, so that a tie goes to the lower tree, or else the first. Edges
  /// from other slots, and from `slot` itself, have infinite costs.
  int cheapestSource(int slot) const {
    const double *row = costs_.data() + size_t(slot) * stride_;
    // Several minima at a time, because each comparison waits for the last one.
    constexpr int kStride = 8;
    double least[kStride];
    std::fill(std::begin(least), std::end(least), row[root_]);
    int from = 0;
    for (; from + kStride <= n_; from += kStride)
      for (int i = 0; i < kStride; ++i)
        least[i] = std::min(least[i], row[from + i]);
    for (; from < n_; ++from)
      least[0] = std::min(least[0], row[from]);
    const double cost = *std::min_element(std::begin(least), std::end(least));
    return row[root_] == cost ? root_
                              : int(std::find(row, row + n_, cost) - row);
  }

  bool growPath(int start) {
    std::vector<int> path{start};
    position_[start] = 0;
    while (true) {
      int slot = path.back();
      int from = cheapestSource(slot);
      entering_[slot] = costs_[slot * stride_ + from];
      if (entering_[slot] == kInfinity)
        return false;
      chosen_[vertexAt_[slot]] = edges_[slot * stride_ + from];
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
    for (int slot : cycle) {
      inside[slot] = true;
      costs_[home * stride_ + slot] = kInfinity;
    }
    for (int other = 0; other < n_; ++other) {
      if (!alive_[other] || inside[other])
        continue;
      double in = kInfinity, out = kInfinity;
      int inEdge = -1, outEdge = -1;
      for (int slot : cycle) {
        double added = costs_[slot * stride_ + other] - entering_[slot];
        if (added < in) {
          in = added;
          inEdge = edges_[slot * stride_ + other];
        }
        if (costs_[other * stride_ + slot] < out) {
          out = costs_[other * stride_ + slot];
          outEdge = edges_[other * stride_ + slot];
        }
        costs_[other * stride_ + slot] = kInfinity;
      }
      costs_[home * stride_ + other] = in;
      edges_[home * stride_ + other] = inEdge;
      costs_[other * stride_ + home] = out;
      edges_[other * stride_ + home] = outEdge;
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
      int to = chosen_[vertex] / stride_, from = chosen_[vertex] % stride_;
      parents[to] = from;
      for (int inner = to; inner != vertex; inner = outer_[inner])
        entered[inner] = true;
    }
    return parents;
  }

  /// Keeps the numbers of a column out of the same few places of a cache.
  static constexpr int kPadding = 8;

  int n_, root_;
  int stride_;       // between rows
  CostMatrix costs_; // into each slot, so that a search reads one row
  std::vector<int>
      edges_; // into each slot: the original edge to * stride_ + from
  std::vector<bool> alive_, joined_;
  std::vector<int> position_;    // on the path, or -1
  std::vector<double> entering_; // cost of the chosen edge into a slot
  std::vector<int> vertexAt_;    // slot -> vertex; contracted ones are >= n
  std::vector<int> chosen_;      // per vertex: the original edge into it
  std::vector<int> outer_; // per vertex: the vertex it was contracted into
};

} // namespace

Parents blink::minArborescence(const CostMatrix &costs, int n, int root) {
  return Contraction(CostGraph(costs, n).reversed(), root).solve();
}

Parents blink::minArborescence(const CostGraph &into, int root) {
  // Up to the first size the dense method chooses among equal trees as earlier
  // versions of Blink did, and up to the second a matrix is small.
  constexpr int kAlwaysDense = 128, kDense = 1024;
  // A heap costs about as much for an edge as a matrix for so many places.
  constexpr size_t kPlaces = 8;
  const int n = into.numVertices();
  const bool isSparse = into.numEdges() * kPlaces < size_t(n) * size_t(n);
  return n <= kAlwaysDense || (n <= kDense && !isSparse)
             ? Contraction(into, root).solve()
             : sparseArborescence(into, root);
}
