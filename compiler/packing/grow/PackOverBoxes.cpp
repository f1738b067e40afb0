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
  CrossingOnce(const PackingProblem &problem, const Symmetry &symmetry)
      : problem_(problem), machine_(*problem.rankTopology), group_(symmetry),
        boxes_(equalBoxes(machine_)), boxOf_(size_t(machine_.numRanks())),
        paths_(symmetry,
               machine_.cheapestPaths(
                   std::vector<double>(machine_.topology().links.size(), 1.0),
                   symmetry.representatives())) {
    for (size_t box = 0; box < boxes_.size(); ++box)
      for (int rank : boxes_[box])
        boxOf_[size_t(rank)] = box;
    findMoving();
  }

  /// Returns a packing of an allreduce of `children` trees for each place.
  Packing packReductions(int children) const;
  /// Returns a packing of an allgather or reducescatter of one tree for each
  /// rank, over boxes by their digits in base `radix`.
  Packing packBlocks(int radix) const;

private:
  size_t boxAfter(const Symmetry::Generator &generator, int rank) const;
  void findMoving();
  std::shared_ptr<const Symmetry> subgroup(int images) const;
  Tree make(size_t place, const BoxTree &over) const;
  double rateOf(const Packing &packing) const;
  Packing pack(const BoxTree &over,
               std::shared_ptr<const Symmetry> symmetry) const;

  const PackingProblem &problem_;
  const RankTopology &machine_;
  const Symmetry &group_;
  const std::vector<std::vector<int>> boxes_;
  std::vector<size_t> boxOf_;
  SymmetricPaths paths_;
  /// The only generator that moves boxes; null if there is none.
  const Symmetry::Generator *moving_ = nullptr;
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

/// Returns the subgroup in which a box has `images` images; null if there is
/// none.
std::shared_ptr<const Symmetry> CrossingOnce::subgroup(int images) const {
  if (!moving_ || moving_->steps % images != 0)
    return nullptr;
  std::vector<Symmetry::Generator> generators = group_.generators();
  Symmetry::Generator &power =
      generators[size_t(moving_ - group_.generators().data())];
  power.steps = images;
  for (int times = moving_->steps / images; times > 1; --times)
    power.nodes = compose(moving_->nodes, power.nodes);
  llvm::Expected<Symmetry> created =
      Symmetry::create(machine_, std::move(generators));
  if (created)
    return std::make_shared<const Symmetry>(std::move(*created));
  llvm::consumeError(created.takeError());
  return nullptr;
}

/// Returns the tree over the ranks at `place`, and from these to the other
/// ranks of their boxes; without edges if a path is missing.
Tree CrossingOnce::make(size_t place, const BoxTree &over) const {
  Tree tree;
  tree.root = boxes_[over.boxes.front()][place];
  tree.weight = 1;
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
  for (size_t of : over.boxes) {
    const std::vector<int> &box = boxes_[of];
    for (size_t next = 1; next < box.size(); ++next)
      join(box[place], box[(place + next) % box.size()]);
  }
  std::reverse(tree.up.begin(), tree.up.end()); // children come first there
  return isWhole ? tree : Tree();
}

/// Returns the rate at which all trees, which have weights of 1, fill some
/// link.
double CrossingOnce::rateOf(const Packing &packing) const {
  const std::vector<Link> &links = machine_.topology().links;
  const std::vector<double> loads = problem_.linkLoads(packing);
  double weight = kInfinity;
  for (size_t link = 0; link < loads.size(); ++link)
    if (loads[link] > 0)
      weight = std::min(weight, links[link].bandwidth / loads[link]);
  return weight * packing.numTrees();
}

/// Returns the packing of the images of the trees over all places; empty if
/// there are none.
Packing CrossingOnce::pack(const BoxTree &over,
                           std::shared_ptr<const Symmetry> symmetry) const {
  Packing packing;
  for (size_t place = 0; place < boxes_.front().size(); ++place) {
    if (symmetry->elementTo(boxes_[over.boxes.front()][place]) != 0)
      continue; // an image of another place
    packing.trees.push_back(make(place, over));
    if (packing.trees.back().up.empty() && packing.trees.back().down.empty())
      return Packing();
  }
  packing.symmetry = std::move(symmetry);
  packing.algbw = rateOf(packing);
  for (Tree &tree : packing.trees)
    tree.weight = packing.algbw / packing.numTrees();
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
                                          int maxTrees) {
  // With more, lanes have too many messages at a time, or ranks many peers.
  constexpr int kMost = 8;
  std::vector<Packing> packings;
  if (!mayPackOverBoxes(problem) || problem.rankTopology->isLimited())
    return packings;
  const bool reductions = problem.collective == Collective::allreduce;
  const CrossingOnce trees(problem, symmetry);
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
