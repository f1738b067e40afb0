//===- MediumCandidates.cpp - trees that may suit medium messages ---------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/MediumCandidates.h"

#include "compiler/plan/SpreadTrees.h"

#include "llvm/ADT/STLExtras.h"

using namespace blink;

namespace {

/// Trees, and the number of equal parts of each.
struct TreesInParts {
  Packing packing;
  std::vector<unsigned> parts;

  unsigned most() const { return *llvm::max_element(parts); }
  /// Returns the trees, each in `times` / `divisor` as many parts.
  Packing inParts(unsigned times, unsigned divisor) const;
};

} // namespace

/// Returns true if the trees differ at most in their weights.
static bool haveOneShape(const Tree &tree, const Tree &other) {
  return tree.root == other.root && tree.up == other.up &&
         tree.down == other.down && tree.switchUse == other.switchUse;
}

/// Puts equal trees, which follow each other, together.
static TreesInParts togetherAgain(const Packing &packing) {
  TreesInParts whole{packing, {}};
  std::vector<Tree> &trees = whole.packing.trees;
  trees.clear();
  for (const Tree &tree : packing.trees)
    if (!trees.empty() && haveOneShape(trees.back(), tree)) {
      trees.back().weight += tree.weight;
      ++whole.parts.back();
    } else {
      trees.push_back(tree);
      whole.parts.push_back(1);
    }
  return whole;
}

Packing TreesInParts::inParts(unsigned times, unsigned divisor) const {
  std::vector<unsigned> numbers = parts;
  for (unsigned &number : numbers)
    number = (number * times + divisor - 1) / divisor;
  return splitPacking(packing, numbers);
}

std::vector<Packing> blink::mediumCandidates(const Packing &large,
                                             const std::vector<Packing> &others,
                                             bool leaves) {
  const unsigned mostParts = leaves ? 8 : 4;
  // Between servers, lower trees may also be the better ones if they are more.
  const size_t mostOthers = large.trees.size() * (leaves ? 3 : 2) / 2;
  std::vector<Packing> candidates;
  auto add = [&](Packing packing, size_t most) {
    if (packing.trees.size() < most)
      candidates.push_back(std::move(packing));
  };
  const TreesInParts whole = togetherAgain(large);
  // Half of many parts are hardly faster than all of them.
  constexpr unsigned kMany = 8;
  for (unsigned divisor = whole.most() < kMany ? 2 : 4;
       divisor < 2 * whole.most(); divisor *= 2)
    add(whole.inParts(1, divisor), large.trees.size());
  for (const Packing &packing : others) {
    const TreesInParts other = togetherAgain(packing);
    if (!llvm::equal(other.packing.trees, whole.packing.trees, haveOneShape))
      for (unsigned parts = 1; parts <= mostParts; parts *= 2)
        add(other.inParts(parts, other.most()), mostOthers);
  }
  llvm::stable_sort(candidates, [](const Packing &a, const Packing &b) {
    return a.trees.size() < b.trees.size();
  });
  return candidates;
}
