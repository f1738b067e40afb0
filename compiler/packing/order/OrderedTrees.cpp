//===- OrderedTrees.cpp - cheapest places for an ordered sum --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/order/OrderedTrees.h"

#include "compiler/support/Error.h"
#include "compiler/support/Infinity.h"

using namespace blink;

OrderedTrees::OrderedTrees(const Association &association,
                           const PathTable &direct)
    : association_(association), direct_(direct), numRanks_(direct.numRanks) {
  closeOverRanks();
  const std::vector<Association::Node> &nodes = association.nodes();
  costs_.assign(nodes.size(), std::vector<double>(numRanks_, kInfinity));
  from_.assign(nodes.size(), std::vector<int>(numRanks_, -1));
  for (size_t node = 0; node < nodes.size(); ++node) {
    std::vector<double> &costs = costs_[node];
    if (nodes[node].isTerm()) {
      costs[nodes[node].rank] = 0;
      continue;
    }
    costs.assign(numRanks_, 0);
    for (int operand : {nodes[node].left, nodes[node].right})
      for (int place = 0; place < numRanks_; ++place) {
        double least = kInfinity;
        for (int from = 0; from < numRanks_; ++from) {
          if (from == place && association.isRightSum(operand))
            continue;
          const double cost =
              costs_[operand][from] + distances_[from * numRanks_ + place];
          if (cost < least) {
            least = cost;
            from_[operand][place] = from;
          }
        }
        costs[place] += least;
      }
  }
}

/// Runs the Floyd-Warshall algorithm; on a tie, a path over fewer ranks wins.
void OrderedTrees::closeOverRanks() {
  distances_ = direct_.costs;
  std::vector<int> hops(distances_.size(), 1);
  next_.resize(distances_.size());
  for (int from = 0; from < numRanks_; ++from)
    for (int to = 0; to < numRanks_; ++to)
      next_[from * numRanks_ + to] = to;
  for (int rank = 0; rank < numRanks_; ++rank) {
    distances_[rank * numRanks_ + rank] = 0;
    hops[rank * numRanks_ + rank] = 0;
  }
  for (int via = 0; via < numRanks_; ++via)
    for (int from = 0; from < numRanks_; ++from)
      for (int to = 0; to < numRanks_; ++to) {
        const int whole = from * numRanks_ + to, first = from * numRanks_ + via,
                  second = via * numRanks_ + to;
        const double cost = distances_[first] + distances_[second];
        const int count = hops[first] + hops[second];
        if (via == from || via == to || cost > distances_[whole] ||
            (cost == distances_[whole] && count >= hops[whole]))
          continue;
        distances_[whole] = cost;
        hops[whole] = count;
        next_[whole] = next_[first];
      }
}

Places OrderedTrees::places(int root) const {
  if (cost(root) == kInfinity)
    return {};
  Places places(association_.nodes().size());
  places.back() = root;
  for (int node = association_.root() - 1; node >= 0; --node)
    places[node] = from_[node][places[association_.nodes()[node].user]];
  return places;
}

Path OrderedTrees::path(int from, int to) const {
  Path path;
  while (from != to && distance(from, to) < kInfinity) {
    const int next = next_[from * numRanks_ + to];
    const Path &hop = direct_.path(from, next);
    path.insert(path.end(), hop.begin(), hop.end());
    from = next;
  }
  return path;
}

std::vector<TreeEdge> OrderedTrees::edges(const Places &places) const {
  std::vector<TreeEdge> edges;
  for (int node = 0; node < association_.root(); ++node) {
    const int from = places[node];
    const int to = places[association_.nodes()[node].user];
    edges.push_back({from, to, path(from, to)});
  }
  return edges;
}

std::vector<TreeEdge> blink::orderedStar(const Association &association,
                                         const Tree &tree) {
  std::vector<TreeEdge> edges;
  for (int node = 0; node < association.root(); ++node) {
    const int rank = association.nodes()[node].rank;
    TreeEdge &edge = edges.emplace_back(TreeEdge{tree.root, tree.root, {}});
    for (const TreeEdge &own : tree.up)
      if (own.from == rank)
        edge = own;
  }
  return edges;
}

llvm::Error blink::checkOrdered(const Association &association,
                                const Tree &tree) {
  const std::vector<Association::Node> &nodes = association.nodes();
  if (tree.up.size() + 1 != nodes.size())
    return makeError("{0} up edges; a sum in this order needs {1}",
                     tree.up.size(), nodes.size() - 1);
  auto end = [&](int node) { return tree.up[node].to; };
  for (int node = 0; node <= association.root(); ++node) {
    const Association::Node &of = nodes[node];
    if (!of.isTerm() && end(of.left) != end(of.right))
      return makeError("up edges {0} and {1} end at ranks {2} and {3}, which "
                       "cannot add what they bring",
                       of.left, of.right, end(of.left), end(of.right));
    const int place = of.isTerm() ? of.rank : end(of.left);
    if (node == association.root()) {
      if (place != tree.root)
        return makeError("the sum is made at rank {0}, the root is {1}", place,
                         tree.root);
      break;
    }
    const TreeEdge &edge = tree.up[node];
    if (edge.from != place)
      return makeError("up edge {0} begins at rank {1}, but what it brings is "
                       "at rank {2}",
                       node, edge.from, place);
    if ((edge.from == edge.to) != edge.path.empty())
      return makeError("up edge {0} from rank {1} to {2} has {3} links", node,
                       edge.from, edge.to, edge.path.size());
    if (edge.from == edge.to && association.isRightSum(node))
      return makeError("the sum of up edge {0} is added at rank {1}, where it "
                       "is made, and not first: no fold does that",
                       node, edge.from);
  }
  return llvm::Error::success();
}
