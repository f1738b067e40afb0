//===- Progress.cpp - can the lanes wait for each other in vain? ----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Orders the folds of the first chunk; where that fails, walks back along the
// waits until it meets itself.
//
//===----------------------------------------------------------------------===//

#include "compiler/verify/Progress.h"

#include "compiler/verify/TopologicalOrder.h"

#include <algorithm>

namespace blink::verify {

namespace {

/// What a fold waits for in the first round: a channel, or the lane (kNone).
struct Wait {
  uint32_t fold;
  uint32_t channel;
  uint32_t on; ///< the fold waited for
};

/// A wait of `fold` on one of the folds that never run; there is one. Channels
/// first: they make circles that are short to tell.
Wait stuckWait(const FoldGraph &graph, const std::vector<bool> &runs,
               uint32_t fold) {
  for (const sched::Operand &operand : graph.sources(fold))
    if (operand.kind() == sched::OperandKind::channel &&
        !runs[graph.writer(operand.index())])
      return {fold, operand.index(), graph.writer(operand.index())};
  return {fold, kNone, graph.previousInLane(fold)};
}

std::vector<Wait> findCircle(const FoldGraph &graph,
                             const std::vector<uint32_t> &order) {
  std::vector<bool> runs(graph.numFolds(), false);
  for (uint32_t fold : order)
    runs[fold] = true;
  uint32_t fold = static_cast<uint32_t>(
      std::find(runs.begin(), runs.end(), false) - runs.begin());

  std::vector<Wait> walk;
  std::vector<uint32_t> visited(graph.numFolds(), kNone); // position in walk
  while (visited[fold] == kNone) {
    visited[fold] = static_cast<uint32_t>(walk.size());
    walk.push_back(stuckWait(graph, runs, fold));
    fold = walk.back().on;
  }
  walk.erase(walk.begin(), walk.begin() + visited[fold]);
  return walk;
}

std::string describeCircle(const FoldGraph &graph, std::vector<Wait> circle) {
  // Start at a channel (lanes alone have no circles), so that the waits of one
  // lane are neighbours and can be told as one.
  std::rotate(
      circle.begin(),
      std::find_if(circle.begin(), circle.end(),
                   [](const Wait &wait) { return wait.channel != kNone; }),
      circle.end());
  constexpr size_t mostTold = 12;
  std::string text = graph.describe(circle.front().fold);
  size_t told = 0;
  for (size_t at = 0; at < circle.size(); ++at, ++told) {
    if (told == mostTold)
      return text + ", and so on, a circle of " +
             std::to_string(circle.size()) + " folds";
    text += told > 0 ? ", which" : "";
    if (circle[at].channel != kNone) {
      text += " waits for channel " + std::to_string(circle[at].channel) +
              " from " + graph.describe(circle[at].on);
      continue;
    }
    while (at + 1 < circle.size() && circle[at + 1].channel == kNone)
      ++at;
    text += " comes after step " +
            std::to_string(graph.fold(circle[at].on).position) + " of its lane";
  }
  return text + ": a circle";
}

} // namespace

Failure checkProgress(const FoldGraph &graph) {
  const std::vector<uint32_t> order =
      topologicalOrder(graph.numFolds(), [&](uint32_t fold, auto visit) {
        const uint32_t next = graph.nextInLane(fold);
        if (next != kNone)
          visit(next);
        for (const sched::Operand &operand : graph.destinations(fold))
          if (operand.kind() == sched::OperandKind::channel)
            visit(graph.reader(operand.index()));
      });
  if (order.size() == graph.numFolds())
    return std::nullopt;
  return "deadlock: " + describeCircle(graph, findCircle(graph, order));
}

} // namespace blink::verify
