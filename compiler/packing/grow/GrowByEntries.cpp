//===- GrowByEntries.cpp - trees that enter islands repeatedly ------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/grow/GrowByEntries.h"

#include "compiler/packing/grow/IslandBranches.h"
#include "compiler/packing/grow/RootedTree.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <set>
#include <tuple>

using namespace blink;

namespace {

/// How many edges should leave an island from one branch, so that trees are
/// low: with fewer there are more levels of islands, with more there are more
/// levels of ranks within.
constexpr int kFanOut = 8;

/// A branch of a tree: the ranks that it reaches within an island from one
/// entry, with the entry first and parents before children.
struct Branch {
  std::vector<int> ranks;
  int entry = -1; ///< number of the crossing; -1: begins at the root
  int gain = 0;   ///< how many other branches its ranks can feed
};

/// Exits of a rank that one tree may use, in number of edges.
struct Quota {
  int exit; ///< number of the crossing
  int edges;
};

/// One tree while it grows.
struct Branching {
  RootedTree tree;
  std::vector<int> depth; ///< per rank: first in its branch, then in the tree
  std::vector<int> children;
  std::vector<Branch> branches;           ///< that of the root first
  std::vector<std::vector<Quota>> quotas; ///< per rank
  std::vector<int> lacks; ///< per group: entries without an exit to them
};

class GrowthByEntries {
public:
  GrowthByEntries(const PackingProblem &problem, const Islands &islands,
                  const PathTable &table, const std::vector<int> &room,
                  const GrowRequest &request);
  std::vector<Tree> run();

private:
  /// Edges that leave an island from a rank by one of its exits.
  struct Use {
    int rank, exit, edges;
  };
  /// The depth of a rank, the rank, and the place among its quotas.
  using Feeder = std::tuple<int, int, size_t>;

  int roomOf(const Path &path) const;
  bool growWithin(int island);
  void addBranches(int tree, const IslandBranches &island);
  bool divideExits();
  std::vector<Use> usesOf(int tree, const Branch &branch,
                          int mostChildren) const;
  void reserve(int tree, const Use &use);
  bool reserveExits(int island, int mostChildren);
  bool feedAll(int tree);
  bool feed(int tree, const Branch &branch,
            std::vector<std::set<Feeder>> &feeders);
  void join(int tree, const Branch &branch, int depth,
            std::vector<std::set<Feeder>> &feeders) const;

  const PackingProblem &problem_;
  const Islands &islands_;
  const PathTable &table_;
  const GrowRequest &request_;
  const IslandBorders borders_;
  int numRanks_;
  std::vector<int> room_; // per link
  std::vector<Branching> trees_;
};

GrowthByEntries::GrowthByEntries(const PackingProblem &problem,
                                 const Islands &islands, const PathTable &table,
                                 const std::vector<int> &room,
                                 const GrowRequest &request)
    : problem_(problem), islands_(islands), table_(table), request_(request),
      borders_(problem, islands, table),
      numRanks_(problem.rankTopology->numRanks()), room_(room) {
  Branching tree;
  tree.tree = {std::vector<int>(numRanks_, -1), std::vector<Path>(numRanks_)};
  tree.depth.assign(numRanks_, 0);
  tree.children = tree.depth;
  tree.quotas.resize(numRanks_);
  tree.lacks.assign(borders_.numGroups(), 0);
  tree.branches.resize(1);
  trees_.assign(request.copies, tree);
}

int GrowthByEntries::roomOf(const Path &path) const {
  return leastRoom(path, [&](int link) { return room_[link]; });
}

bool GrowthByEntries::growWithin(int island) {
  IslandBranches branches(problem_, islands_, island, borders_, table_, room_,
                          request_);
  if (!branches.grow())
    return false;
  for (size_t link = 0; link < room_.size(); ++link)
    room_[link] = branches.room(static_cast<int>(link));
  for (int tree = 0; tree < request_.copies; ++tree)
    addBranches(tree, branches);
  return true;
}

void GrowthByEntries::addBranches(int tree, const IslandBranches &island) {
  Branching &branching = trees_[tree];
  const std::vector<int> &ranks = island.ranks();
  std::vector<size_t> order(ranks.size());
  for (size_t at = 0; at < order.size(); ++at)
    order[at] = at;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return island.place(tree, a).depth < island.place(tree, b).depth;
  });
  std::vector<size_t> branchOf(ranks.size(), 0);
  for (size_t at : order) {
    const IslandBranches::Place &place = island.place(tree, at);
    const int rank = ranks[at];
    branching.depth[rank] = place.depth;
    branching.children[rank] = place.children;
    if (place.parent >= 0) {
      branching.tree.parents[rank] = ranks[place.parent];
      branching.tree.paths[rank] = place.path;
      branchOf[at] = branchOf[place.parent];
    } else if (place.entry >= 0) {
      branchOf[at] = branching.branches.size();
      branching.branches.push_back({{}, place.entry});
      ++branching.lacks[borders_.entries(rank)[place.entry].group];
    }
    branching.branches[branchOf[at]].ranks.push_back(rank);
  }
  if (const IslandBranches::Exit &exit = island.exit(tree);
      exit.crossing >= 0) {
    const int rank = ranks[exit.at];
    branching.quotas[rank].push_back({exit.crossing, 1});
    --branching.lacks[borders_.exits(rank)[exit.crossing].group];
  }
}

