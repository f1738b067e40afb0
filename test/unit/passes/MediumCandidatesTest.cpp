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
  CHECK(countsOf(mediumCandidates(packingOf(1, 1), {})) == Counts());
  CHECK(countsOf(mediumCandidates(packingOf(2, 1), {})) == Counts{2});
  CHECK(countsOf(mediumCandidates(packingOf(4, 3), {})) == Counts{2, 4});
  CHECK(countsOf(mediumCandidates(packingOf(5, 5), {})) == Counts{2, 4, 6});
}

TEST_CASE("half of many parts do not compete") {
  CHECK(countsOf(mediumCandidates(packingOf(8, 8), {})) == Counts{2, 4});
  CHECK(countsOf(mediumCandidates(packingOf(16, 8), {})) == Counts{2, 3, 6});
}

TEST_CASE("other trees compete in up to four parts, but not more of them") {
  Packing other = packingOf(1, 1);
  other.trees[0].down[0].path = {7};
  CHECK(countsOf(mediumCandidates(packingOf(1, 1), other)) == Counts());
  CHECK(countsOf(mediumCandidates(packingOf(2, 2), other)) == Counts{2, 2});
  CHECK(countsOf(mediumCandidates(packingOf(4, 4), other)) ==
        Counts{2, 2, 4, 4});
  CHECK(countsOf(mediumCandidates(packingOf(6, 5), other)) ==
        Counts{2, 2, 4, 4, 6, 8});
  // The same trees, whatever their parts.
  CHECK(countsOf(mediumCandidates(packingOf(4, 4), packingOf(1, 2))) ==
        Counts{2, 4});
}
