//===- SparseArborescence.cpp - cheapest arborescence of few edges --------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Grows the same path as MinArborescence.cpp. The edges into a vertex are kept
// in a heap. The heap of a contracted cycle melds the heaps of its members,
// after each member's edges became cheaper by the cost of the edge that enters
// the member in the cycle.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/trees/SparseArborescence.h"

#include <numeric>
#include <tuple>

using namespace blink;

namespace {

class SparseContraction {
public:
  SparseContraction(const CostGraph &into, int root)
      : root_(root), n_(into.numVertices()), top_(n_, -1), home_(n_),
        outer_(n_, -1), chosen_(n_, -1), joined_(n_, false), position_(n_, -1) {
    std::iota(home_.begin(), home_.end(), 0);
    joined_[root] = true;
    edges_.reserve(into.numEdges());
    for (int to = 0; to < n_; ++to)
      for (const CostGraph::Edge &edge : into.from(to)) {
        edges_.push_back({edge.end, to, edge.cost});
        top_[to] = meld(top_[to], int(edges_.size()) - 1);
      }
  }

  Parents solve() {
    for (int vertex = 0; vertex < n_; ++vertex)
      if (!joined_[find(vertex)] && !growPath(find(vertex)))
        return {};
    return expand();
  }

private:
  /// An edge as a node of a leftist heap.
  struct HeapEdge {
    int from, to;
    double cost;     ///< before the `less` of all nodes above it
    double less = 0; ///< still to subtract from all nodes below it
    int left = -1, right = -1;
    int height = 1; ///< length of the rightmost path
  };

  bool isBefore(int a, int b) const {
    // The root comes first, so that a tie goes to the lower tree.
    const auto key = [&](const HeapEdge &edge) {
      return std::make_tuple(edge.cost, edge.from != root_, edge.from, edge.to);
    };
    return key(edges_[a]) < key(edges_[b]);
  }

  void pushDown(int at) {
    HeapEdge &edge = edges_[at];
    if (edge.less == 0)
      return;
    for (int below : {edge.left, edge.right})
      if (below >= 0) {
        edges_[below].cost -= edge.less;
        edges_[below].less += edge.less;
      }
    edge.less = 0;
  }

  int meld(int a, int b) {
    if (a < 0 || b < 0)
      return a < 0 ? b : a;
    if (isBefore(b, a))
      std::swap(a, b);
    pushDown(a);
    HeapEdge &edge = edges_[a];
    edge.right = meld(edge.right, b);
    const auto heightOf = [&](int at) {
      return at < 0 ? 0 : edges_[at].height;
    };
    if (heightOf(edge.left) < heightOf(edge.right))
      std::swap(edge.left, edge.right);
    edge.height = heightOf(edge.right) + 1;
    return a;
  }

  void pop(int vertex) {
    const int at = top_[vertex];
    pushDown(at);
    top_[vertex] = meld(edges_[at].left, edges_[at].right);
  }

  /// Returns the contracted vertex that contains `vertex` now.
  int find(int vertex) {
    while (home_[vertex] != vertex)
      vertex = home_[vertex] = home_[home_[vertex]];
    return vertex;
  }

  bool growPath(int start) {
    std::vector<int> path{start};
    std::vector<double> entering; // per vertex of the path
    position_[start] = 0;
    while (true) {
      const int vertex = path.back();
      while (top_[vertex] >= 0 && find(edges_[top_[vertex]].from) == vertex)
        pop(vertex);
      if (top_[vertex] < 0)
        return false;
      const int edge = top_[vertex];
      chosen_[vertex] = edge;
      entering.resize(path.size());
      entering.back() = edges_[edge].cost;
      const int from = find(edges_[edge].from);
      if (joined_[from])
        break;
      if (position_[from] < 0) {
        position_[from] = int(path.size());
        path.push_back(from);
        continue;
      }
      const auto first = size_t(position_[from]);
      const int cycle = contract({path.begin() + long(first), path.end()},
                                 entering.data() + first);
      path.resize(first);
      position_[cycle] = int(first);
      path.push_back(cycle);
    }
    for (int vertex : path) {
      joined_[vertex] = true;
      position_[vertex] = -1;
    }
    return true;
  }

  /// Contracts the members of a cycle into a new vertex.
  int contract(const std::vector<int> &members, const double *entering) {
    const auto cycle = int(outer_.size());
    int top = -1;
    for (size_t i = 0; i < members.size(); ++i) {
      const int own = top_[members[i]];
      edges_[own].cost -= entering[i];
      edges_[own].less += entering[i];
      top = meld(top, own);
      home_[members[i]] = outer_[members[i]] = cycle;
      position_[members[i]] = -1;
    }
    top_.push_back(top);
    home_.push_back(cycle);
    outer_.push_back(-1);
    chosen_.push_back(-1);
    joined_.push_back(false);
    position_.push_back(-1);
    return cycle;
  }

  /// Like Contraction::expand in MinArborescence.cpp.
  Parents expand() const {
    Parents parents(n_, -1);
    std::vector<bool> entered(outer_.size(), false);
    for (int vertex = int(outer_.size()) - 1; vertex >= 0; --vertex) {
      if (entered[vertex] || vertex == root_)
        continue;
      const HeapEdge &edge = edges_[chosen_[vertex]];
      parents[edge.to] = edge.from;
      for (int inner = edge.to; inner != vertex; inner = outer_[inner])
        entered[inner] = true;
    }
    return parents;
  }

  const int root_, n_;
  std::vector<HeapEdge> edges_;
  // By vertex; contracted ones are numbered from n:
  std::vector<int> top_;    // top of the heap of edges into it
  std::vector<int> home_;   // its container, or one on the way
  std::vector<int> outer_;  // the vertex it was contracted into
  std::vector<int> chosen_; // the edge into it
  std::vector<bool> joined_;
  std::vector<int> position_; // on the path, or -1
};

} // namespace

Parents blink::sparseArborescence(const CostGraph &into, int root) {
  return SparseContraction(into, root).solve();
}