/// Returns the exits that a tree could still use from a branch, at most
/// kFanOut, and those of ranks near the entry first.
std::vector<GrowthByEntries::Use>
GrowthByEntries::usesOf(int tree, const Branch &branch,
                        int mostChildren) const {
  const Branching &branching = trees_[tree];
  std::vector<int> lacks = branching.lacks;
  std::vector<Use> uses;
  int left = kFanOut;
  for (int rank : branch.ranks) {
    int children = mostChildren - branching.children[rank];
    for (int exit = 0; exit < int(borders_.exits(rank).size()); ++exit) {
      const Crossing &crossing = borders_.exits(rank)[exit];
      const int edges = std::min(
          {left, children, lacks[crossing.group], roomOf(crossing.links)});
      if (edges <= 0)
        continue;
      uses.push_back({rank, exit, edges});
      left -= edges;
      children -= edges;
      lacks[crossing.group] -= edges;
    }
    if (left == 0)
      break;
  }
  return uses;
}

void GrowthByEntries::reserve(int tree, const Use &use) {
  Branching &branching = trees_[tree];
  const Crossing &crossing = borders_.exits(use.rank)[use.exit];
  // Ranks of a branch may share links.
  const int edges = std::min(use.edges, roomOf(crossing.links));
  if (edges == 0)
    return;
  branching.quotas[use.rank].push_back({use.exit, edges});
  branching.lacks[crossing.group] -= edges;
  branching.children[use.rank] += edges;
  for (int link : crossing.links)
    room_[link] -= edges;
}

/// Reserves exits of an island for the branch that can use most of them; among
/// equal ones, near the entry, and for the tree that lacks most. Returns false
/// if none can use any.
bool GrowthByEntries::reserveExits(int island, int mostChildren) {
  std::tuple<int, int, int, int> best;
  std::vector<Use> uses;
  for (int tree = 0; tree < request_.copies; ++tree)
    for (const Branch &branch : trees_[tree].branches) {
      if (borders_.islandOf(branch.ranks.front()) != island)
        continue;
      std::vector<Use> now = usesOf(tree, branch, mostChildren);
      if (now.empty())
        continue;
      int edges = 0, lacks = 0;
      for (const Use &use : now)
        edges += use.edges;
      for (int ofGroup : trees_[tree].lacks)
        lacks += ofGroup;
      const std::tuple key(-edges, trees_[tree].depth[now.back().rank], -lacks,
                           tree);
      if (!uses.empty() && key >= best)
        continue;
      best = key;
      uses = std::move(now);
    }
  for (const Use &use : uses)
    reserve(std::get<3>(best), use);
  return !uses.empty();
}

/// Divides exits among trees; returns false if they do not suffice.
bool GrowthByEntries::divideExits() {
  for (int mostChildren : {request_.mostChildren, numRanks_})
    for (int island = 0; island < islands_.count; ++island)
      while (reserveExits(island, mostChildren)) {
      }
  return llvm::all_of(trees_, [](const Branching &branching) {
    return llvm::all_of(branching.lacks, [](int lacks) { return lacks <= 0; });
  });
}

