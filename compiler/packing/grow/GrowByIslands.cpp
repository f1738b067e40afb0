//===- GrowByIslands.cpp - trees grown first between islands --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/grow/GrowByIslands.h"

#include "compiler/packing/grow/GrowthPaths.h"
#include "compiler/packing/grow/RootedTree.h"
#include "compiler/support/Numbers.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>

using namespace blink;

namespace {
/// Refused edges allowed for each edge that is needed.
constexpr size_t kMostRefusedCrossings = 16;

/// The demand of a tree on the exits of an island at level 1 and at level 2; it
/// is 1 at deeper levels.
constexpr int kFirst = 100, kSecond = 10;

/// One tree while it grows.
struct Growing {
  RootedTree tree;
  std::vector<int> entry;    // per island: the rank where it enters, or -1
  std::vector<int> level;    // per island; -1 if the tree lacks it
  std::vector<int> above;    // per island: the island it is entered from
  std::vector<int> height;   // per island: levels of islands below
  std::vector<int> exits;    // per island: edges that leave it
  std::vector<int> children; // per rank
  std::vector<std::vector<int>> levels; // islands per level
};

class GrowthByIslands {
public:
  GrowthByIslands(const PackingProblem &problem, const Islands &islands,
                  const PathTable &table, std::vector<int> room,
                  const GrowRequest &request, uint32_t variant);
  std::vector<Tree> run();

private:
  using Key = std::tuple<int, int, int, uint32_t, int, int>;

  int islandOf(int rank) const {
    return islands_.ofNode[problem_.rankTopology->nodeOf(rank)];
  }
  const Path &pathBelow(int parent, int child) const {
    return pathOf(*paths_, up_, parent, child);
  }
  int firstOf(const Path &path) const {
    return up_ ? path.back() : path.front();
  }
  void findSpare();
  bool mayLeaveBy(int link) const;
  int mostExits(int island) const;
  int roomOf(const Path &path) const;
  uint32_t placeOf(size_t tree, int rank) const;
  void findExits();
  bool findDetours();
  bool take(size_t tree, int parent, int child);
  bool cross(size_t tree, int level);
  std::vector<int> missingFrom(size_t tree) const;
  void findCrossing(size_t tree, int island, llvm::ArrayRef<int> children,
                    Key &best) const;
  bool growBetween();
  void measureHeights();
  bool fill(int island);
  std::vector<int> orderOf(size_t tree, int island) const;
  bool hangOne(size_t tree, int island, const std::vector<int> &order,
               std::vector<int> &depth);

