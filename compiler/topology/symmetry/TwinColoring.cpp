//===- TwinColoring.cpp - colour refinement of two graphs -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/symmetry/TwinColoring.h"

#include "compiler/support/Numbers.h"

#include <algorithm>
#include <tuple>

using namespace blink;

namespace {

/// A node and its signature: the sum over its arcs from the splitting colour. A
/// collision makes the colouring coarser, which costs search time, not
/// correctness, since each map found is checked link by link.
using Signed = std::pair<int, uint64_t>;

} // namespace

TwinColoring::TwinColoring(const ColoredGraph &graph,
                           const std::vector<int> &colors)
    : TwinColoring(graph, colors, graph, colors) {}

TwinColoring::TwinColoring(const ColoredGraph &left,
                           const std::vector<int> &leftColors,
                           const ColoredGraph &right,
                           const std::vector<int> &rightColors) {
  int numColors = 0;
  for (int color : leftColors)
    numColors = std::max(numColors, color + 1);
  start_.assign(numColors, 0);
  length_.assign(numColors, 0);
  for (int color : leftColors)
    ++length_[color];
  for (int color = 1; color < numColors; ++color)
    start_[color] = start_[color - 1] + length_[color - 1];
  fill(left_, left, leftColors);
  fill(right_, right, rightColors);
  listed_.assign(numColors, true);
  worklist_ = firstNumbers(numColors);
  possible_ = refine();
}

void TwinColoring::fill(Side &side, const ColoredGraph &graph,
                        const std::vector<int> &colors) {
  int n = static_cast<int>(colors.size());
  side.graph = &graph;
  side.color = colors;
  side.order.resize(n);
  side.place.resize(n);
  std::vector<int> next = start_;
  for (int node = 0; node < n; ++node) {
    side.place[node] = next[colors[node]]++;
    side.order[side.place[node]] = node;
  }
}

std::vector<int> TwinColoring::candidates(int node) const {
  int color = left_.color[node];
  auto begin = right_.order.begin() + start_[color];
  return {begin, begin + length_[color]};
}

int TwinColoring::newColor(int start, int length) {
  start_.push_back(start);
  length_.push_back(length);
  listed_.push_back(false);
  return static_cast<int>(start_.size()) - 1;
}

void TwinColoring::list(int color) {
  if (!listed_[color])
    worklist_.push_back(color);
  listed_[color] = true;
}

void TwinColoring::moveTo(Side &side, int node, int place) {
  int other = side.order[place];
  std::swap(side.order[place], side.order[side.place[node]]);
  std::swap(side.place[other], side.place[node]);
}

bool TwinColoring::require(const std::vector<std::pair<int, int>> &images) {
  for (auto [from, to] : images) {
    int color = left_.color[from];
    if (right_.color[to] != color)
      return false;
    if (length_[color] == 1)
      continue;
    // The pair moves to the end of its segment and gets a colour of its own.
    int last = start_[color] + --length_[color];
    moveTo(left_, from, last);
    moveTo(right_, to, last);
    left_.color[from] = right_.color[to] = newColor(last, 1);
    list(left_.color[from]);
  }
  return refine();
}

void TwinColoring::collect(const Side &side, int splitter,
                           std::vector<Signed> &touched) const {
  auto begin = side.order.begin() + start_[splitter];
  touched.clear();
  for (auto member = begin; member != begin + length_[splitter]; ++member)
    for (const ColoredGraph::Arc &arc : side.graph->arcs[*member])
      if (length_[side.color[arc.node]] > 1)
        touched.emplace_back(arc.node, mixBits(arc.color));
  std::sort(touched.begin(), touched.end());
  size_t size = 0;
  for (const Signed &arc : touched) {
    if (size > 0 && touched[size - 1].first == arc.first)
      touched[size - 1].second += arc.second;
    else
      touched[size++] = arc;
  }
  touched.resize(size);
  // By colour, then by signature.
  std::sort(
      touched.begin(), touched.end(), [&](const Signed &a, const Signed &b) {
        int x = side.color[a.first], y = side.color[b.first];
        return x != y
                   ? x < y
                   : std::tie(a.second, a.first) < std::tie(b.second, b.first);
      });
}

bool TwinColoring::splitBy(int splitter) {
  std::vector<Signed> left, right;
  collect(left_, splitter, left);
  collect(right_, splitter, right);
  if (left.size() != right.size())
    return false;
  for (size_t at = 0; at < left.size(); ++at)
    if (left_.color[left[at].first] != right_.color[right[at].first] ||
        left[at].second != right[at].second)
      return false;
  for (size_t begin = 0; begin < left.size();) {
    int color = left_.color[left[begin].first];
    size_t end = begin;
    while (end < left.size() && left_.color[left[end].first] == color)
      ++end;
    // Each group with one signature leaves the colour, except for the last
    // group if no untouched node stays behind.
    while (begin < end) {
      size_t group = begin;
      while (group < end && left[group].second == left[begin].second)
        ++group;
      int size = static_cast<int>(group - begin);
      if (size == length_[color])
        break;
      length_[color] -= size;
      int start = start_[color] + length_[color];
      int fresh = newColor(start, size);
      for (int i = 0; i < size; ++i) {
        moveTo(left_, left[begin + i].first, start + i);
        moveTo(right_, right[begin + i].first, start + i);
      }
      for (int i = 0; i < size; ++i) {
        left_.color[left_.order[start + i]] = fresh;
        right_.color[right_.order[start + i]] = fresh;
      }
      // What refinement by one part tells follows from the whole colour and the
      // other part (Hopcroft 1971). If the whole colour is already dealt with,
      // the smaller part is therefore enough.
      if (listed_[color] || size <= length_[color])
        list(fresh);
      else
        list(color);
      begin = group;
    }
    begin = end;
  }
  return true;
}

bool TwinColoring::refine() {
  while (!worklist_.empty()) {
    int splitter = worklist_.back();
    worklist_.pop_back();
    listed_[splitter] = false;
    if (!splitBy(splitter))
      return false;
  }
  return true;
}
