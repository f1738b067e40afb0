//===- LowerTrees.cpp - lower trees of the same weights -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/grow/LowerTrees.h"

#include "compiler/packing/grow/RootedTree.h"
#include "compiler/support/Infinity.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

using namespace blink;

namespace {

constexpr int kMostSweeps = 32;
/// The factor by which a rank's cost grows with each hop.
constexpr double kHop = 3;
/// A step must gain more than this part of what it changes, so that rounding is
/// not mistaken for a gain.
constexpr double kGain = 1e-9;
/// Weights this close to each other are equal, and a link this little above its
/// bandwidth is not overloaded; relative.
constexpr double kSame = 1e-12;

/// The effect of a step, compared first by `forbidden`, then by `hops`.
struct Change {
  int forbidden = 0; ///< change in excess children
  double hops = 0;   ///< change in cost, see kHop
  double moved = 0;  ///< cost of the ranks that it moves

  bool isGain() const {
    return forbidden < 0 || (forbidden == 0 && hops < -kGain * moved);
  }
  Change &operator+=(const Change &other) {
    forbidden += other.forbidden;
    hops += other.hops;
    moved += other.moved;
    return *this;
  }
};

/// The links of a path at the parent's GPU and at the child's; -1 without a
/// path. No paths of other ranks use them.
struct Ends {
  int exit = -1, entry = -1;
};

class Lowering {
public:
  Lowering(const PackingProblem &problem, const PathTable &table,
           std::vector<Tree> &trees, int mostChildren);
  void run();

private:
  void measure(size_t tree);
  bool isBelow(size_t tree, int rank, int top) const;
  Change changeBy(size_t tree, int rank, int parent) const;
  void findPaths();
  void findOpen();
  bool isCrowded(size_t tree, int rank) const;
  bool isOpen(int link, double weight) const {
    const Link &of = problem_.rankTopology->topology().links[size_t(link)];
    return loads_[size_t(link)] + weight <= of.bandwidth * (1 + kSame);
  }
  Ends endsOf(const Path &path) const;
  bool mayHaveRoom(size_t tree, int rank, int parent, Ends now) const;
  bool mayGain(size_t tree, int rank, int parent) const;
  void hang(size_t tree, int rank, int parent);
  void addLoad(const Path &path, double weight);
  bool moveBelow(size_t tree, int rank, int parent);
  bool moveUp(size_t tree, int rank);
  bool swapEdges(size_t tree, size_t other, int rank);
  bool improve(int rank);

