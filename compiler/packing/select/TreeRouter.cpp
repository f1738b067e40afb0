//===- TreeRouter.cpp - trees of one weight into integer room ---*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/select/TreeRouter.h"

#include "compiler/packing/TreeRoom.h"
#include "compiler/support/Infinity.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

using namespace blink;

namespace {

constexpr int kMaxRounds = 16;
/// Rounds to go on without a new minimum of the total overload.
constexpr int kPatience = 5;
/// Roots from which a tree is grown in a round if roots are free; roots from
/// which no tree spans all ranks do not count.
constexpr int kRootsTried = 2;
/// The price of an edge includes this fraction of the cheapest price of
/// continuing from its end. On a tie, the edge with a cheap continuation then
/// wins.
constexpr double kOutlook = 0.25;

class Router {
public:
  Router(const SymmetricProblem &plain, const RouteRequest &request,
         PathsByPrice &paths);
  std::vector<Tree> run();
  int grown() const { return grown_; }

private:
  void listLinks();
  /// Checks cheap necessary conditions for a routing to exist.
  bool couldFit() const;
  bool couldFit(const std::vector<double> &toChildren,
                const std::vector<double> &toParents) const;
  void addLoad(int link, int times);
  void reprice(int link);
  void priceOnward(bool up);
  Tree growTree(int root, double &paid);
  double growHalf(int root, bool up, std::vector<TreeEdge> &edges);
  double priceOfPath(const Path &path) const;
  Tree growBest(size_t slot);
  void put(const Tree &tree, int times);
  double overload();

