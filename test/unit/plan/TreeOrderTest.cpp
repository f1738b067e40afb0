//===- TreeOrderTest.cpp ----------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/TreeOrder.h"

#include "doctest/doctest.h"

using namespace blink;
using Places = std::vector<int>;

/// Adds a tree with one channel from `root` to each of `ranks`.
static void addStar(FoldProgram &program, int root, int block,
                    std::vector<int> ranks) {
  FoldProgram::Tree tree;
  tree.root = root;
  tree.block = block;
  program.trees.push_back(tree);
  for (const int rank : ranks)
    program.addChannel(int(program.trees.size()) - 1, root, rank,
                       sched::ChannelKind::peer, std::vector<int>{rank});
}

TEST_CASE("copies are in turn") {
  FoldProgram program;
  program.links.assign(4, {100, 0});
  for (int copy = 0; copy < 2; ++copy)
    addStar(program, 0, 0, {1, 2});
  for (int copy = 0; copy < 2; ++copy)
    addStar(program, 0, 0, {2, 3}); // the same root, but other hops
  CHECK(placesOf(program, TreeOrder::asGiven) == Places{0, 1, 2, 3});
  CHECK(placesOf(program, TreeOrder::copiesInTurn) == Places{0, 2, 1, 3});
  // All four have the same root.
  CHECK(placesOf(program, TreeOrder::rootsInTurn) == Places{0, 1, 2, 3});
}

TEST_CASE("roots and blocks are in turn") {
  FoldProgram program;
  program.links.assign(4, {100, 0});
  addStar(program, 0, 0, {1});
  addStar(program, 0, 0, {2});
  addStar(program, 1, 0, {2});
  addStar(program, 1, 0, {3});
  addStar(program, 1, 1, {2});
  addStar(program, 1, 1, {3});
  // No tree is a copy of another.
  CHECK(placesOf(program, TreeOrder::copiesInTurn) == Places{0, 1, 2, 3, 4, 5});
  CHECK(placesOf(program, TreeOrder::rootsInTurn) == Places{0, 3, 1, 4, 2, 5});
}

TEST_CASE("the turns of more copies are closer together") {
  FoldProgram program;
  program.links.assign(4, {100, 0});
  for (int copy = 0; copy < 4; ++copy)
    addStar(program, 0, 0, {1});
  for (int copy = 0; copy < 2; ++copy)
    addStar(program, 0, 0, {2});
  addStar(program, 0, 0, {3});
  // In turn after 1/8, 3/8, 5/8 and 7/8; 1/4 and 3/4; 1/2.
  CHECK(placesOf(program, TreeOrder::copiesInTurn) ==
        Places{0, 2, 4, 6, 1, 5, 3});
}

TEST_CASE("trees over other links are no copies") {
  FoldProgram program;
  program.links.assign(4, {100, 0});
  for (const int link : {0, 0, 1, 1}) {
    program.trees.emplace_back();
    program.addChannel(int(program.trees.size()) - 1, 0, 1,
                       sched::ChannelKind::peer, std::vector<int>{link});
  }
  CHECK(placesOf(program, TreeOrder::copiesInTurn) == Places{0, 2, 1, 3});
}

TEST_CASE("each order has a name") {
  for (const TreeOrder order :
       {TreeOrder::asGiven, TreeOrder::copiesInTurn, TreeOrder::rootsInTurn})
    CHECK(parseTreeOrder(nameOf(order)) == order);
  CHECK(!parseTreeOrder("in turn"));
}
