//===- GrowTrees.cpp - few low trees of one weight ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/grow/GrowTrees.h"

#include "compiler/packing/grow/GrowByEntries.h"
#include "compiler/packing/grow/GrowByIslands.h"
#include "compiler/packing/grow/GrowthPaths.h"
#include "compiler/packing/grow/LeastDepth.h"
#include "compiler/packing/grow/LowerTrees.h"
#include "compiler/packing/grow/RootedCut.h"
#include "compiler/packing/grow/RootedTree.h"
#include "compiler/support/Numbers.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>
#include <tuple>

using namespace blink;

namespace {

/// Refused edges allowed for each edge that is needed.
constexpr size_t kMostRefused = 16;
/// The most examinations of pairs of ranks, which take seconds.
constexpr size_t kMostLooks = size_t(1) << 29;

class Growth {
public:
  /// `islands` are those by which completion is judged. `table` has the
  /// shortest paths when all links have room.
  Growth(const PackingProblem &problem, const Islands &islands,
         const PathTable &table, const GrowRequest &request, uint32_t variant);
  std::vector<Tree> run();

private:
  using Key = std::tuple<int, int, int, uint32_t, int, int>;

  /// A child that a parent may have by a path, and the initial room, in trees,
  /// of the path's narrowest link.
  struct Neighbour {
    int child, narrowest;
  };

  void findNeighbours();
  bool findDetours();
  const Path &pathBelow(int parent, int child) const {
    return pathOf(*paths_, up_, parent, child);
  }
  bool fits(const Path &path) const;
  bool growLevel(int level);
  bool addEdge(int tree, int level, int excess);
  bool findBelow(int tree, int parent, Key &best);
  void hang(int tree, int parent, int child);
  uint32_t placeOf(int tree, int rank) const;

