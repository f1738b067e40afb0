//===- SymmetricLanes.cpp - ranks that are alike do the same --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/SymmetricLanes.h"

#include "schedules/SymmetricImages.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <tuple>

using namespace blink;

namespace {

/// Tells which folds are images of which.
class FoldImages {
public:
  FoldImages(const FoldProgram &program, const Symmetry &symmetry);

  /// Sets the representative of whose folds images() finds the images.
  void startOrbit(int rank);
  /// Returns the indices on `rank`, an image of the representative, of the
  /// images of its folds; empty if some fold has none.
  std::vector<size_t> images(int rank) const;

private:
  struct Trees {
    int block, root; ///< of all of these trees
    int first;       ///< index in the program, where they are adjacent
    auto key() const { return std::tie(block, root); }
  };

  /// Returns the image of `tree` under `element`; -1: none.
  int imageOfTree(int element, int tree) const;
  bool isImage(int element, const FoldProgram::Rank &ownRank,
               const FoldProgram::Fold &own, const FoldProgram::Rank &imageRank,
               const FoldProgram::Fold &image) const;

  const FoldProgram &program_;
  const Symmetry &symmetry_;
  const sched::BlockImages<Symmetry> blocks_;
  std::vector<Trees> trees_; ///< sorted
  int representative_ = -1;
  std::vector<int> firstFolds_; ///< the first fold of each tree there; -1: none
};

} // namespace

FoldImages::FoldImages(const FoldProgram &program, const Symmetry &symmetry)
    : program_(program), symmetry_(symmetry),
      blocks_(symmetry, program.collective, program.numRanks) {
  for (const FoldProgram::Tree &tree : program.trees)
    if (trees_.empty() || trees_.back().block != tree.block ||
        trees_.back().root != tree.root)
      trees_.push_back(
          {tree.block, tree.root, int(&tree - program.trees.data())});
  llvm::stable_sort(
      trees_, [](const Trees &a, const Trees &b) { return a.key() < b.key(); });
}

void FoldImages::startOrbit(int rank) {
  representative_ = rank;
  firstFolds_.assign(program_.trees.size(), -1);
  const std::vector<FoldProgram::Fold> &folds = program_.ranks[rank].folds;
  for (size_t i = folds.size(); i-- > 0;)
    firstFolds_[folds[i].tree] = int(i);
}

int FoldImages::imageOfTree(int element, int tree) const {
  const auto find = [&](int block, int root) {
    return std::lower_bound(
        trees_.begin(), trees_.end(), Trees{block, root, 0},
        [](const Trees &a, const Trees &b) { return a.key() < b.key(); });
  };
  const FoldProgram::Tree &own = program_.trees[tree];
  const int place = tree - find(own.block, own.root)->first;
  const int block = int(blocks_.ofTree(element, own.block));
  const int root = symmetry_.mapRank(element, own.root);
  const auto images = find(block, root);
  if (images == trees_.end() || images->block != block || images->root != root)
    return -1;
  const int image = images->first + place;
  if (place < 0 || image >= int(program_.trees.size()))
    return -1;
  const FoldProgram::Tree &other = program_.trees[image];
  const bool same = other.block == block && other.root == root &&
                    other.numerator == own.numerator &&
                    other.denominator == own.denominator;
  return same ? image : -1;
}

bool FoldImages::isImage(int element, const FoldProgram::Rank &ownRank,
                         const FoldProgram::Fold &own,
                         const FoldProgram::Rank &imageRank,
                         const FoldProgram::Fold &image) const {
  if (own.sources != image.sources || own.destinations != image.destinations ||
      own.completes != image.completes || own.delay != image.delay)
    return false;
  for (uint32_t i = 0; i < own.sources + own.destinations; ++i) {
    const FoldProgram::Operand &from = ownRank.operands[own.operands + i];
    const FoldProgram::Operand &to = imageRank.operands[image.operands + i];
    if (from.kind != to.kind)
      return false;
    if (!from.isChannel())
      continue;
    const FoldProgram::Channel &a = program_.channels[from.index];
    const FoldProgram::Channel &b = program_.channels[to.index];
    if (symmetry_.mapRank(element, a.source) != b.source ||
        symmetry_.mapRank(element, a.destination) != b.destination)
      return false;
  }
  return true;
}

std::vector<size_t> FoldImages::images(int rank) const {
  const int element = symmetry_.elementTo(rank);
  const int back = symmetry_.inverse(element);
  const FoldProgram::Rank &own = program_.ranks[representative_];
  const FoldProgram::Rank &other = program_.ranks[rank];
  std::vector<size_t> images(own.folds.size(), own.folds.size());
  if (own.folds.size() != other.folds.size())
    return {};
  size_t ofTree = 0; // folds of the same tree before
  for (size_t i = 0; i < other.folds.size(); ++i) {
    const FoldProgram::Fold &fold = other.folds[i];
    ofTree = i > 0 && other.folds[i - 1].tree == fold.tree ? ofTree + 1 : 0;
    const int tree = imageOfTree(back, fold.tree);
    if (tree < 0 || firstFolds_[tree] < 0)
      return {};
    const size_t place = size_t(firstFolds_[tree]) + ofTree;
    if (place >= own.folds.size() || own.folds[place].tree != tree ||
        images[place] != own.folds.size() ||
        !isImage(element, own, own.folds[place], other, fold))
      return {};
    images[place] = i;
  }
  return images;
}

bool blink::shareLanes(FoldProgram &program, const Symmetry &symmetry) {
  using Lanes = std::vector<std::vector<size_t>>;
  if (symmetry.order() == 1 || int(program.ranks.size()) != program.numRanks)
    return false; // relays are in no orbit
  FoldImages folds(program, symmetry);
  std::vector<Lanes> lanes(program.ranks.size());
  for (int representative : symmetry.representatives()) {
    folds.startOrbit(representative);
    const FoldProgram::Rank &own = program.ranks[representative];
    for (int element = 1; element < symmetry.order(); ++element) {
      const int rank = symmetry.mapRank(element, representative);
      const std::vector<size_t> images = folds.images(rank);
      if (images.size() != own.folds.size())
        return false;
      lanes[rank] = own.lanes;
      for (std::vector<size_t> &lane : lanes[rank])
        for (size_t &fold : lane)
          fold = images[fold];
    }
  }
  for (int rank = 0; rank < program.numRanks; ++rank)
    if (symmetry.elementTo(rank) != 0)
      program.ranks[rank].lanes = std::move(lanes[rank]);
  return true;
}
