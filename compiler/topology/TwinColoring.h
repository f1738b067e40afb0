//===- TwinColoring.h - which node may go where -----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_TWINCOLORING_H
#define BLINK_COMPILER_TOPOLOGY_TWINCOLORING_H

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace blink {

/// A directed graph with colours on its arcs.
struct ColoredGraph {
  struct Arc {
    int node;
    uint64_t color; ///< direction included
  };
  std::vector<std::vector<Arc>> arcs; ///< per node: both directions
};

/// Two colourings of one graph, refined in step: an automorphism sends nodes of
/// the left colouring to nodes of the same colour in the right one. Where every
/// colour has one node there is at most one automorphism left.
///
/// Colour refinement (1-dimensional Weisfeiler and Leman) with a worklist of
/// colours, O(arcs * log nodes) for a whole descent.
class TwinColoring {
public:
  /// Both sides begin with `colors`, numbered from 0 without gaps, refined.
  TwinColoring(const ColoredGraph &graph, const std::vector<int> &colors);

  /// Demands left node -> right node, for each pair; then refines. False: no
  /// automorphism does that. The colouring is useless then.
  bool require(const std::vector<std::pair<int, int>> &images);

  /// The right nodes that left node `node` may go to, in no special order.
  std::vector<int> candidates(int node) const;
  bool isFixed(int node) const { return length_[left_.color[node]] == 1; }
  /// Where a fixed node goes.
  int image(int node) const { return right_.order[start_[left_.color[node]]]; }

private:
  struct Side {
    std::vector<int> color; ///< per node
    std::vector<int> order; ///< nodes, those of a colour together
    std::vector<int> place; ///< per node: index in order
  };
  bool refine();
  bool splitBy(int splitter);
  void collect(const Side &side, int splitter,
               std::vector<std::pair<int, uint64_t>> &touched) const;
  int newColor(int start, int length);
  void list(int color);
  void moveTo(Side &side, int node, int place);

  const ColoredGraph *graph_;
  Side left_, right_;
  std::vector<int> start_, length_; // per colour, the same on both sides
  std::vector<int> worklist_;
  std::vector<char> listed_; // per colour
};

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_TWINCOLORING_H
