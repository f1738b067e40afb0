//===- MediumCandidatesTest.cpp ---------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/MediumCandidates.h"

#include "doctest/doctest.h"
#include "llvm/ADT/STLExtras.h"

#include <vector>

using namespace blink;

namespace {

/// Adds `parts` equal trees over two ranks that weigh `weight` together.
void addParts(Packing &packing, int root, unsigned parts, double weight) {
  Tree tree;
  tree.root = root;
  tree.down = {{root, 1 - root, {root}}};
  tree.weight = weight / parts;
  packing.trees.insert(packing.trees.end(), parts, tree);
}

Packing packingOf(unsigned first, unsigned second) {
  Packing packing;
  addParts(packing, 0, first, 3);
  addParts(packing, 1, second, 2);
  return packing;
}

using Counts = std::vector<size_t>;

/// Returns the number of trees of each packing. What each root's trees carry
/// must be the same in all of them.
Counts countsOf(const std::vector<Packing> &packings) {
  Counts counts;
  for (const Packing &packing : packings) {
    counts.push_back(packing.trees.size());
    for (int root : {0, 1}) {
      double weight = 0;
      for (const Tree &tree : packing.trees)
        weight += tree.root == root ? tree.weight : 0;
      CHECK(weight == doctest::Approx(root == 0 ? 3 : 2));
    }
  }
  return counts;
}

} // namespace

TEST_CASE("parts of trees are halved until trees are whole") {
  CHECK(countsOf(mediumCandidates(packingOf(1, 1), {}, false)) == Counts());
  CHECK(countsOf(mediumCandidates(packingOf(2, 1), {}, false)) == Counts{2});
  CHECK(countsOf(mediumCandidates(packingOf(4, 3), {}, false)) == Counts{2, 4});
  CHECK(countsOf(mediumCandidates(packingOf(5, 5), {}, false)) ==
        Counts{2, 4, 6});
}

TEST_CASE("half of many parts do not compete") {
  CHECK(countsOf(mediumCandidates(packingOf(8, 8), {}, false)) == Counts{2, 4});
  CHECK(countsOf(mediumCandidates(packingOf(16, 8), {}, false)) ==
        Counts{2, 3, 6});
}

TEST_CASE("other trees compete in up to four parts, but not more of them") {
  Packing other = packingOf(1, 1);
  other.trees[0].down[0].path = {7};
  CHECK(countsOf(mediumCandidates(packingOf(1, 1), {other}, false)) ==
        Counts());
  CHECK(countsOf(mediumCandidates(packingOf(2, 2), {other}, false)) ==
        Counts{2, 2});
  CHECK(countsOf(mediumCandidates(packingOf(4, 4), {other}, false)) ==
        Counts{2, 2, 4, 4});
  CHECK(countsOf(mediumCandidates(packingOf(6, 5), {other}, false)) ==
        Counts{2, 2, 4, 4, 6, 8});
  // The same trees, whatever their parts.
  CHECK(countsOf(mediumCandidates(packingOf(4, 4), {packingOf(1, 2)}, false)) ==
        Counts{2, 4});
}

TEST_CASE("between servers, other trees compete in more parts and numbers") {
  Packing other = packingOf(1, 1), third = other;
  other.trees[0].down[0].path = {7};
  third.trees[0].down[0].path = {8};
  CHECK(countsOf(mediumCandidates(packingOf(6, 6), {other}, true)) ==
        Counts{2, 2, 4, 4, 6, 8, 16});
  CHECK(countsOf(mediumCandidates(packingOf(2, 1), {other, third}, true)) ==
        Counts{2, 2, 2});
}
