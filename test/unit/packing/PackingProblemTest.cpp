//===- PackingProblemTest.cpp -----------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What check() and verify() accept, and that they find every damage.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/PackTrees.h"
#include "test/unit/topology/TestTopology.h"

#include <algorithm>
#include <functional>

using namespace blink;
using namespace blink::test;

namespace {

bool has(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("verify catches each kind of damage to an optimal packing") {
  // Over NVLink, trees have two levels, so that order matters.
  RankTopology rankTopology = rankTopologyOf(shippedTopology("dgx1"), {},
                                             valueOf(parseLinkKinds("nvlink")));
  PackingProblem problem{&rankTopology, Collective::allreduce, 0};
  const Packing good = valueOf(packTrees(problem)).packing;
  REQUIRE(!problem.verify(good));

  auto damaged = [&](std::function<void(Packing &)> damage) {
    Packing packing = good;
    damage(packing);
    return textOf(problem.verify(packing));
  };
  CHECK(has(damaged([](Packing &p) { p.trees[1].up.pop_back(); }),
            "tree 1: no up edge leaves rank"));
  CHECK(has(damaged([](Packing &p) { p.trees[2].down.pop_back(); }),
            "tree 2: no down edge reaches rank"));
  CHECK(has(damaged([](Packing &p) {
              std::swap(p.trees[0].down.front(), p.trees[0].down.back());
            }),
            "has nothing yet"));
  CHECK(has(damaged([](Packing &p) {
              std::reverse(p.trees[0].up.begin(), p.trees[0].up.end());
            }),
            "sent too early"));
  CHECK(has(damaged([](Packing &p) {
              p.trees[0].down.push_back(p.trees[0].down.back());
            }),
            "received before"));
  CHECK(has(damaged([](Packing &p) {
              p.trees[0].up.push_back(p.trees[0].up.back());
            }),
            "has sent before"));
  CHECK(has(
      damaged([](Packing &p) { p.trees[0].root = (p.trees[0].root + 1) % 8; }),
      "tree 0: up edge"));
  CHECK(has(damaged([](Packing &p) { p.trees[0].root = 8; }),
            "root 8 is not a rank"));
  CHECK(has(damaged([](Packing &p) { p.trees[0].up[0].from = -1; }),
            "joins no ranks"));
  CHECK(has(damaged([](Packing &p) {
              p.trees[0].up[0].path = p.trees[0].up[1].path;
            }),
            "tree 0: edge"));
  CHECK(has(damaged([](Packing &p) { p.trees[0].up[0].path.clear(); }),
            "tree 0: edge"));
  CHECK(has(damaged([](Packing &p) { p.trees[0].weight = 0; }),
            "weight 0 is not positive"));
  CHECK(has(damaged([](Packing &p) { p.trees[0].weight = -1; }),
            "is not positive"));
  CHECK(has(damaged([](Packing &p) {
              for (Tree &tree : p.trees)
                tree.weight *= 1.00001;
              p.algbw *= 1.00001;
            }),
            "exceeds its bandwidth"));
  CHECK(has(damaged([](Packing &p) { p.algbw *= 1.00001; }), "stated are"));
  CHECK(has(damaged([](Packing &p) { p.trees.clear(); }), "stated are"));
}

TEST_CASE("verify knows each collective's trees") {
  RankTopology rankTopology = rankTopologyOf(shippedTopology("a100-nv4"));
  auto pack = [&](Collective collective) {
    return valueOf(packTrees({&rankTopology, collective, 0})).packing;
  };
  auto judge = [&](Collective collective, const Packing &packing,
                   int root = 0) {
    return textOf(
        PackingProblem{&rankTopology, collective, root}.verify(packing));
  };
  CHECK(has(judge(Collective::broadcast, pack(Collective::reduce)),
            "up edges in a broadcast"));
  CHECK(has(judge(Collective::reduce, pack(Collective::broadcast)),
            "down edges in a reduce"));
  CHECK(has(judge(Collective::broadcast, pack(Collective::broadcast), 1),
            "root is 0, expected 1"));
  // The same weight per root as for a single root: the others have too little.
  CHECK(has(judge(Collective::allgather, pack(Collective::broadcast)),
            "trees of block"));
  Packing uneven = pack(Collective::allgather);
  uneven.trees.front().weight *= 0.5;
  CHECK(has(judge(Collective::allgather, uneven), "trees of block 0"));
}

TEST_CASE("linkLoads counts every use") {
  RankTopology rankTopology = rankTopologyOf(shippedTopology("dgx2"));
  PackingProblem problem{&rankTopology, Collective::allgather, 0};
  Packing packing = valueOf(packTrees(problem)).packing;
  // 16 stars of weight 10 over one switch: 15 messages out of and into a GPU.
  for (double load : problem.linkLoads(packing))
    CHECK(load == doctest::Approx(150));
}

TEST_CASE("check names the root, or the parts that are apart") {
  Topology topology = shippedTopology("dgx1");
  LinkKindSet nvlink = valueOf(parseLinkKinds("nvlink"));
  RankTopology whole = rankTopologyOf(topology);
  CHECK(has(textOf(PackingProblem{&whole, Collective::reduce, 8}.check()),
            "root 8 is not a rank of the allocation: expected 0 to 7"));
  CHECK(has(textOf(PackingProblem{&whole, Collective::reduce, -1}.check()),
            "root -1"));
  // The root of an allreduce is ignored.
  CHECK(!PackingProblem{&whole, Collective::allreduce, 99}.check());

  RankTopology apart = rankTopologyOf(topology, {0, 1, 6, 7}, nvlink);
  std::string text =
      textOf(PackingProblem{&apart, Collective::allreduce, 0}.check());
  CHECK(has(text, "GPUs 0,1 and GPUs 6,7"));
  CHECK(has(text, "nvlink"));
  text = textOf(PackingProblem{&apart, Collective::broadcast, 3}.check());
  CHECK(has(text, "7 cannot reach GPUs 0,1"));
  CHECK(has(textOf(packTrees({&apart, Collective::allgather, 0}).takeError()),
            "GPUs 0,1 and GPUs 6,7"));
}

TEST_CASE("a one-way machine broadcasts and reduces one way only") {
  RankTopology rankTopology = rankTopologyOf(makeTopology(
      R"({"id":"a","kind":"gpu"},{"id":"b","kind":"gpu"},{"id":"c","kind":"gpu"})",
      R"({"from":"a","to":"b","bandwidth":8,"directed":true},
         {"from":"a","to":"c","bandwidth":3,"directed":true},
         {"from":"b","to":"c","bandwidth":3,"directed":true})"));
  CHECK(valueOf(boundRate({&rankTopology, Collective::broadcast, 0})).bound ==
        doctest::Approx(6));
  CHECK(valueOf(boundRate({&rankTopology, Collective::reduce, 2})).bound ==
        doctest::Approx(3)); // the links out of b
  CHECK(has(
      textOf(PackingProblem{&rankTopology, Collective::broadcast, 1}.check()),
      "cannot reach"));
  CHECK(has(
      textOf(PackingProblem{&rankTopology, Collective::allreduce, 0}.check()),
      "no allreduce is possible"));
}

TEST_CASE("depth counts hops of either part") {
  Tree tree;
  tree.root = 2;
  CHECK(tree.depth(3) == 0);
  tree.down = {{2, 0, {}}, {0, 1, {}}};
  CHECK(tree.depth(3) == 2);
  tree.down = {{2, 0, {}}, {2, 1, {}}};
  CHECK(tree.depth(3) == 1);
  tree.up = {{1, 0, {}}, {0, 2, {}}};
  CHECK(tree.depth(3) == 2);
}
