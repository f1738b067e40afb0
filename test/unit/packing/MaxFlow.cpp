//===- MaxFlow.cpp - maximum flows and minimum cuts -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// E. A. Dinic, "Algorithm for solution of a problem of maximum flow in networks
// with power estimation", 1970. Each augmentation empties an edge exactly (its
// residual is the amount subtracted), so rounding cannot keep it going.
//
//===----------------------------------------------------------------------===//

#include "test/unit/packing/MaxFlow.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

using namespace blink;

void FlowNetwork::addEdge(int from, int to, double capacity) {
  for (auto [tail, head, room] :
       {std::tuple(from, to, capacity), std::tuple(to, from, 0.0)}) {
    edges_.push_back({head, first_[tail], room, room});
    first_[tail] = static_cast<int>(edges_.size()) - 1;
  }
}

bool FlowNetwork::findLevels(int source, int sink) {
  level_.assign(first_.size(), -1);
  level_[source] = 0;
  std::vector<int> queue = {source};
  for (size_t head = 0; head < queue.size(); ++head)
    for (int e = first_[queue[head]]; e != -1; e = edges_[e].next)
      if (edges_[e].residual > 0 && level_[edges_[e].to] == -1) {
        level_[edges_[e].to] = level_[queue[head]] + 1;
        queue.push_back(edges_[e].to);
      }
  return level_[sink] != -1;
}

/// Pushes flow along one path of ascending levels; returns 0 if there is none.
double FlowNetwork::augment(int source, int sink) {
  std::vector<int> path; // of edges
  int node = source;
  while (node != sink) {
    int &e = current_[node];
    while (e != -1 && !(edges_[e].residual > 0 &&
                        level_[edges_[e].to] == level_[node] + 1))
      e = edges_[e].next;
    if (e != -1) {
      path.push_back(e);
      node = edges_[e].to;
      continue;
    }
    if (path.empty())
      return 0;
    // A dead end: go back one edge and never try it again in this phase.
    node = edges_[path.back() ^ 1].to;
    path.pop_back();
    current_[node] = edges_[current_[node]].next;
  }

  double amount = std::numeric_limits<double>::infinity();
  for (int e : path)
    amount = std::min(amount, edges_[e].residual);
  for (int e : path) {
    edges_[e].residual -= amount;
    edges_[e ^ 1].residual += amount;
  }
  return amount;
}

double FlowNetwork::maxFlow(int source, int sink) {
  for (Edge &edge : edges_)
    edge.residual = edge.capacity;
  double total = 0;
  while (findLevels(source, sink)) {
    current_ = first_;
    while (double amount = augment(source, sink)) {
      total += amount;
      if (std::isinf(total))
        return total;
    }
  }
  return total;
}

std::vector<bool> FlowNetwork::minCutSide(int source) const {
  std::vector<bool> side(first_.size(), false);
  side[source] = true;
  std::vector<int> stack = {source};
  while (!stack.empty()) {
    int node = stack.back();
    stack.pop_back();
    for (int e = first_[node]; e != -1; e = edges_[e].next)
      if (edges_[e].residual > 0 && !side[edges_[e].to]) {
        side[edges_[e].to] = true;
        stack.push_back(edges_[e].to);
      }
  }
  return side;
}