  const PackingProblem &problem_;
  const GrowRequest &request_;
  uint32_t variant_;
  int numRanks_;
  bool up_;
  std::vector<int> capacities_;
  IslandCompletion completion_;
  GrowthPaths paths_;
  std::vector<std::vector<Neighbour>> neighbours_; // per parent, with room
  std::vector<RootedTree> trees_;
  std::vector<std::vector<int>> depths_;              // -1: not reached
  std::vector<std::vector<std::vector<int>>> levels_; // ranks by tree and depth
  std::vector<std::vector<int>> children_;
  std::vector<std::vector<bool>> spent_;   // no more children fit there
  std::vector<std::vector<bool>> refused_; // per tree: by parent and child
  std::vector<int> active_;
  size_t missing_;
  size_t mayRefuse_;
  size_t looks_ = 0; ///< examinations of pairs so far
};

Growth::Growth(const PackingProblem &problem, const Islands &islands,
               const PathTable &table, const GrowRequest &request,
               uint32_t variant)
    : problem_(problem), request_(request), variant_(variant),
      numRanks_(problem.rankTopology->numRanks()),
      up_(hasUpTrees(problem.collective)),
      capacities_(roomOf(problem, request.unit)),
      completion_(problem, islands, capacities_, request.copies), paths_(table),
      trees_(request.copies,
             {std::vector<int>(numRanks_, -1), std::vector<Path>(numRanks_)}),
      depths_(request.copies, std::vector<int>(numRanks_, -1)),
      levels_(request.copies, {{problem.root}}),
      children_(request.copies, std::vector<int>(numRanks_, 0)),
      spent_(request.copies, std::vector<bool>(numRanks_, false)),
      refused_(request.copies,
               std::vector<bool>(size_t(numRanks_) * numRanks_, false)),
      active_(numRanks_, 0), missing_(size_t(request.copies) * (numRanks_ - 1)),
      mayRefuse_(kMostRefused * missing_) {
  for (std::vector<int> &depths : depths_)
    depths[problem.root] = 0;
  findNeighbours();
}

bool Growth::fits(const Path &path) const {
  return !path.empty() && std::all_of(path.begin(), path.end(), [&](int link) {
    return completion_.room(link) > 0;
  });
}

void Growth::findNeighbours() {
  neighbours_.assign(numRanks_, {});
  for (int parent = 0; parent < numRanks_; ++parent)
    for (int child = 0; child < numRanks_; ++child)
      if (const Path &path = pathBelow(parent, child); fits(path)) {
        const int narrowest =
            leastRoom(path, [&](int link) { return capacities_[link]; });
        neighbours_[parent].push_back({child, narrowest});
      }
}

/// Looks for paths around full links; returns false if it has done so too
/// often.
bool Growth::findDetours() {
  if (!paths_.goAround(*problem_.rankTopology,
                       [&](int link) { return completion_.room(link) == 0; }))
    return false;
  findNeighbours();
  for (std::vector<bool> &spent : spent_)
    spent.assign(numRanks_, false);
  return true;
}

/// Returns the place of a rank among ranks that are equal otherwise. In variant
/// 0, each tree begins at another rank after the root; in all others the order
/// is pseudorandom.
uint32_t Growth::placeOf(int tree, int rank) const {
  if (variant_ > 0)
    return scrambled(variant_, uint32_t(tree), uint32_t(rank));
  const int others = numRanks_ - 1;
  const int place = (rank - problem_.root - 1 + numRanks_) % numRanks_;
  return uint32_t((place - tree % others + others) % others);
}

/// Replaces `best` by the best edge below `parent` if that is better. Returns
/// true if `parent` has any possible edge.
bool Growth::findBelow(int tree, int parent, Key &best) {
  const int fresh = children_[tree][parent] > 0 ? -1 : active_[parent];
  bool found = false;
  looks_ += neighbours_[parent].size();
  // Room that is used up never comes back.
  llvm::erase_if(neighbours_[parent], [&](Neighbour neighbour) {
    const auto [child, narrowest] = neighbour;
    if (depths_[tree][child] >= 0 ||
        refused_[tree][size_t(parent) * numRanks_ + child])
      return false;
    if (!fits(pathBelow(parent, child)))
      return true;
    found = true;
    const auto &[leastNarrow, leastFresh, leastActive, place, p, c] = best;
    if (std::tie(narrowest, fresh, active_[child]) <=
        std::tie(leastNarrow, leastFresh, leastActive))
      best = std::min(best, Key{narrowest, fresh, active_[child],
                                placeOf(tree, child), parent, child});
    return false;
  });
  return found;
}

void Growth::hang(int tree, int parent, int child) {
  trees_[tree].parents[child] = parent;
  trees_[tree].paths[child] = pathBelow(parent, child);
  const size_t depth = size_t(depths_[tree][parent]) + 1;
  depths_[tree][child] = static_cast<int>(depth);
  if (levels_[tree].size() <= depth)
    levels_[tree].resize(depth + 1);
  levels_[tree][depth].push_back(child);
  active_[parent] += children_[tree][parent]++ == 0;
  --missing_;
}

/// Adds to `tree` the best edge that leads to `level` or above and still lets
/// all trees be completed. Edges nearer to the root are better; then edges over
/// narrow links, which lead out of a box; then edges from ranks that have
/// children in this tree already, or else in few other trees; then edges to
/// ranks that have children in few trees.
bool Growth::addEdge(int tree, int level, int excess) {
  const Key none{std::numeric_limits<int>::max(), 0, 0, 0, 0, 0};
  for (size_t depth = 0; depth < levels_[tree].size() && int(depth) < level &&
                         mayRefuse_ > 0 && looks_ < kMostLooks;) {
    Key best = none;
    for (int parent : levels_[tree][depth])
      if (!spent_[tree][parent] &&
          children_[tree][parent] < request_.mostChildren + excess)
        spent_[tree][parent] = !findBelow(tree, parent, best);
    if (best == none) {
      ++depth;
      continue;
    }
    const int parent = std::get<4>(best), child = std::get<5>(best);
    if (completion_.take(tree, child, pathBelow(parent, child))) {
      hang(tree, parent, child);
      return true;
    }
    // An edge that took too much room once never fits again.
    refused_[tree][size_t(parent) * numRanks_ + child] = true;
    --mayRefuse_;
  }
  return false;
}

/// Adds edges to the trees in turn, as long as there are any.
bool Growth::growLevel(int level) {
  const size_t before = missing_;
  for (bool grows = true; grows;) {
    grows = false;
    for (int tree = 0; tree < request_.copies; ++tree)
      grows |= addEdge(tree, level, 0);
  }
  return missing_ < before;
}

std::vector<Tree> Growth::run() {
  if (!completion_.begin())
    return {};
  for (int level = 1; missing_ > 0;) {
    if (growLevel(level)) {
      ++level;
    } else if (level < numRanks_) {
      level = numRanks_; // no rank further up may take more children
    } else if (!findDetours()) {
      bool grows = false; // by exceeding the limit on children
      for (int excess = 1; excess < numRanks_ && !grows; ++excess)
        for (int tree = 0; tree < request_.copies && !grows; ++tree)
          grows = addEdge(tree, numRanks_, excess);
      if (!grows)
        return {};
    }
  }
  std::vector<Tree> trees;
  for (const RootedTree &tree : trees_)
    trees.push_back(treeOf(problem_, tree, request_.unit));
  return trees;
}

/// Returns the most children of a rank above the limit, the depth of the
/// deepest tree, and the sum of all depths.
std::tuple<int, int, int> scoreOf(const std::vector<Tree> &trees,
                                  int mostChildren, int numRanks) {
  int most = mostChildren, deepest = 0, sum = 0;
  for (const Tree &tree : trees) {
    std::vector<int> children(numRanks, 0);
    for (int parent : rootedTree(tree, numRanks).parents)
      if (parent >= 0)
        most = std::max(most, ++children[parent]);
    const int depth = tree.depth(numRanks);
    deepest = std::max(deepest, depth);
    sum += depth;
  }
  return {most - mostChildren, deepest, sum};
}

} // namespace

