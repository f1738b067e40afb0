//===- PathsByPrice.cpp - cheapest paths for many prices ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/fabric/PathsByPrice.h"

#include "compiler/support/Numbers.h"
#include "compiler/topology/fabric/PathLayers.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace blink;

namespace {

/// Lists all drivable paths from a rank, depth first over the states of
/// PathLayers.h.
class Lister {
public:
  /// `steps` is the number of links that may be tried in all.
  Lister(const RankTopology &machine, size_t steps)
      : machine_(machine), steps_(steps), outLinks_(numNodes()),
        rankOf_(numNodes(), -1), onWay_(numNodes() * numPathLayers, false) {
    const std::vector<Link> &links = machine.topology().links;
    for (size_t link = 0; link < links.size(); ++link)
      if (machine.usable(static_cast<int>(link)))
        outLinks_[links[link].from].push_back(static_cast<int>(link));
    for (int rank = 0; rank < machine.numRanks(); ++rank)
      rankOf_[machine.nodeOf(rank)] = rank;
  }

  /// Finds the paths from `rank` to each rank. Returns false if the steps ran
  /// out.
  bool run(int rank) {
    from_ = rank;
    found_.assign(machine_.numRanks(), {});
    return extend(machine_.nodeOf(rank), peerLayer);
  }
  std::vector<Path> &to(int rank) { return found_[rank]; }

private:
  size_t numNodes() const { return machine_.topology().nodes.size(); }

  bool extend(int node, PathLayer layer) {
    for (int number : outLinks_[node]) {
      if (steps_ == 0)
        return false;
      --steps_;
      const Link &link = machine_.topology().links[number];
      const PathLayer next = nextLayer(machine_.topology(), layer, link);
      path_.push_back(number);
      bool goesOn = true;
      if (machine_.topology().nodes[link.to].kind == NodeKind::gpu)
        arrive(rankOf_[link.to], next);
      else
        goesOn = pass(link.to, next);
      path_.pop_back();
      if (!goesOn)
        return false;
    }
    return true;
  }

  void arrive(int rank, PathLayer layer) {
    if (rank >= 0 && rank != from_ &&
        !(layer == pcieLayer && machine_.peerJoined(from_, rank)))
      found_[rank].push_back(path_);
  }

  bool pass(int node, PathLayer layer) {
    const size_t state = size_t(node) * numPathLayers + layer;
    if (onWay_[state])
      return true;
    onWay_[state] = true;
    const bool goesOn = extend(node, layer);
    onWay_[state] = false;
    return goesOn;
  }

  const RankTopology &machine_;
  size_t steps_;
  std::vector<std::vector<int>> outLinks_; // per node, usable ones
  std::vector<int> rankOf_;                // per node, or -1
  std::vector<bool> onWay_;                // per state
  int from_ = 0;
  Path path_;
  std::vector<std::vector<Path>> found_; // per rank
};

} // namespace

PathsByPrice::PathsByPrice(const RankTopology &machine) : machine_(machine) {
  listed_ = listAll();
}

bool PathsByPrice::listAll() {
  // The number of links tried per pair of ranks: a listing then takes as long
  // as two or three searches.
  constexpr size_t kStepsOfPair = 100;
  const int numRanks = machine_.numRanks();
  if (!machine_.relays().empty() || machine_.isLimited() || machine_.isPhased())
    return false;
  const std::vector<Link> &links = machine_.topology().links;
  auto winsTies = [&](const Path &a, const Path &b) {
    if (a.size() != b.size())
      return a.size() < b.size();
    double ofA = 0, ofB = 0;
    for (int link : a)
      ofA += links[link].latency;
    for (int link : b)
      ofB += links[link].latency;
    return ofA != ofB ? ofA < ofB : a < b;
  };
  table_ = PathTable::from(firstNumbers(numRanks), numRanks);
  Lister lister(machine_, kStepsOfPair * numRanks * numRanks);
  for (int from = 0; from < numRanks; ++from) {
    if (!lister.run(from))
      return false;
    for (int to = 0; to < numRanks; ++to) {
      std::vector<Path> &paths = lister.to(to);
      if (paths.empty())
        continue;
      llvm::sort(paths, winsTies);
      table_.paths[table_.place(from, to)] = paths.front();
      if (paths.size() > 1)
        choices_.push_back({table_.place(from, to), std::move(paths)});
    }
  }
  return true;
}

void PathsByPrice::price(const std::vector<double> &prices) {
  if (!listed_) {
    table_ = machine_.cheapestPaths(prices);
    return;
  }
  for (const Choice &choice : choices_) {
    const Path *best = &choice.paths.front();
    double least = priceOf(*best, prices);
    for (const Path &path : llvm::drop_begin(choice.paths)) {
      const double cost = priceOf(path, prices);
      if (cost < least) {
        least = cost;
        best = &path;
      }
    }
    table_.paths[choice.place] = *best;
  }
}
