//===- LatencyTree.cpp - trees for small messages -------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/LatencyTree.h"

#include "compiler/packing/Shares.h"
#include "compiler/packing/lp/SymmetricProblem.h"
#include "compiler/packing/order/OrderedTrees.h"
#include "compiler/packing/trees/Gates.h"
#include "compiler/packing/trees/LowTree.h"
#include "compiler/packing/trees/PairGraph.h"
#include "compiler/packing/trees/ShortestPathTree.h"
#include "compiler/plan/NetworkCosts.h"
#include "compiler/support/Error.h"
#include "compiler/support/Infinity.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <queue>
#include <tuple>

using namespace blink;

namespace {

/// Largest quotient of times that counts as a gain, so that rounding does not.
constexpr double kEarlier = 1 - 1e-9;
/// Most vertices of trees that are improved: a sweep takes cubic time.
constexpr int kMostImproved = 32;

/// Returns the tree that grows by the vertex that can be reached first, until
/// all are in it. `nearest` lists the edges of each vertex, cheapest first.
Parents growEarliest(const std::vector<std::vector<CostGraph::Edge>> &nearest,
                     int root, const CostGraph &gaps) {
  size_t n = nearest.size();
  Parents parents(n, -1);
  std::vector<double> ready(n, 0); // time to serve the next child
  std::vector<size_t> tried(n, 0); // edges of `nearest` that are done
  std::vector<bool> isInside(n, false);
  // The time at which the next child of a vertex is reached, the child, and the
  // vertex. Each vertex inside has one offer. Its child may have come inside
  // since the offer was made.
  using Offer = std::tuple<double, int, int>;
  std::priority_queue<Offer, std::vector<Offer>, std::greater<>> offers;
  auto offer = [&](int from) {
    const std::vector<CostGraph::Edge> &others = nearest[from];
    size_t &at = tried[from];
    while (at < others.size() && isInside[others[at].end])
      ++at;
    if (at < others.size())
      offers.emplace(ready[from] + others[at].cost, others[at].end, from);
  };
  isInside[root] = true;
  offer(root);
  for (size_t inside = 1; inside < n && !offers.empty();) {
    const auto [first, next, server] = offers.top();
    offers.pop();
    if (!isInside[next]) {
      parents[next] = server;
      ready[next] = first;
      ready[server] += gaps.cost(server, next);
      isInside[next] = true;
      ++inside;
      offer(next);
    }
    offer(server);
  }
  const bool spans =
      std::find(isInside.begin(), isInside.end(), false) == isInside.end();
  return spans ? parents : Parents();
}

bool isBelow(const Parents &parents, int vertex, int top) {
  while (vertex >= 0 && vertex != top)
    vertex = parents[vertex];
  return vertex == top;
}

/// Returns the vertex that `tree` reaches last.
int lastOf(const CostGraph &costs, const TimedTree &tree,
           const CostGraph &gaps) {
  int n = static_cast<int>(tree.parents.size()), last = -1;
  std::vector<double> reached(n, 0);
  std::vector<double> served(n, 0); // gaps of the children served so far
  for (int vertex : tree.order) {
    int parent = tree.parents[vertex];
    reached[vertex] =
        reached[parent] + served[parent] + costs.cost(parent, vertex);
    served[parent] += gaps.cost(parent, vertex);
    if (last < 0 || reached[vertex] > reached[last])
      last = vertex;
  }
  return last;
}

/// Attaches one vertex of the slowest route under another parent, by the change
/// that makes the whole tree fastest. Returns false if no change makes it
/// faster.
bool improve(const CostGraph &costs, int root, const CostGraph &gaps,
             TimedTree &tree) {
  const int n = costs.numVertices();
  TimedTree best = tree;
  for (int vertex = lastOf(costs, tree, gaps); vertex != root;
       vertex = tree.parents[vertex])
    for (int from = 0; from < n; ++from) {
      if (from == tree.parents[vertex] ||
          costs.cost(from, vertex) == kInfinity ||
          isBelow(tree.parents, from, vertex))
        continue;
      Parents changed = tree.parents;
      changed[vertex] = from;
      TimedTree candidate = timeTree(costs, changed, root, gaps);
      if (candidate.time < best.time * kEarlier)
        best = std::move(candidate);
    }
  bool better = best.time < tree.time * kEarlier;
  tree = std::move(best);
  return better;
}

} // namespace