std::vector<Tree> blink::growTrees(const PackingProblem &problem,
                                   const PathTable &table,
                                   const std::vector<Islands> &islands,
                                   const GrowRequest &request, int variants) {
  const RankTopology &machine = *problem.rankTopology;
  const int numRanks = machine.numRanks();
  const std::vector<int> room = roomOf(problem, request.unit);
  const int least = leastDepth(problem, request, room);
  const std::tuple lowest(0, least, request.copies * least);
  std::vector<Tree> best;
  auto score = lowest; // the score of `best`
  auto isLowest = [&] { return !best.empty() && score <= lowest; };
  auto offer = [&](std::vector<Tree> trees) {
    if (trees.empty())
      return;
    lowerTrees(problem, table, trees, request.mostChildren);
    const auto now = scoreOf(trees, request.mostChildren, numRanks);
    if (!best.empty() && now >= score)
      return;
    score = now;
    best = std::move(trees);
  };
  auto growBetween = [&](const Islands &between) {
    for (int variant = 0; variant < variants && !isLowest(); ++variant)
      offer(growByIslands(problem, between, table, room, request,
                          static_cast<uint32_t>(variant)));
  };
  for (const Islands &between : islands) {
    if (!mayEnterOnce(problem, between, room, request.copies))
      continue;
    growBetween(between);
    // If the root cannot feed its own island alone, other islands have to feed
    // it, too, so its ranks are taken one by one.
    if (best.empty())
      growBetween(between.without(
          machine, between.ofNode[machine.nodeOf(problem.root)]));
    if (!best.empty())
      return best;
  }
  const bool exactly = islands.empty() || numRanks <= kMostExactly;
  // If ranks are too many for exact flows, islands are entered repeatedly.
  if (!exactly)
    for (const Islands &between : islands) {
      if (between.areOfSwitches)
        continue;
      offer(growByEntries(problem, between, table, room, request));
      if (!best.empty())
        return best;
    }
  if (!exactly && !request.isPatient)
    return best;
  for (int variant = 0; variant < variants && !isLowest(); ++variant)
    offer(Growth(problem, exactly ? Islands() : islands.back(), table, request,
                 static_cast<uint32_t>(variant))
              .run());
  return best;
}
