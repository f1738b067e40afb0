//===- InPlace.cpp - is every input read before it is overwritten? --------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Collects the reads and writes of shared memory of each tree, and asks whether
// lanes and channels order them.
//
//===----------------------------------------------------------------------===//

#include "compiler/verify/InPlace.h"

#include "compiler/verify/TreeOrder.h"

#include <algorithm>

namespace blink::verify {

namespace {

bool hasKind(Slice<sched::Operand> operands, sched::OperandKind kind) {
  return std::any_of(
      operands.begin(), operands.end(),
      [&](const sched::Operand &operand) { return operand.kind() == kind; });
}

/// Returns true if a fold writes, in place, what is already there because it
/// copies the input. A premultiplied sum multiplies what it copies of an input.
bool changesNothing(const Semantics &semantics, const FoldGraph &graph,
                    uint32_t fold) {
  return !semantics.reduces() && graph.sources(fold).size() == 1 &&
         hasKind(graph.sources(fold), sched::OperandKind::input);
}

/// Returns the (read, write) pairs of one tree that must be ordered. A fold
/// that does both needs no order, since it reads an element before it writes
/// it. A tree's folds are sorted by rank. A rank's first write stands for all
/// its writes: checkResult has proved that the others come later.
std::vector<OrderedPair> sharedAccesses(const Semantics &semantics,
                                        const FoldGraph &graph, uint32_t tree) {
  const Slice<uint32_t> folds = graph.foldsOf(tree);
  std::vector<OrderedPair> pairs;
  std::vector<uint32_t> reads;
  for (size_t begin = 0, end = 0; begin < folds.size(); begin = end) {
    const uint32_t rank = graph.fold(folds[begin]).rank;
    reads.clear();
    uint32_t write = kNone;
    for (; end < folds.size() && graph.fold(folds[end]).rank == rank; ++end) {
      if (hasKind(graph.sources(folds[end]), sched::OperandKind::input))
        reads.push_back(folds[end]);
      if (write == kNone &&
          hasKind(graph.destinations(folds[end]), sched::OperandKind::output) &&
          !changesNothing(semantics, graph, folds[end]))
        write = folds[end];
    }
    if (write != kNone)
      for (uint32_t read : reads)
        if (read != write)
          pairs.push_back({read, write});
  }
  return pairs;
}

} // namespace

Failure checkInPlace(const Semantics &semantics, const FoldGraph &graph) {
  for (uint32_t tree = 0; tree < graph.numTrees(); ++tree) {
    const std::vector<OrderedPair> pairs =
        sharedAccesses(semantics, graph, tree);
    const size_t first = firstUnordered(graph, tree, pairs);
    if (first == pairs.size())
      continue;
    return "tree " + std::to_string(tree) + ": " +
           graph.describe(pairs[first].before) +
           " reads an input that, in place, " +
           graph.describe(pairs[first].after) +
           " may have overwritten already; expected the read to come first, by "
           "the order of a lane or through channels of the tree";
  }
  return std::nullopt;
}

} // namespace blink::verify