  const PackingProblem &problem_;
  const PathTable &table_;
  std::vector<Tree> &trees_;
  int mostChildren_;
  int numRanks_;
  std::vector<double> loads_;
  std::vector<RootedTree> rooted_;
  std::vector<std::vector<int>> depths_;    // per tree and rank
  std::vector<std::vector<double>> counts_; // cost of a rank and all below it
  std::vector<std::vector<int>> children_;
  std::vector<std::vector<int>> above_; // per rank: its possible parents
  std::vector<Ends> ends_;   // of the path from a parent: by rank and parent
  std::vector<int> exits_;   // per rank: its link to all its children; or -1
  std::vector<int> open_;    // ranks with room at their exit, ascending
  double leastWeight_;       // of the trees
  std::vector<double> hops_; // powers of kHop
  std::vector<int> order_, chain_; // scratch space of measure
};

Lowering::Lowering(const PackingProblem &problem, const PathTable &table,
                   std::vector<Tree> &trees, int mostChildren)
    : problem_(problem), table_(table), trees_(trees),
      mostChildren_(mostChildren), numRanks_(problem.rankTopology->numRanks()),
      loads_(problem.linkLoads({trees, 0})), depths_(trees.size()),
      counts_(trees.size()),
      children_(trees.size(), std::vector<int>(numRanks_, 0)),
      above_(numRanks_), ends_(size_t(numRanks_) * numRanks_),
      exits_(numRanks_, -1), leastWeight_(kInfinity), hops_(numRanks_ + 1, 1) {
  for (int hops = 1; hops <= numRanks_; ++hops)
    hops_[hops] = hops_[hops - 1] * kHop;
  for (size_t tree = 0; tree < trees.size(); ++tree) {
    rooted_.push_back(rootedTree(trees[tree], numRanks_));
    for (int parent : rooted_[tree].parents)
      if (parent >= 0)
        ++children_[tree][parent];
    measure(tree);
    leastWeight_ = std::min(leastWeight_, trees[tree].weight);
  }
  findPaths();
  findOpen();
}

Ends Lowering::endsOf(const Path &path) const {
  return hasUpTrees(problem_.collective) ? Ends{path.back(), path.front()}
                                         : Ends{path.front(), path.back()};
}

/// Finds which paths there are, and the exits that they share.
void Lowering::findPaths() {
  const bool up = hasUpTrees(problem_.collective);
  for (int parent = 0; parent < numRanks_; ++parent) {
    bool hasSeveral = false;
    for (int rank = 0; rank < numRanks_; ++rank)
      if (const Path &path = pathOf(table_, up, parent, rank); !path.empty()) {
        above_[rank].push_back(parent);
        const Ends ends = endsOf(path);
        ends_[size_t(rank) * numRanks_ + parent] = ends;
        const int exit = ends.exit;
        hasSeveral |= exits_[parent] >= 0 && exits_[parent] != exit;
        exits_[parent] = exit;
      }
    if (hasSeveral)
      exits_[parent] = -1;
  }
}

/// Finds the ranks that may get another child. Near the optimum, few exits have
/// room, so that few of all pairs of ranks need to be examined. An exit begins
/// (for reduce, ends) at its rank's GPU, and no other rank's path uses it.
void Lowering::findOpen() {
  const std::vector<Link> &links = problem_.rankTopology->topology().links;
  open_.clear();
  for (int rank = 0; rank < numRanks_; ++rank) {
    const int exit = exits_[rank];
    if (exit < 0 ||
        loads_[exit] + leastWeight_ <= links[exit].bandwidth * (1 + kSame))
      open_.push_back(rank);
  }
}

void Lowering::measure(size_t tree) {
  const std::vector<int> &parents = rooted_[tree].parents;
  std::vector<int> &depths = depths_[tree];
  std::vector<double> &counts = counts_[tree];
  depths.assign(numRanks_, -1);
  depths[problem_.root] = 0;
  order_.clear(); // parents before children
  for (int rank = 0; rank < numRanks_; ++rank) {
    chain_.clear();
    for (int at = rank; depths[at] < 0; at = parents[at])
      chain_.push_back(at);
    for (auto at = chain_.rbegin(); at != chain_.rend(); ++at) {
      depths[*at] = depths[parents[*at]] + 1;
      order_.push_back(*at);
    }
  }
  counts.resize(numRanks_);
  for (int rank = 0; rank < numRanks_; ++rank)
    counts[rank] = hops_[depths[rank]];
  for (auto rank = order_.rbegin(); rank != order_.rend(); ++rank)
    counts[parents[*rank]] += counts[*rank];
}

/// Returns true if `top` is on the path from `rank` to the root, or is `rank`
/// itself.
bool Lowering::isBelow(size_t tree, int rank, int top) const {
  const std::vector<int> &depths = depths_[tree];
  for (int hops = depths[rank] - depths[top]; hops > 0; --hops)
    rank = rooted_[tree].parents[rank];
  return rank == top;
}

/// Returns the effect of moving `rank` below `parent` in `tree`.
Change Lowering::changeBy(size_t tree, int rank, int parent) const {
  const int former = rooted_[tree].parents[rank];
  const int deeper = depths_[tree][parent] + 1 - depths_[tree][rank];
  const std::vector<int> &children = children_[tree];
  Change change;
  change.forbidden =
      (children[parent] >= mostChildren_) - (children[former] > mostChildren_);
  const double factor = deeper < 0 ? 1 / hops_[-deeper] : hops_[deeper];
  change.moved = counts_[tree][rank] * std::max(1.0, factor);
  change.hops = counts_[tree][rank] * (factor - 1);
  return change;
}

void Lowering::hang(size_t tree, int rank, int parent) {
  int &at = rooted_[tree].parents[rank];
  --children_[tree][at];
  ++children_[tree][parent];
  at = parent;
  measure(tree);
}

void Lowering::addLoad(const Path &path, double weight) {
  for (int link : path)
    loads_[link] += weight;
}

/// Returns true if the parent of `rank` has too many children.
bool Lowering::isCrowded(size_t tree, int rank) const {
  return children_[tree][rooted_[tree].parents[rank]] > mostChildren_;
}

/// Returns true if moving `rank` below `parent` might help: it would be nearer
/// to the root, or its former parent has too many children.
bool Lowering::mayGain(size_t tree, int rank, int parent) const {
  return parent != rooted_[tree].parents[rank] &&
         (depths_[tree][parent] + 1 < depths_[tree][rank] ||
          isCrowded(tree, rank));
}

/// Returns false if there is no path from `parent`, or a link at one of its
/// ends is full and not among those at the ends of the path that `rank` has
/// `now`. That rules out most parents without a look at their paths.
bool Lowering::mayHaveRoom(size_t tree, int rank, int parent, Ends now) const {
  const Ends ends = ends_[size_t(rank) * numRanks_ + parent];
  const double weight = trees_[tree].weight;
  return ends.exit >= 0 &&
         (ends.entry == now.entry || isOpen(ends.entry, weight)) &&
         (ends.exit == now.exit || isOpen(ends.exit, weight));
}

/// Moves `rank` below `parent` if that is a gain and links have room; returns
/// true if it did.
bool Lowering::moveBelow(size_t tree, int rank, int parent) {
  const std::vector<Link> &links = problem_.rankTopology->topology().links;
  const double weight = trees_[tree].weight;
  const Path &path =
      pathOf(table_, hasUpTrees(problem_.collective), parent, rank);
  if (path.empty() || !changeBy(tree, rank, parent).isGain() ||
      isBelow(tree, parent, rank))
    return false;
  Path &now = rooted_[tree].paths[rank];
  addLoad(now, -weight);
  addLoad(path, weight);
  if (std::any_of(path.begin(), path.end(), [&](int link) {
        return loads_[link] > links[link].bandwidth * (1 + kSame);
      })) {
    addLoad(path, -weight);
    addLoad(now, weight);
    return false;
  }
  now = path;
  hang(tree, rank, parent);
  findOpen();
  return true;
}

/// Lets two trees swap the edges by which they reach a rank, if that is a gain;
/// returns true if it did.
bool Lowering::swapEdges(size_t tree, size_t other, int rank) {
  const int parent = rooted_[tree].parents[rank];
  const int otherParent = rooted_[other].parents[rank];
  if (parent == otherParent ||
      std::abs(trees_[tree].weight - trees_[other].weight) >
          kSame * trees_[tree].weight)
    return false;
  Change change = changeBy(tree, rank, otherParent);
  change += changeBy(other, rank, parent);
  if (!change.isGain() || isBelow(tree, otherParent, rank) ||
      isBelow(other, parent, rank))
    return false;
  std::swap(rooted_[tree].paths[rank], rooted_[other].paths[rank]);
  hang(tree, rank, otherParent);
  hang(other, rank, parent);
  return true;
}

/// Tries all possible parents of a rank in order; returns true if it moved.
bool Lowering::moveUp(size_t tree, int rank) {
  const auto shorterList = [&]() -> const std::vector<int> & {
    return open_.size() < above_[rank].size() ? open_ : above_[rank];
  };
  bool moved = false;
  Ends now = endsOf(rooted_[tree].paths[rank]);
  const std::vector<int> *list = &shorterList();
  for (size_t at = 0; at < list->size(); ++at) {
    const int parent = (*list)[at];
    if (!mayGain(tree, rank, parent) || !mayHaveRoom(tree, rank, parent, now) ||
        !moveBelow(tree, rank, parent))
      continue;
    moved = true;
    now = endsOf(rooted_[tree].paths[rank]);
    list = &shorterList();
    at = size_t(llvm::upper_bound(*list, parent) - list->begin()) - 1;
  }
  return moved;
}

bool Lowering::improve(int rank) {
  bool changed = false;
  for (size_t tree = 0; tree < trees_.size(); ++tree) {
    if (depths_[tree][rank] > 1 || isCrowded(tree, rank))
      changed |= moveUp(tree, rank);
    for (size_t other = tree + 1; other < trees_.size(); ++other)
      changed |= swapEdges(tree, other, rank);
  }
  return changed;
}

void Lowering::run() {
  bool changed = true;
  for (int sweep = 0; sweep < kMostSweeps && changed; ++sweep) {
    changed = false;
    for (int rank = 0; rank < numRanks_; ++rank)
      if (rank != problem_.root)
        changed |= improve(rank);
  }
  for (size_t tree = 0; tree < trees_.size(); ++tree)
    trees_[tree] = treeOf(problem_, rooted_[tree], trees_[tree].weight);
}

} // namespace

void blink::lowerTrees(const PackingProblem &problem, const PathTable &table,
                       std::vector<Tree> &trees, int mostChildren) {
  Lowering(problem, table, trees, mostChildren).run();
}
