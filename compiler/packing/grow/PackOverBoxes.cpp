//===- PackOverBoxes.cpp - trees that cross to each box once --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/grow/PackOverBoxes.h"

#include "compiler/packing/Boxes.h"
#include "compiler/support/Infinity.h"
#include "compiler/topology/symmetry/SymmetricPaths.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace blink;

namespace {

/// A tree over boxes: `boxes` lists parents before children, and the parent of
/// boxes[i] is boxes[parents[i]]. The first box has no parent.
struct BoxTree {
  std::vector<size_t> boxes;
  std::vector<size_t> parents;
};

/// Builds packings for one machine.
class CrossingOnce {
public:
  /// `ofBox` as in packOverBoxes.
  CrossingOnce(const PackingProblem &problem, const Symmetry &symmetry,
               const Packing *ofBox)
      : problem_(problem), machine_(*problem.rankTopology), group_(symmetry),
        ofBox_(ofBox), boxes_(equalBoxes(machine_)),
        boxOf_(size_t(machine_.numRanks())),
        paths_(symmetry,
               machine_.cheapestPaths(
                   std::vector<double>(machine_.topology().links.size(), 1.0),
                   symmetry.representatives())) {
    for (size_t box = 0; box < boxes_.size(); ++box)
      for (int rank : boxes_[box])
        boxOf_[size_t(rank)] = box;
    findMoving();
    findTreesOfPlaces();
  }

  /// Returns a packing of an allreduce of `children` trees for each place, or
  /// for each tree of its box.
  Packing packReductions(int children) const;
  /// Returns a packing of an allgather or reducescatter of one tree for each
  /// rank, over boxes by their digits in base `radix`.
  Packing packBlocks(int radix) const;

private:
  /// How the first box's ranks are reached from one of them.
  struct PlaceTree {
    size_t place;
    double weight;
    /// Null if they are reached directly; in ranks of the first box.
    const Tree *tree;
  };

  size_t boxAfter(const Symmetry::Generator &generator, int rank) const;
  void findMoving();
  void findTreesOfPlaces();
  bool joinOver(const Tree &ofBox, size_t box, Tree &tree) const;
  std::shared_ptr<const Symmetry> subgroup(int images) const;
  Tree make(const PlaceTree &of, const BoxTree &over) const;
  double roomOf(const Packing &packing) const;
  Packing pack(const BoxTree &over,
               std::shared_ptr<const Symmetry> symmetry) const;

  const PackingProblem &problem_;
  const RankTopology &machine_;
  const Symmetry &group_;
  const Packing *const ofBox_;
  const std::vector<std::vector<int>> boxes_;
  std::vector<size_t> boxOf_;
  SymmetricPaths paths_;
  /// The only generator that moves boxes; null if there is none.
  const Symmetry::Generator *moving_ = nullptr;
  std::vector<PlaceTree> treesOfPlaces_;
  /// With a packing of a box: the link back of each link, -1 if there is none.
  std::vector<int> linksBack_;
};

} // namespace

/// Returns the box to which the generator takes a rank.
size_t CrossingOnce::boxAfter(const Symmetry::Generator &generator,
                              int rank) const {
  const int node = generator.nodes[size_t(machine_.nodeOf(rank))];
  for (const std::vector<int> &box : boxes_)
    for (int other : box)
      if (machine_.nodeOf(other) == node)
        return boxOf_[size_t(other)];
  return boxes_.size();
}

void CrossingOnce::findMoving() {
  for (const Symmetry::Generator &generator : group_.generators()) {
    const int rank = boxes_.front().front();
    // Automorphisms take boxes to boxes. One that keeps the first box keeps
    // its images, too, since the group is abelian.
    if (boxAfter(generator, rank) == boxOf_[size_t(rank)])
      continue;
    if (moving_) {
      moving_ = nullptr;
      return;
    }
    moving_ = &generator;
  }
}

void CrossingOnce::findTreesOfPlaces() {
  const std::vector<int> &box = boxes_.front();
  if (!ofBox_) {
    for (size_t place = 0; place < box.size(); ++place)
      treesOfPlaces_.push_back({place, 1, nullptr});
    return;
  }
  for (const Tree &tree : ofBox_->trees)
    treesOfPlaces_.push_back(
        {size_t(llvm::find(box, tree.root) - box.begin()), tree.weight, &tree});
  const std::vector<Link> &links = machine_.topology().links;
  const auto indices = machine_.topology().linkIndices();
  for (const Link &link : links) {
    auto back = indices.find({link.to, link.from, link.kind});
    linksBack_.push_back(back == indices.end() ? -1 : back->second);
  }
}

