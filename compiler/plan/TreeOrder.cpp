//===- TreeOrder.cpp - which trees lanes serve first ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/TreeOrder.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <utility>

using namespace blink;

namespace {

using Channels = std::vector<const FoldProgram::Channel *>;

std::vector<Channels> channelsOfTrees(const FoldProgram &program) {
  std::vector<Channels> channels(program.trees.size());
  for (const FoldProgram::Channel &channel : program.channels)
    channels[channel.tree].push_back(&channel);
  return channels;
}

bool haveSameHops(const FoldProgram &program, const Channels &a,
                  const Channels &b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(),
      [&](const auto *x, const auto *y) {
        return x->source == y->source && x->destination == y->destination &&
               llvm::equal(program.pathOf(*x), program.pathOf(*y));
      });
}

} // namespace

static constexpr llvm::StringLiteral kNames[] = {"given", "copies", "roots"};

llvm::StringRef blink::nameOf(TreeOrder order) {
  return kNames[static_cast<int>(order)];
}

std::optional<TreeOrder> blink::parseTreeOrder(llvm::StringRef word) {
  for (TreeOrder order :
       {TreeOrder::asGiven, TreeOrder::copiesInTurn, TreeOrder::rootsInTurn})
    if (word == nameOf(order))
      return order;
  return std::nullopt;
}

std::vector<int> blink::placesOf(const FoldProgram &program, TreeOrder order) {
  std::vector<int> places(program.trees.size());
  const bool copies = order == TreeOrder::copiesInTurn;
  const std::vector<Channels> channels =
      copies ? channelsOfTrees(program) : std::vector<Channels>();
  auto isAlike = [&](size_t a, size_t b) {
    const FoldProgram::Tree &x = program.trees[a], &y = program.trees[b];
    return x.root == y.root && x.block == y.block &&
           (!copies || haveSameHops(program, channels[a], channels[b]));
  };
  // The middles of equal parts of [0, 1], as many as there are such trees.
  std::vector<std::pair<double, size_t>> turns;
  for (size_t begin = 0, end; begin < places.size(); begin = end) {
    for (end = begin + 1; end < places.size() && isAlike(begin, end);)
      ++end;
    for (size_t tree = begin; tree < end; ++tree)
      turns.emplace_back((double(tree - begin) + 0.5) / double(end - begin),
                         tree);
  }
  if (order != TreeOrder::asGiven)
    llvm::sort(turns);
  for (auto [place, turn] : llvm::enumerate(turns))
    places[turn.second] = int(place);
  return places;
}
