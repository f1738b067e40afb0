//===- TwinColoring.h - colour refinement of two graphs ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_SYMMETRY_TWINCOLORING_H
#define BLINK_COMPILER_TOPOLOGY_SYMMETRY_TWINCOLORING_H

#include <array>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

namespace blink {

/// A directed graph with colours on its arcs.
struct ColoredGraph {
  struct Arc {
    int node;
    uint64_t color; ///< The colour includes the direction.
    bool operator==(const Arc &other) const {
      return node == other.node && color == other.color;
    }
    bool operator<(const Arc &other) const {
      return std::tie(node, color) < std::tie(other.node, other.color);
    }
  };
  std::vector<std::vector<Arc>> arcs; ///< Per node, arcs of both directions.
};

/// Spreads a number over 64 bits (the finaliser of SplitMix64). Sums of mixed
/// numbers are equal for equal multisets and almost always differ for different
/// ones.
inline uint64_t mixBits(uint64_t value) {
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

/// Two colourings, of one graph or of two graphs, that are refined together. An
/// isomorphism (an automorphism if the graphs are the same) sends nodes of the
/// left colouring to nodes of the same colour in the right one. Once every
/// colour has one node, at most one isomorphism is left.
///
/// Colour refinement (1-dimensional Weisfeiler-Leman) with a worklist of
/// colours, O(arcs * log nodes) for a whole descent.
class TwinColoring {
public:
  /// Starts both sides with `colors`, numbered from 0 without gaps, and refines
  /// them.
  TwinColoring(const ColoredGraph &graph, const std::vector<int> &colors);

  /// For isomorphisms from one graph to another. Each colour, numbered from 0
  /// without gaps, must have as many nodes on the left as on the right. The
  /// caller must check isPossible() next. The graphs must outlive the
  /// colouring.
  TwinColoring(const ColoredGraph &left, const std::vector<int> &leftColors,
               const ColoredGraph &right, const std::vector<int> &rightColors);

  /// Returns false if no isomorphism keeps the colours; the colouring is
  /// useless then.
  bool isPossible() const { return possible_; }

  /// Requires each pair (left node, right node) to correspond, then refines.
  /// Returns false if no isomorphism does that; the colouring is useless then.
  bool require(const std::vector<std::pair<int, int>> &images);

  /// Returns the right nodes that the left node `node` may go to, in no special
  /// order.
  std::vector<int> candidates(int node) const;
  bool isFixed(int node) const { return length_[left_.color[node]] == 1; }
  /// Returns the image of a node that is fixed.
  int image(int node) const { return right_.order[start_[left_.color[node]]]; }

private:
  struct Side {
    const ColoredGraph *graph;
    std::vector<int> color; ///< Per node.
    std::vector<int> order; ///< Nodes, those of one colour together.
    std::vector<int> place; ///< Per node: its index in order.
  };
  void fill(Side &side, const ColoredGraph &graph,
            const std::vector<int> &colors);
  bool refine();
  bool splitBy(int splitter);
  void collect(const Side &side, int splitter,
               std::vector<std::pair<int, uint64_t>> &touched) const;
  int newColor(int start, int length);
  void list(int color);
  void moveTo(Side &side, int node, int place);

  Side left_, right_;
  std::vector<int> start_, length_; // per colour, the same on both sides
  std::vector<int> worklist_;
  std::vector<char> listed_; // per colour
  bool possible_;
};

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_SYMMETRY_TWINCOLORING_H