/// Lets the ranks of a branch feed others, now that its entry is at `depth`.
void GrowthByEntries::join(int tree, const Branch &branch, int depth,
                           std::vector<std::set<Feeder>> &feeders) const {
  const Branching &branching = trees_[tree];
  for (int rank : branch.ranks)
    for (size_t at = 0; at < branching.quotas[rank].size(); ++at) {
      const Crossing &exit =
          borders_.exits(rank)[branching.quotas[rank][at].exit];
      feeders[exit.group].insert({depth + branching.depth[rank], rank, at});
    }
}

/// Attaches a branch below the rank that is nearest to the root.
bool GrowthByEntries::feed(int tree, const Branch &branch,
                           std::vector<std::set<Feeder>> &feeders) {
  Branching &branching = trees_[tree];
  const int child = branch.ranks.front();
  const Crossing &entry = borders_.entries(child)[branch.entry];
  std::set<Feeder> &ofGroup = feeders[entry.group];
  for (auto feeder = ofGroup.begin(); feeder != ofGroup.end(); ++feeder) {
    const auto [depth, parent, at] = *feeder;
    Quota &quota = branching.quotas[parent][at];
    const Crossing &exit = borders_.exits(parent)[quota.exit];
    Path path = borders_.pathBetween(parent, exit, child, entry);
    // Room on both crossings is taken already.
    auto isBetween = [&](int link) {
      return !llvm::is_contained(exit.links, link) &&
             !llvm::is_contained(entry.links, link);
    };
    if (path.empty() || llvm::any_of(path, [&](int link) {
          return isBetween(link) && room_[link] == 0;
        }))
      continue;
    for (int link : path)
      room_[link] -= isBetween(link);
    branching.tree.parents[child] = parent;
    branching.tree.paths[child] = std::move(path);
    if (--quota.edges == 0)
      ofGroup.erase(feeder);
    join(tree, branch, depth + 1, feeders);
    return true;
  }
  return false;
}

bool GrowthByEntries::feedAll(int tree) {
  Branching &branching = trees_[tree];
  std::vector<std::set<Feeder>> feeders(borders_.numGroups());
  join(tree, branching.branches.front(), 0, feeders);
  auto heightOf = [&](const Branch &branch) {
    return branching.depth[branch.ranks.back()];
  };
  for (Branch &branch : branching.branches)
    for (int rank : branch.ranks)
      for (const Quota &quota : branching.quotas[rank])
        branch.gain += quota.edges;
  std::stable_sort(branching.branches.begin() + 1, branching.branches.end(),
                   [&](const Branch &a, const Branch &b) {
                     return std::make_tuple(-a.gain, -heightOf(a)) <
                            std::make_tuple(-b.gain, -heightOf(b));
                   });
  std::vector<const Branch *> left;
  for (const Branch &branch : llvm::drop_begin(branching.branches))
    left.push_back(&branch);
  while (!left.empty()) {
    auto next = llvm::find_if(left, [&](const Branch *branch) {
      return feed(tree, *branch, feeders);
    });
    if (next == left.end())
      return false;
    left.erase(next);
  }
  return true;
}

std::vector<Tree> GrowthByEntries::run() {
  const int home = borders_.islandOf(problem_.root);
  if (!growWithin(home))
    return {};
  for (int island = 0; island < islands_.count; ++island)
    if (island != home && !growWithin(island))
      return {};
  if (!divideExits())
    return {};
  std::vector<Tree> trees;
  for (int tree = 0; tree < request_.copies; ++tree) {
    if (!feedAll(tree))
      return {};
    trees.push_back(treeOf(problem_, trees_[tree].tree, request_.unit));
  }
  return trees;
}

} // namespace

std::vector<Tree> blink::growByEntries(const PackingProblem &problem,
                                       const Islands &islands,
                                       const PathTable &table,
                                       const std::vector<int> &room,
                                       const GrowRequest &request) {
  return GrowthByEntries(problem, islands, table, room, request).run();
}
