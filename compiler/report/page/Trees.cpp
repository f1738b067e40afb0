//===- Trees.cpp - the trees of a schedule, to be drawn -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/report/page/Trees.h"

#include "schedules/Collectives.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace blink;

/// Limits: pages with more would have many megabytes, and nobody steps through
/// so many trees.
static constexpr size_t kMostTrees = 256;
static constexpr size_t kMostHops = 20000;

/// Returns for each channel whether it carries a result: whether a fold that
/// completes, or one that passes a result on, writes it.
static std::vector<bool> carriesResult(const FoldProgram &program) {
  struct Reader {
    const FoldProgram::Rank *rank = nullptr;
    const FoldProgram::Fold *fold = nullptr;
  };
  std::vector<Reader> readers(program.channels.size());
  std::vector<bool> result(program.channels.size());
  std::vector<int> open;
  auto mark = [&](const Reader &reader) {
    for (const FoldProgram::Operand &to :
         reader.rank->destinationsOf(*reader.fold))
      if (to.isChannel() && !result[size_t(to.index)]) {
        result[size_t(to.index)] = true;
        open.push_back(to.index);
      }
  };
  for (const FoldProgram::Rank &rank : program.ranks)
    for (const FoldProgram::Fold &fold : rank.folds) {
      for (const FoldProgram::Operand &from : rank.sourcesOf(fold))
        if (from.isChannel())
          readers[size_t(from.index)] = {&rank, &fold};
      if (fold.completes)
        mark({&rank, &fold});
    }
  while (!open.empty()) {
    const Reader reader = readers[size_t(open.back())];
    open.pop_back();
    if (reader.fold)
      mark(reader);
  }
  return result;
}

std::vector<PageHop> blink::pageHops(const FoldProgram &program) {
  const std::vector<bool> result =
      sched::isReduction(program.collective)
          ? carriesResult(program)
          : std::vector<bool>(program.channels.size(), true);
  std::vector<PageHop> hops;
  for (size_t i = 0; i < program.channels.size(); ++i) {
    const FoldProgram::Channel &channel = program.channels[i];
    const llvm::ArrayRef<uint32_t> path = program.pathOf(channel);
    hops.push_back({channel.source,
                    channel.destination,
                    !result[i],
                    {path.begin(), path.end()}});
  }
  return hops;
}

PageForest blink::forestOf(const FoldProgram &program) {
  std::vector<PageTree> all;
  for (const FoldProgram::Tree &tree : program.trees)
    all.push_back(
        {tree.root, tree.block, tree.depth, tree.share, {int(all.size())}, {}});
  std::vector<PageHop> hops = pageHops(program);
  for (size_t i = 0; i < hops.size(); ++i)
    all[size_t(program.channels[i].tree)].hops.push_back(std::move(hops[i]));
  PageForest forest;
  for (PageTree &tree : all) {
    // splitTrees makes copies of a tree, and they follow each other.
    PageTree *last = forest.trees.empty() ? nullptr : &forest.trees.back();
    if (last && last->root == tree.root && last->block == tree.block &&
        last->hops == tree.hops) {
      last->copies.push_back(tree.copies.front());
      last->share += tree.share;
    } else {
      forest.trees.push_back(std::move(tree));
    }
  }
  llvm::stable_sort(forest.trees, [](const PageTree &a, const PageTree &b) {
    return a.share > b.share;
  });
  size_t kept = 0;
  for (size_t hops = 0; kept < std::min(forest.trees.size(), kMostTrees);
       ++kept) {
    hops += forest.trees[kept].hops.size();
    if (hops > kMostHops)
      break;
  }
  forest.omitted = forest.trees.size() - kept;
  forest.trees.resize(kept);
  return forest;
}