TimedTree blink::timeTree(const CostGraph &costs, const Parents &parents,
                          int root, const CostGraph &gaps) {
  int n = static_cast<int>(parents.size());
  std::vector<std::vector<int>> children(n);
  for (int vertex = 0; vertex < n; ++vertex)
    if (vertex != root)
      children[parents[vertex]].push_back(vertex);
  // Microseconds to finish a vertex's subtree from the moment at which its
  // parent begins to serve the vertex, and from the one at which the vertex is
  // reached.
  std::vector<double> served(n, 0), reached(n, 0);
  std::vector<int> up = breadthFirst(parents, root);
  std::reverse(up.begin(), up.end());
  for (int vertex : up) {
    std::vector<int> &list = children[vertex];
    std::stable_sort(list.begin(), list.end(),
                     [&](int a, int b) { return served[a] > served[b]; });
    double before = 0; // gaps of earlier children
    for (int child : list) {
      reached[vertex] = std::max(reached[vertex], before + served[child]);
      before += gaps.cost(vertex, child);
    }
    if (vertex != root)
      served[vertex] = costs.cost(parents[vertex], vertex) + reached[vertex];
  }
  TimedTree tree;
  tree.parents = parents;
  tree.time = reached[root];
  tree.order = children[root];
  for (size_t next = 0; next < tree.order.size(); ++next) {
    const std::vector<int> &list = children[tree.order[next]];
    tree.order.insert(tree.order.end(), list.begin(), list.end());
  }
  return tree;
}

LatencyTrees::LatencyTrees(CostGraph costs, CostGraph gaps)
    : costs_(std::move(costs)), gaps_(std::move(gaps)) {
  for (int from = 0; from < costs_.numVertices(); ++from) {
    nearest_.push_back(costs_.from(from).vec());
    std::stable_sort(nearest_.back().begin(), nearest_.back().end(),
                     [](const CostGraph::Edge &a, const CostGraph::Edge &b) {
                       return a.cost < b.cost;
                     });
  }
}

TimedTree LatencyTrees::find(int root) const {
  Parents parents = growEarliest(nearest_, root, gaps_);
  if (parents.empty())
    return {};
  TimedTree tree = timeTree(costs_, parents, root, gaps_);
  if (costs_.numVertices() <= kMostImproved)
    while (improve(costs_, root, gaps_, tree))
      ;
  return tree;
}

TimedTree LatencyTrees::findChains(int root) const {
  Parents parents = shortestPathTree(costs_, root);
  return parents.empty() ? TimedTree() : timeTree(costs_, parents, root, gaps_);
}

static llvm::Error noTree() {
  return makeError("--phases: no choice of one rank for each server joins all "
                   "ranks; leave --phases out");
}

/// Returns the microseconds that the narrowest link of the path takes for
/// `bytes`.
static double transferTime(const Topology &topology, const Path &path,
                           uint64_t bytes) {
  double least = kInfinity;
  for (int link : path)
    least = std::min(least, topology.links[link].bandwidth);
  return double(bytes) / least / kBytesPerMicrosecond;
}