  const PackingProblem &problem_;
  const Islands &islands_;
  GrowthPaths paths_;
  const GrowRequest &request_;
  uint32_t variant_;
  bool up_;
  std::vector<int> room_; ///< before growth
  IslandCompletion completion_;
  std::optional<Completion> within_;    ///< of the island being filled
  std::vector<std::vector<int>> ranks_; // per island
  std::vector<std::vector<int>> exits_; // per rank: links to other islands
  std::vector<std::vector<int>> order_; // per tree: ranks by placeOf
  std::vector<Growing> trees_;
  /// Per island: how many edges may still leave it by links that its own ranks
  /// need, too.
  std::vector<int> spare_;
  std::vector<int> early_; // per island: demand of trees on its exits
  std::vector<std::vector<bool>> refused_; // per tree: by rank and island
  size_t mayRefuse_;
  int excess_ = 0;
};

GrowthByIslands::GrowthByIslands(const PackingProblem &problem,
                                 const Islands &islands, const PathTable &table,
                                 std::vector<int> room,
                                 const GrowRequest &request, uint32_t variant)
    : problem_(problem), islands_(islands), paths_(table), request_(request),
      variant_(variant), up_(hasUpTrees(problem.collective)),
      room_(std::move(room)),
      completion_(problem, islands, room_, request.copies),
      ranks_(islands.count), early_(islands.count, 0),
      mayRefuse_(kMostRefusedCrossings * size_t(request.copies) *
                 islands.count) {
  const int numRanks = problem.rankTopology->numRanks();
  for (int rank = 0; rank < numRanks; ++rank)
    ranks_[islandOf(rank)].push_back(rank);
  findSpare();
  findExits();
  for (size_t tree = 0; tree < size_t(request.copies); ++tree) {
    order_.push_back(firstNumbers(numRanks));
    std::stable_sort(
        order_[tree].begin(), order_[tree].end(),
        [&](int a, int b) { return placeOf(tree, a) < placeOf(tree, b); });
  }
  Growing tree;
  tree.tree = {std::vector<int>(numRanks, -1), std::vector<Path>(numRanks)};
  tree.entry.assign(islands.count, -1);
  tree.level = tree.above = tree.entry;
  tree.height.assign(islands.count, 0);
  tree.exits = tree.height;
  tree.children.assign(numRanks, 0);
  const int home = islandOf(problem.root);
  tree.entry[home] = problem.root;
  tree.level[home] = 0;
  tree.levels = {{home}};
  trees_.assign(request.copies, tree);
  refused_.assign(request.copies,
                  std::vector<bool>(size_t(numRanks) * islands.count, false));
}

/// Inside an island each tree needs one edge less than the island has ranks,
/// and each edge begins on a link of its parent.
void GrowthByIslands::findSpare() {
  const RankTopology &machine = *problem_.rankTopology;
  std::vector<bool> isRank(islands_.ofNode.size(), false);
  for (int rank = 0; rank < machine.numRanks(); ++rank)
    isRank[machine.nodeOf(rank)] = true;
  spare_.assign(islands_.count, 0);
  for (int island = 0; island < islands_.count; ++island)
    spare_[island] =
        -request_.copies * (static_cast<int>(ranks_[island].size()) - 1);
  for (size_t link = 0; link < room_.size(); ++link) {
    const Link &ends = machine.topology().links[link];
    const int island = islands_.ofNode[ends.from];
    if (machine.usable(static_cast<int>(link)) && island >= 0 &&
        island == islands_.ofNode[ends.to] && isRank[up_ ? ends.to : ends.from])
      spare_[island] += room_[link];
  }
}

/// Returns true if an edge that begins on `link` may leave its island.
bool GrowthByIslands::mayLeaveBy(int link) const {
  const Link &ends = problem_.rankTopology->topology().links[link];
  const int island = islands_.ofNode[ends.from];
  return completion_.room(link) > 0 &&
         (island != islands_.ofNode[ends.to] || spare_[island] > 0);
}

void GrowthByIslands::findExits() {
  const int numRanks = problem_.rankTopology->numRanks();
  exits_.assign(numRanks, {});
  for (int rank = 0; rank < numRanks; ++rank)
    for (int child = 0; child < numRanks; ++child) {
      const Path &path = pathBelow(rank, child);
      if (islandOf(child) == islandOf(rank) || path.empty() ||
          roomOf(path) == 0)
        continue;
      const int link = firstOf(path);
      if (!llvm::is_contained(exits_[rank], link))
        exits_[rank].push_back(link);
    }
}

/// Looks for paths around full links; returns false if it has done so too
/// often.
bool GrowthByIslands::findDetours() {
  if (!paths_.goAround(*problem_.rankTopology,
                       [&](int link) { return completion_.room(link) == 0; }))
    return false;
  findExits();
  for (std::vector<bool> &refused : refused_)
    refused.assign(refused.size(), false);
  return true;
}

int GrowthByIslands::roomOf(const Path &path) const {
  return leastRoom(path, [&](int link) {
    return within_ ? within_->room(link) : completion_.room(link);
  });
}

uint32_t GrowthByIslands::placeOf(size_t tree, int rank) const {
  const int others = problem_.rankTopology->numRanks();
  if (variant_ == 0)
    return uint32_t((rank - problem_.root + 2 * others - int(tree) % others) %
                    others);
  return scrambled(variant_, uint32_t(tree), uint32_t(rank));
}

/// Returns the most edges that may leave an island such that its ranks together
/// still have enough children to span it.
int GrowthByIslands::mostExits(int island) const {
  const int ranks = static_cast<int>(ranks_[island].size());
  const int most = std::min(request_.mostChildren + excess_, 1 << 10);
  return most * ranks - (ranks - 1);
}

bool GrowthByIslands::take(size_t tree, int parent, int child) {
  const Path &path = pathBelow(parent, child);
  const int index = static_cast<int>(tree);
  if (!(within_ ? within_->take(index, child, path)
                : completion_.take(index, child, path)))
    return false;
  Growing &growing = trees_[tree];
  growing.tree.parents[child] = parent;
  growing.tree.paths[child] = path;
  ++growing.children[parent];
  return true;
}

/// Returns the ranks of the islands that the tree lacks: first those of the
/// islands with the least demand, then in their order.
std::vector<int> GrowthByIslands::missingFrom(size_t tree) const {
  std::vector<int> missing;
  for (int rank : order_[tree])
    if (trees_[tree].level[islandOf(rank)] < 0)
      missing.push_back(rank);
  std::stable_sort(missing.begin(), missing.end(), [&](int a, int b) {
    return early_[islandOf(a)] < early_[islandOf(b)];
  });
  return missing;
}

/// Replaces `best` by the best edge from an island to one of `children`, whose
/// islands all have the same demand, if that edge is better. Edges from and to
/// where there is most room are preferred.
void GrowthByIslands::findCrossing(size_t tree, int island,
                                   llvm::ArrayRef<int> children,
                                   Key &best) const {
  const Growing &growing = trees_[tree];
  const int early = early_[islandOf(children.front())];
  for (int rank : ranks_[island]) {
    if (growing.children[rank] >= request_.mostChildren + excess_)
      continue;
    // Data arrives first at the entry. But if a rank may have only two
    // children, the entry needs both within its own island.
    const int crowded =
        rank != growing.entry[island] ? 2 * growing.children[rank] + 1
        : request_.mostChildren > 2   ? 2 * growing.children[rank]
                                      : std::numeric_limits<int>::max();
    int most = 0;
    for (int link : exits_[rank])
      if (mayLeaveBy(link))
        most = std::max(most, completion_.room(link));
    if (most == 0)
      continue;
    for (int child : children) {
      const uint32_t place = placeOf(tree, child);
      if (Key{early, crowded, -most, place, rank, child} >= best)
        break; // so are all later children
      if (refused_[tree][size_t(rank) * islands_.count + islandOf(child)])
        continue;
      if (const Path &path = pathBelow(rank, child);
          !path.empty() && mayLeaveBy(firstOf(path)))
        if (const int room = roomOf(path); room > 0)
          best = std::min(best, Key{early, crowded, -room, place, rank, child});
    }
  }
}

/// Adds an edge to an island at `level` or above.
bool GrowthByIslands::cross(size_t tree, int level) {
  Growing &growing = trees_[tree];
  const Key none{std::numeric_limits<int>::max(), 0, 0, 0, 0, 0};
  const std::vector<int> missing = missingFrom(tree);
  for (size_t above = 0;
       above < growing.levels.size() && int(above) < level && mayRefuse_ > 0;) {
    Key best = none;
    for (auto from = missing.begin(); best == none && from != missing.end();) {
      const auto to = std::find_if(from, missing.end(), [&](int rank) {
        return early_[islandOf(rank)] > early_[islandOf(*from)];
      });
      for (int island : growing.levels[above])
        if (growing.exits[island] < mostExits(island))
          findCrossing(tree, island, {&*from, size_t(to - from)}, best);
      from = to;
    }
    if (best == none) {
      ++above;
      continue;
    }
    const int parent = std::get<4>(best), child = std::get<5>(best);
    const int from = islandOf(parent), to = islandOf(child);
    if (!take(tree, parent, child)) {
      refused_[tree][size_t(parent) * islands_.count + to] = true;
      --mayRefuse_;
      continue;
    }
    growing.entry[to] = child;
    growing.above[to] = from;
    growing.level[to] = int(above) + 1;
    if (growing.levels.size() < above + 2)
      growing.levels.emplace_back();
    growing.levels[above + 1].push_back(to);
    ++growing.exits[from];
    const Link &ends = problem_.rankTopology->topology()
                           .links[firstOf(pathBelow(parent, child))];
    if (islands_.ofNode[ends.from] == islands_.ofNode[ends.to])
      --spare_[from];
    early_[to] += above == 0 ? kFirst : above == 1 ? kSecond : 1;
    return true;
  }
  return false;
}

bool GrowthByIslands::growBetween() {
  size_t missing = trees_.size() * (size_t(islands_.count) - 1);
  for (int level = 1; missing > 0;) {
    const size_t before = missing;
    for (bool grows = true; grows;) {
      grows = false;
      for (size_t tree = 0; tree < trees_.size(); ++tree)
        if (cross(tree, level)) {
          grows = true;
          --missing;
        }
    }
    if (missing < before)
      ++level;
    else if (level < islands_.count)
      level = islands_.count;
    else if (findDetours())
      level = 1;
    else if (++excess_ > problem_.rankTopology->numRanks() || mayRefuse_ == 0)
      return false;
  }
  return true;
}

void GrowthByIslands::measureHeights() {
  for (Growing &growing : trees_)
    for (auto level = growing.levels.rbegin(); level != growing.levels.rend();
         ++level)
      for (int island : *level)
        if (const int above = growing.above[island]; above >= 0)
          growing.height[above] =
              std::max(growing.height[above], growing.height[island] + 1);
}

/// Attaches the first rank of `order` that can be attached, as near to the root
/// as possible.
bool GrowthByIslands::hangOne(size_t tree, int island,
                              const std::vector<int> &order,
                              std::vector<int> &depth) {
  Growing &growing = trees_[tree];
  for (int child : order) {
    if (depth[child] >= 0)
      continue;
    std::vector<std::tuple<int, int, int>> parents;
    for (int parent : ranks_[island])
      if (depth[parent] >= 0 &&
          growing.children[parent] < request_.mostChildren + excess_)
        if (const Path &path = pathBelow(parent, child); !path.empty())
          if (const int room = roomOf(path); room > 0)
            parents.emplace_back(depth[parent], -room, parent);
    std::sort(parents.begin(), parents.end());
    for (auto [above, room, parent] : parents)
      if (take(tree, parent, child)) {
        depth[child] = above + 1;
        return true;
      }
  }
  return false;
}

/// Returns the ranks of an island, first those with more levels of islands
/// below them, because they need their data sooner.
std::vector<int> GrowthByIslands::orderOf(size_t tree, int island) const {
  const Growing &growing = trees_[tree];
  std::vector<int> below(growing.tree.parents.size(), 0);
  for (int to = 0; to < islands_.count; ++to)
    if (growing.above[to] == island) {
      int &most = below[growing.tree.parents[growing.entry[to]]];
      most = std::max(most, growing.height[to] + 1);
    }
  std::vector<int> order = ranks_[island];
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return std::make_tuple(-below[a], growing.children[a], placeOf(tree, a)) <
           std::make_tuple(-below[b], growing.children[b], placeOf(tree, b));
  });
  return order;
}

