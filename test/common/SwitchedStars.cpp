//===- SwitchedStars.cpp - trees for which a switch works -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/common/SwitchedStars.h"

using namespace blink;
using namespace blink::test;

TestSchedule test::switchedStars(int numRanks, int treesPerRoot,
                                 const BuildOptions &options) {
  std::vector<TestTree> trees;
  for (int root = 0; root < numRanks; ++root)
    for (int i = 0; i < treesPerRoot; ++i) {
      TestTree tree;
      tree.root = uint16_t(root);
      tree.depth = 1;
      tree.denominator = uint32_t(numRanks * treesPerRoot);
      tree.parents.assign(size_t(numRanks), root);
      tree.parents[size_t(root)] = -1;
      trees.push_back(tree);
    }
  TestSchedule schedule =
      makeSchedule(Collective::allreduce, 0, numRanks, trees, options);
  leadOverSwitch(schedule);
  return schedule;
}

static bool isStar(const TestTree &tree) {
  for (int parent : tree.parents)
    if (parent >= 0 && parent != int(tree.root))
      return false;
  return true;
}

void test::leadOverSwitch(TestSchedule &schedule) {
  uint32_t numGpus = 0; // they have the first numbers
  for (sched::NodeKind kind : schedule.nodes)
    numGpus += kind == sched::NodeKind::gpu;
  const auto node = uint32_t(schedule.nodes.size());
  const auto first = uint32_t(schedule.links.size());
  schedule.nodes.push_back(sched::NodeKind::switch_);
  schedule.multicasts.insert(node);
  schedule.reduces.insert(node);
  for (uint32_t gpu = 0; gpu < numGpus; ++gpu) {
    schedule.links.push_back({1, 1, gpu, node});
    schedule.links.push_back({1, 1, node, gpu});
  }
  for (TestProgram &program : schedule.programs) {
    program.prices.resize(schedule.links.size(), 1);
    if (program.collective != Collective::allreduce)
      continue;
    const auto to = [&](uint32_t rank) {
      return first + 2 * program.allocation[rank];
    };
    for (TestVariant &variant : program.variants) {
      for (uint32_t t = 0; t < variant.trees.size(); ++t) {
        const TestTree &tree = variant.trees[t];
        if (!isStar(tree))
          continue;
        variant.switches.emplace_back(t, to(tree.root), to(tree.root) + 1, true,
                                      true);
        for (TestChannel &channel : variant.channels) {
          if (channel.tree != t)
            continue;
          channel.pathBegin = uint32_t(variant.paths.size());
          channel.pathCount = 2;
          variant.paths.push_back(to(channel.source));
          variant.paths.push_back(to(channel.destination) + 1);
        }
      }
    }
  }
}