llvm::Expected<Packing> blink::packLatencyTrees(const PackingProblem &problem,
                                                Protocol protocol,
                                                uint64_t bytes) {
  if (llvm::Error error = problem.check())
    return error;
  const RankTopology &rankTopology = *problem.rankTopology;
  int n = rankTopology.numRanks();
  // If there are many ranks, roots that are alike get trees that are alike, as
  // for large messages (TreeSelection.cpp).
  const SymmetricProblem modulo = n > kFewRanks
                                      ? SymmetricProblem::reduce(problem)
                                      : SymmetricProblem::plain(problem);
  const SymmetricPaths paths(
      modulo.symmetry(),
      rankTopology.cheapestPaths(hopPrices(rankTopology, costsOf(protocol)),
                                 modulo.symmetry().representatives()));
  std::vector<double> hopCosts = paths.table().costs;
  std::vector<double> gapCosts(hopCosts.size(), costsOf(protocol).gap);
  for (size_t pair = 0; pair < gapCosts.size(); ++pair) {
    const Path &path = paths.table().paths[pair];
    const double time = transferTime(rankTopology.topology(), path, bytes);
    gapCosts[pair] += engineCost(rankTopology, path) + time;
    hopCosts[pair] += time;
  }
  const PairGraph pairs(paths);
  const CostGraph gaps = pairs.withCosts(gapCosts);
  const CostGraph hops = pairs.withCosts(hopCosts);
  std::optional<LatencyTrees> ups, downs;
  auto setCosts = [&](const CostGraph &costs) {
    if (hasUpTrees(problem.collective))
      ups.emplace(costs.reversed(), gaps.reversed());
    if (hasDownTrees(problem.collective))
      downs.emplace(costs, gaps);
  };
  std::vector<bool> outward;
  if (rankTopology.isPhased())
    outward = outwardRanks(rankTopology.serverOf(), hops);
  else
    setCosts(hops);

  std::optional<OrderedTrees> ordered;
  if (problem.association)
    ordered.emplace(*problem.association, paths.table());

  // In phases, the tree leads through the first gates that join all ranks. The
  // root itself is one of them if possible.
  auto chooseGates = [&](int root) {
    for (bool rootIsGate : {true, false}) {
      if (!rootIsGate && problem.collective == Collective::allreduce)
        break; // sums are complete at a gate
      for (const Gates &gates :
           gatesFor(rankTopology.serverOf(), root, rootIsGate, outward)) {
        setCosts(throughGates(hops, rankTopology.serverOf(), gates));
        if ((!ups || !ups->find(root).order.empty()) &&
            (!downs || !downs->find(root).order.empty()))
          return true;
      }
    }
    return false;
  };

  // Sets `time` to infinity if there is no such tree, which is so in phases
  // alone.
  auto treeOf = [&](int root, double &time) {
    const auto find = [&](const LatencyTrees &trees) {
      return isRouted(problem.collective) ? trees.findChains(root)
                                          : trees.find(root);
    };
    Tree tree;
    tree.root = root;
    time = 0;
    if (n == 1)
      return tree;
    if (rankTopology.isPhased() && !chooseGates(root)) {
      time = kInfinity;
      return tree;
    }
    if (ordered) {
      // All ranks send their contributions to the root, which adds them up.
      for (int rank = 0; rank < n; ++rank)
        if (rank != root) {
          tree.up.push_back({rank, root, ordered->path(rank, root)});
          time = std::max(time, ordered->distance(rank, root));
        }
      time += (n - 2) * costsOf(protocol).gap;
      tree.up = orderedStar(*problem.association, tree);
    } else if (hasUpTrees(problem.collective)) {
      TimedTree up = find(*ups);
      time += up.time;
      for (auto vertex = up.order.rbegin(); vertex != up.order.rend(); ++vertex)
        tree.up.push_back({*vertex, up.parents[*vertex],
                           paths.path(*vertex, up.parents[*vertex])});
    }
    if (hasDownTrees(problem.collective)) {
      TimedTree down = find(*downs);
      time += down.time;
      for (int vertex : down.order)
        tree.down.push_back({down.parents[vertex], vertex,
                             paths.path(down.parents[vertex], vertex)});
    }
    return tree;
  };

  Packing packing;
  double time = 0;
  if (numBlocks(problem.collective, n) > 1 || n == 1) {
    for (int root : modulo.symmetry().representatives()) {
      packing.trees.push_back(treeOf(root, time));
      if (std::isinf(time))
        return noTree();
    }
    packing = modulo.withImages(std::move(packing));
  } else if (isRooted(problem.collective)) {
    packing.trees.push_back(treeOf(problem.root, time));
    if (std::isinf(time))
      return noTree();
  } else {
    // Of ranks that are alike, the first one has as good a tree as any.
    double least = kInfinity;
    for (int root : modulo.symmetry().representatives()) {
      Tree tree = treeOf(root, time);
      if (time < least * kEarlier || packing.trees.empty()) {
        least = time;
        packing.trees = {std::move(tree)};
      }
    }
    if (std::isinf(least))
      return noTree();
  }
  llvm::Expected<Shares> shares = exactShares(problem, packing);
  if (!shares)
    return shares.takeError();
  packing.algbw = rateOfShares(problem, packing, *shares);
  for (Tree &tree : packing.trees)
    tree.weight =
        n == 1 ? 0 : packing.algbw / blocksOfBuffer(problem.collective, n);
  if (llvm::Error error = problem.verify(packing))
    return error;
  return packing;
}