/// Attaches the ranks of an island below those where trees enter it, one rank
/// for each tree in turn.
bool GrowthByIslands::fill(int island) {
  std::vector<int> entries;
  std::vector<std::vector<int>> orders, depths;
  for (size_t tree = 0; tree < trees_.size(); ++tree) {
    entries.push_back(trees_[tree].entry[island]);
    orders.push_back(orderOf(tree, island));
    depths.emplace_back(trees_[tree].tree.parents.size(), -1);
    depths.back()[entries.back()] = 0;
  }
  std::vector<int> room = room_;
  for (size_t link = 0; link < room.size(); ++link)
    room[link] = completion_.room(static_cast<int>(link));
  within_.emplace(problem_, std::move(room), request_.copies,
                  withinIsland(islands_, island, -1), entries);
  if (!within_->begin())
    return false;
  for (size_t hung = 1; hung < ranks_[island].size(); ++hung)
    for (size_t tree = 0; tree < trees_.size(); ++tree) {
      excess_ = 0;
      while (!hangOne(tree, island, orders[tree], depths[tree]))
        if (++excess_ > problem_.rankTopology->numRanks())
          return false;
    }
  return true;
}

std::vector<Tree> GrowthByIslands::run() {
  if (llvm::any_of(spare_, [](int spare) { return spare < 0; }) ||
      !completion_.begin() || !growBetween())
    return {};
  measureHeights();
  for (int island = 0; island < islands_.count; ++island)
    if (!fill(island))
      return {};
  std::vector<Tree> trees;
  for (const Growing &growing : trees_)
    trees.push_back(treeOf(problem_, growing.tree, request_.unit));
  return trees;
}

} // namespace