  const SymmetricProblem &plain_;
  const PackingProblem &problem_;
  const RouteRequest &request_;
  int numRanks_;
  std::vector<double> room_;    // number of trees that fit on a link
  std::vector<double> loads_;   // current uses of a link by trees
  std::vector<double> prices_;  // of one more use; updated with the loads
  std::vector<double> history_; // overloads of former rounds
  double strictness_ = 1;       // price of an overload; grows each round
  std::vector<std::vector<int>> inLinks_, outLinks_; // usable, per rank
  std::vector<double> onward_; // least price of continuing from each rank
  PathsByPrice &paths_;
  int grown_ = 0;
};

Router::Router(const SymmetricProblem &plain, const RouteRequest &request,
               PathsByPrice &paths)
    : plain_(plain), problem_(plain.problem()), request_(request),
      numRanks_(problem_.rankTopology->numRanks()),
      loads_(request.bandwidths.size(), 0.0),
      prices_(request.bandwidths.size(), 0.0),
      history_(request.bandwidths.size(), 0.0), inLinks_(numRanks_),
      outLinks_(numRanks_), onward_(numRanks_), paths_(paths) {
  for (double bandwidth : request.bandwidths)
    room_.push_back(roomForTrees(bandwidth, request.unit));
  listLinks();
}

void Router::listLinks() {
  const RankTopology &rankTopology = *problem_.rankTopology;
  const std::vector<Link> &links = rankTopology.topology().links;
  std::vector<int> rankOfNode(rankTopology.topology().nodes.size(), -1);
  for (int rank = 0; rank < numRanks_; ++rank)
    rankOfNode[rankTopology.nodeOf(rank)] = rank;
  for (size_t link = 0; link < links.size(); ++link) {
    if (!rankTopology.usable(static_cast<int>(link)))
      continue;
    if (int rank = rankOfNode[links[link].to]; rank >= 0)
      inLinks_[rank].push_back(static_cast<int>(link));
    if (int rank = rankOfNode[links[link].from]; rank >= 0)
      outLinks_[rank].push_back(static_cast<int>(link));
  }
}

bool Router::couldFit() const {
  std::vector<double> in(numRanks_, 0.0), out(numRanks_, 0.0);
  for (int rank = 0; rank < numRanks_; ++rank) {
    for (int link : inLinks_[rank])
      in[rank] += room_[link];
    for (int link : outLinks_[rank])
      out[rank] += room_[link];
  }
  // Every edge enters exactly one rank.
  const double halves =
      hasDownTrees(problem_.collective) + hasUpTrees(problem_.collective);
  const double edges = double(numBlocks(problem_.collective, numRanks_)) *
                       request_.copies * (numRanks_ - 1) * halves;
  return std::accumulate(in.begin(), in.end(), 0.0) >= edges &&
         (!hasDownTrees(problem_.collective) || couldFit(out, in)) &&
         (!hasUpTrees(problem_.collective) || couldFit(in, out));
}

/// Checks the conditions for trees whose ranks have room for so many edges to
/// children and to parents, over all trees.
bool Router::couldFit(const std::vector<double> &toChildren,
                      const std::vector<double> &toParents) const {
  double trees =
      double(numBlocks(problem_.collective, numRanks_)) * request_.copies;
  double needed = trees * (numRanks_ - 1);
  double parents = 0, children = 0;
  for (int rank = 0; rank < numRanks_; ++rank) {
    parents += std::min(toParents[rank], trees);
    children += toChildren[rank];
  }
  if (parents < needed)
    return false;
  // The most edges that all trees can have at one depth: each rank at the depth
  // above has as many as it has room for.
  double widest = *std::max_element(toChildren.begin(), toChildren.end());
  double level = isRooted(problem_.collective) ? toChildren[problem_.root]
                                               : trees * widest;
  double edges = 0;
  for (int depth = 1; depth <= request_.maxDepth && edges < needed; ++depth) {
    level = std::min({level, children, needed});
    edges += level;
    level *= widest;
  }
  return edges >= needed;
}

void Router::addLoad(int link, int times) {
  loads_[link] += times;
  reprice(link);
}

void Router::reprice(int link) {
  double room = std::max(room_[link], 0.25);
  double over = std::max(0.0, loads_[link] + 1 - room_[link]);
  prices_[link] = (1 + history_[link]) * (1 + over * strictness_) / room;
}

double Router::priceOfPath(const Path &path) const {
  double sum = 0;
  for (int link : path) {
    sum += prices_[link];
    if (plain_.mirrors())
      sum += prices_[plain_.twin(link)];
  }
  return sum;
}

void Router::priceOnward(bool up) {
  for (int rank = 0; rank < numRanks_; ++rank) {
    onward_[rank] = kInfinity;
    for (int link : (up ? inLinks_ : outLinks_)[rank])
      onward_[rank] = std::min(onward_[rank], prices_[link]);
  }
}

/// Grows half a tree by Prim's algorithm, except that each edge taken raises
/// the prices of the edges that remain. Adds the loads of the edges to their
/// links. Returns the price paid.
double Router::growHalf(int root, bool up, std::vector<TreeEdge> &edges) {
  std::vector<int> depth(numRanks_, -1);
  depth[root] = 0;
  double paid = 0;
  for (int count = 1; count < numRanks_; ++count) {
    priceOnward(up);
    auto best = std::make_tuple(kInfinity, 0, 0, 0);
    for (int inside = 0; inside < numRanks_; ++inside) {
      if (depth[inside] < 0 || depth[inside] >= request_.maxDepth)
        continue;
      for (int outside = 0; outside < numRanks_; ++outside) {
        if (depth[outside] >= 0)
          continue;
        const Path &path =
            up ? paths_.path(outside, inside) : paths_.path(inside, outside);
        if (path.empty())
          continue;
        double cost = priceOfPath(path) + kOutlook * onward_[outside];
        best = std::min(best,
                        std::make_tuple(cost, depth[inside], inside, outside));
      }
    }
    auto [cost, level, inside, outside] = best;
    if (cost == kInfinity)
      return kInfinity;
    paid += cost;
    depth[outside] = level + 1;
    TreeEdge edge{up ? outside : inside, up ? inside : outside, {}};
    edge.path = paths_.path(edge.from, edge.to);
    for (int link : edge.path) {
      addLoad(link, 1);
      if (plain_.mirrors())
        addLoad(plain_.twin(link), 1);
    }
    edges.push_back(std::move(edge));
  }
  if (up)
    std::reverse(edges.begin(), edges.end());
  return paid;
}

/// Grows a tree and adds its loads.
Tree Router::growTree(int root, double &paid) {
  Tree tree;
  tree.root = root;
  tree.weight = request_.unit;
  paid = 0;
  ++grown_;
  if (hasUpTrees(problem_.collective))
    paid += growHalf(root, true, tree.up);
  if (plain_.mirrors())
    plain_.addMirrored(tree);
  else if (hasDownTrees(problem_.collective))
    paid += growHalf(root, false, tree.down);
  return tree;
}

void Router::put(const Tree &tree, int times) {
  for (const auto *edges : {&tree.up, &tree.down})
    for (const TreeEdge &edge : *edges)
      for (int link : edge.path)
        addLoad(link, times);
}

/// Returns the tree of a slot, grown from the best of the roots that it may
/// have.
Tree Router::growBest(size_t slot) {
  paths_.price(prices_);
  double paid = 0;
  if (isRooted(problem_.collective))
    return growTree(problem_.root, paid);
  if (problem_.collective != Collective::allreduce)
    return growTree(static_cast<int>(slot) % numRanks_, paid);
  Tree best;
  double least = kInfinity;
  int spanning = 0;
  for (int shift = 0; shift < numRanks_ && spanning < kRootsTried; ++shift) {
    // Each slot begins with a root of its own, so that on ties roots are spread
    // over the ranks.
    int root = static_cast<int>((slot + shift) % numRanks_);
    Tree tree = growTree(root, paid);
    put(tree, -1);
    spanning += paid < kInfinity;
    if (paid < least) {
      least = paid;
      best = std::move(tree);
    }
  }
  put(best, 1);
  return best;
}

/// Returns the total overload and records it link by link in the history.
double Router::overload() {
  double sum = 0;
  for (size_t link = 0; link < loads_.size(); ++link) {
    double over = std::max(0.0, loads_[link] - room_[link]);
    history_[link] += over / std::max(room_[link], 1.0);
    sum += over;
  }
  return sum;
}

std::vector<Tree> Router::run() {
  if (!couldFit())
    return {};
  int slots = numBlocks(problem_.collective, numRanks_) * request_.copies;
  std::vector<Tree> trees(slots);
  for (size_t link = 0; link < loads_.size(); ++link)
    reprice(static_cast<int>(link));
  double least = kInfinity;
  for (int round = 0, patience = kPatience; round < kMaxRounds && patience > 0;
       ++round, --patience) {
    for (size_t slot = 0; slot < trees.size(); ++slot) {
      put(trees[slot], -1);
      trees[slot] = growBest(slot);
      bool spans =
          numRanks_ == 1 || trees[slot].up.size() + trees[slot].down.size() >=
                                size_t(numRanks_ - 1);
      if (!spans)
        return {}; // no tree is that low
    }
    double over = overload();
    if (over == 0)
      return trees;
    if (over < least) {
      least = over;
      patience = kPatience + 1;
    }
    strictness_ *= 1.5;
    for (size_t link = 0; link < loads_.size(); ++link)
      reprice(static_cast<int>(link));
  }
  return {};
}

} // namespace

std::vector<Tree> blink::routeTrees(const SymmetricProblem &plain,
                                    const RouteRequest &request,
                                    PathsByPrice &paths, int &grown) {
  Router router(plain, request, paths);
  std::vector<Tree> trees = router.run();
  grown = router.grown();
  return trees;
}

int blink::mostGrown(const PackingProblem &problem,
                     const RouteRequest &request) {
  const int numRanks = problem.rankTopology->numRanks();
  const int slots = numBlocks(problem.collective, numRanks) * request.copies;
  const int roots = problem.collective == Collective::allreduce ? numRanks : 1;
  return kMaxRounds * slots * roots;
}
