//===- ColumnPool.cpp - the trees a solver has met --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/lp/ColumnPool.h"

#include <algorithm>
#include <tuple>

using namespace blink;

std::vector<int> blink::contentKey(const Tree &tree) {
  const SwitchUse &use = tree.switchUse;
  std::vector<int> key{tree.root, use.toSwitch, use.reduces, use.multicasts};
  for (const auto *edges : {&tree.up, &tree.down}) {
    // The order of siblings does not distinguish trees.
    std::vector<const TreeEdge *> sorted;
    for (const TreeEdge &edge : *edges)
      sorted.push_back(&edge);
    std::sort(sorted.begin(), sorted.end(),
              [](const TreeEdge *a, const TreeEdge *b) {
                return std::tie(a->from, a->to) < std::tie(b->from, b->to);
              });
    key.push_back(static_cast<int>(sorted.size()));
    for (const TreeEdge *edge : sorted) {
      key.push_back(edge->from);
      key.push_back(edge->to);
      key.push_back(static_cast<int>(edge->path.size()));
      key.insert(key.end(), edge->path.begin(), edge->path.end());
    }
  }
  return key;
}

bool ColumnPool::add(Tree tree) {
  if (!keys_.insert(contentKey(tree)).second)
    return false;
  uses_.push_back(problem_->uses(tree));
  depths_.push_back(tree.depth(problem_->problem().rankTopology->numRanks()));
  trees_.push_back(std::move(tree));
  return true;
}