std::vector<Tree>
blink::growByIslands(const PackingProblem &problem, const Islands &islands,
                     const PathTable &table, std::vector<int> room,
                     const GrowRequest &request, uint32_t variant) {
  return GrowthByIslands(problem, islands, table, std::move(room), request,
                         variant)
      .run();
}

bool blink::mayEnterOnce(const PackingProblem &problem, const Islands &islands,
                         const std::vector<int> &room, int copies) {
  const RankTopology &machine = *problem.rankTopology;
  const std::vector<Link> &links = machine.topology().links;
  const bool up = hasUpTrees(problem.collective);
  // Per node: room for trees that come from its own island.
  std::vector<int> within(islands.ofNode.size(), 0);
  for (size_t link = 0; link < links.size(); ++link) {
    const int from = links[link].from, to = links[link].to;
    if (machine.usable(static_cast<int>(link)) && islands.ofNode[from] >= 0 &&
        islands.ofNode[from] == islands.ofNode[to])
      within[up ? from : to] += room[link];
  }
  std::vector<int> entering(islands.count, 0);
  for (int rank = 0; rank < machine.numRanks(); ++rank) {
    const int node = machine.nodeOf(rank);
    entering[islands.ofNode[node]] += std::max(0, copies - within[node]);
  }
  entering[islands.ofNode[machine.nodeOf(problem.root)]] = 0;
  return std::all_of(entering.begin(), entering.end(),
                     [&](int trees) { return trees <= copies; });
}

bool blink::entersOnce(const PackingProblem &problem, const Islands &islands,
                       const std::vector<Tree> &trees) {
  auto islandOf = [&](int rank) {
    return islands.ofNode[problem.rankTopology->nodeOf(rank)];
  };
  return llvm::all_of(trees, [&](const Tree &tree) {
    const auto &edges = hasUpTrees(problem.collective) ? tree.up : tree.down;
    return llvm::count_if(edges, [&](const TreeEdge &edge) {
             return islandOf(edge.from) != islandOf(edge.to);
           }) < islands.count;
  });
}