/// Returns the subgroup in which a box has `images` images; null if there is
/// none. With a packing of a box, which has no symmetry, ranks of a box are no
/// images of each other.
std::shared_ptr<const Symmetry> CrossingOnce::subgroup(int images) const {
  if (!moving_ || moving_->steps % images != 0)
    return nullptr;
  Symmetry::Generator power = *moving_;
  power.steps = images;
  for (int times = moving_->steps / images; times > 1; --times)
    power.nodes = compose(moving_->nodes, power.nodes);
  std::vector<Symmetry::Generator> generators;
  for (const Symmetry::Generator &generator : group_.generators())
    if (&generator == moving_)
      generators.push_back(power);
    else if (!ofBox_)
      generators.push_back(generator);
  llvm::Expected<Symmetry> created =
      Symmetry::create(machine_, std::move(generators));
  if (created)
    return std::make_shared<const Symmetry>(std::move(*created));
  llvm::consumeError(created.takeError());
  return nullptr;
}

/// Adds to `tree` the edges of a tree of the first box, moved to another box.
/// Returns false if no symmetry moves each rank to the one at its place, or a
/// way back is missing.
bool CrossingOnce::joinOver(const Tree &ofBox, size_t box, Tree &tree) const {
  const std::vector<int> &first = boxes_.front(), &other = boxes_[box];
  // One symmetry at most takes a rank to another.
  const int from = group_.inverse(group_.elementTo(first.front()));
  const int to = group_.elementTo(other.front());
  auto moved = [&](int rank) {
    return group_.mapRank(to, group_.mapRank(from, rank));
  };
  for (size_t place = 0; place < first.size(); ++place)
    if (moved(first[place]) != other[place])
      return false;
  for (const TreeEdge &edge : ofBox.down) {
    const Path path = group_.mapPath(to, group_.mapPath(from, edge.path));
    const int parent = moved(edge.from), child = moved(edge.to);
    if (hasDownTrees(problem_.collective))
      tree.down.push_back({parent, child, path});
    if (!hasUpTrees(problem_.collective))
      continue;
    Path back;
    for (int link : llvm::reverse(path))
      back.push_back(linksBack_[size_t(link)]);
    if (llvm::is_contained(back, -1))
      return false;
    tree.up.push_back({child, parent, std::move(back)});
  }
  return true;
}

/// Returns the tree over the ranks at a place, and from these to the other
/// ranks of their boxes; without edges if a path is missing.
Tree CrossingOnce::make(const PlaceTree &of, const BoxTree &over) const {
  const size_t place = of.place;
  Tree tree;
  tree.root = boxes_[over.boxes.front()][place];
  tree.weight = of.weight;
  bool isWhole = true;
  auto join = [&](int parent, int child) {
    if (hasUpTrees(problem_.collective)) {
      tree.up.push_back({child, parent, paths_.path(child, parent)});
      isWhole &= !tree.up.back().path.empty();
    }
    if (hasDownTrees(problem_.collective)) {
      tree.down.push_back({parent, child, paths_.path(parent, child)});
      isWhole &= !tree.down.back().path.empty();
    }
  };
  for (size_t next = 1; next < over.boxes.size(); ++next)
    join(boxes_[over.boxes[over.parents[next]]][place],
         boxes_[over.boxes[next]][place]);
  for (size_t other : over.boxes) {
    const std::vector<int> &box = boxes_[other];
    if (of.tree)
      isWhole &= joinOver(*of.tree, other, tree);
    else
      for (size_t next = 1; next < box.size(); ++next)
        join(box[place], box[(place + next) % box.size()]);
  }
  std::reverse(tree.up.begin(), tree.up.end()); // children come first there
  return isWhole ? tree : Tree();
}

/// Returns the factor by which weights must grow to fill some link.
double CrossingOnce::roomOf(const Packing &packing) const {
  const std::vector<Link> &links = machine_.topology().links;
  const std::vector<double> loads = problem_.linkLoads(packing);
  double room = kInfinity;
  for (size_t link = 0; link < loads.size(); ++link)
    if (loads[link] > 0)
      room = std::min(room, links[link].bandwidth / loads[link]);
  return room;
}

/// Returns the packing of the images of the trees over all places; empty if
/// there are none.
Packing CrossingOnce::pack(const BoxTree &over,
                           std::shared_ptr<const Symmetry> symmetry) const {
  Packing packing;
  const std::vector<int> &roots = boxes_[over.boxes.front()];
  for (const PlaceTree &of : treesOfPlaces_) {
    if (symmetry->elementTo(roots[of.place]) != 0)
      continue; // an image of another place
    packing.trees.push_back(make(of, over));
    if (packing.trees.back().up.empty() && packing.trees.back().down.empty())
      return Packing();
  }
  const int images = symmetry->order();
  packing.symmetry = std::move(symmetry);
  const double room = roomOf(packing);
  for (Tree &tree : packing.trees) {
    tree.weight *= room;
    packing.algbw += tree.weight * images;
  }
  return packing;
}

Packing CrossingOnce::packReductions(int children) const {
  std::shared_ptr<const Symmetry> symmetry = subgroup(children);
  if (!symmetry)
    return Packing();
  // Boxes with children come first: one of each orbit.
  BoxTree over;
  std::vector<bool> isKnown(boxes_.size(), false);
  auto add = [&](size_t box) {
    if (isKnown[box])
      return;
    isKnown[box] = true;
    const size_t next = over.boxes.size();
    over.parents.push_back(next == 0 ? 0 : (next - 1) / size_t(children));
    over.boxes.push_back(box);
  };
  for (int rank : symmetry->representatives())
    add(boxOf_[size_t(rank)]);
  if (over.boxes.size() * size_t(children) != boxes_.size())
    return Packing();
  for (size_t box = 0; box < boxes_.size(); ++box)
    add(box);
  return pack(over, std::move(symmetry));
}

Packing CrossingOnce::packBlocks(int radix) const {
  std::shared_ptr<const Symmetry> symmetry = subgroup(int(boxes_.size()));
  if (!symmetry)
    return Packing();
  BoxTree over;
  std::vector<bool> isKnown(boxes_.size(), false);
  size_t box = boxOf_[size_t(symmetry->representatives().front())];
  for (size_t next = 0; next < boxes_.size() && !isKnown[box]; ++next) {
    isKnown[box] = true;
    over.boxes.push_back(box);
    size_t digit = 1; // the value of the lowest digit that is not 0
    while (next > 0 && next / digit % size_t(radix) == 0)
      digit *= size_t(radix);
    over.parents.push_back(next - next / digit % size_t(radix) * digit);
    box = boxAfter(*moving_, boxes_[box].front());
  }
  if (over.boxes.size() != boxes_.size())
    return Packing(); // not one circle
  return pack(over, std::move(symmetry));
}

bool blink::mayPackOverBoxes(const PackingProblem &problem) {
  // An allreduce's trees have few images, and proofs of the bound take longer
  // the more ranks are no images of others.
  constexpr int kMostReducing = 2048;
  const Collective collective = problem.collective;
  const int numRanks = problem.rankTopology->numRanks();
  return (collective == Collective::allreduce
              ? numRanks <= kMostReducing
              : collective == Collective::allgather ||
                    collective == Collective::reducescatter) &&
         numRanks <= RankTopology::kMostPaired && !problem.association &&
         problem.switches.empty() && !equalBoxes(*problem.rankTopology).empty();
}

std::vector<Packing> blink::packOverBoxes(const PackingProblem &problem,
                                          const Symmetry &symmetry,
                                          int maxTrees, const Packing *ofBox) {
  // With more, lanes have too many messages at a time, or ranks many peers.
  constexpr int kMost = 8;
  std::vector<Packing> packings;
  if (!mayPackOverBoxes(problem) || problem.rankTopology->isLimited())
    return packings;
  const bool reductions = problem.collective == Collective::allreduce;
  const CrossingOnce trees(problem, symmetry, ofBox);
  for (int k = 2; k <= kMost; k = reductions ? k + 1 : 2 * k) {
    Packing packing =
        reductions ? trees.packReductions(k) : trees.packBlocks(k);
    if (packing.trees.empty() ||
        (maxTrees > 0 && packing.numTrees() > maxTrees))
      continue;
    if (llvm::Error error = problem.verify(packing))
      llvm::consumeError(std::move(error));
    else
      packings.push_back(std::move(packing));
  }
  return packings;
}
