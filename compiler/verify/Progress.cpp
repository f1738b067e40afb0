//===- Progress.cpp - can lanes wait for each other forever? --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Orders the folds of the first chunk. If that fails, walks back along the
// waits until a fold is met again.
//
//===----------------------------------------------------------------------===//

#include "compiler/verify/Progress.h"

#include "compiler/verify/TopologicalOrder.h"

#include <algorithm>

namespace blink::verify {

namespace {

/// A wait of a fold in its round: on a channel, or on its lane (kNone).
struct Wait {
  uint32_t fold;
  uint32_t channel;
  uint32_t on; ///< the fold waited for
};

/// Returns the fold at the other end of an operand's channel if it takes the
/// chunk, or has to free the slot, in the same round; kNone otherwise.
uint32_t waitedFor(const FoldGraph &graph, const sched::Operand &operand,
                   bool isSource) {
  if (operand.kind() != sched::OperandKind::channel)
    return kNone;
  const uint32_t channel = operand.index();
  if (isSource)
    return graph.lag(channel) == 0 ? graph.writer(channel) : kNone;
  return graph.room(channel) == 0 ? graph.reader(channel) : kNone;
}

/// Returns a wait of `fold` on one of the folds that never run; there is one.
/// Waits on channels are preferred because they make shorter circles to
/// describe.
Wait stuckWait(const FoldGraph &graph, const std::vector<bool> &runs,
               uint32_t fold) {
  for (bool isSource : {true, false})
    for (const sched::Operand &operand :
         isSource ? graph.sources(fold) : graph.destinations(fold)) {
      const uint32_t on = waitedFor(graph, operand, isSource);
      if (on != kNone && !runs[on])
        return {fold, operand.index(), on};
    }
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
  // Start at a channel (lanes alone have no circles), so that the waits within
  // one lane are adjacent and can be described as one.
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
      text += circle[at].on == graph.writer(circle[at].channel)
                  ? " waits for channel "
                  : " waits for a slot of channel ";
      text += std::to_string(circle[at].channel) + " from " +
              graph.describe(circle[at].on);
      continue;
    }
    while (at + 1 < circle.size() && circle[at + 1].channel == kNone)
      ++at;
    text += " comes after step " +
            std::to_string(graph.fold(circle[at].on).position) + " of its lane";
  }
  return text + ": a circle";
}

std::string rounds(int64_t number) {
  return std::to_string(number) + (number == 1 ? " round" : " rounds");
}

/// Fails if the delays at the ends of some channel do not fit.
Failure checkLags(const FoldGraph &graph) {
  const auto &channels = *graph.variant().channels();
  for (uint32_t channel = 0; channel < channels.size(); ++channel) {
    const int64_t lag = graph.lag(channel);
    if (lag >= 0 && graph.room(channel) >= 0)
      continue;
    const std::string takes = "channel " + std::to_string(channel) + ": " +
                              graph.describe(graph.reader(channel)) +
                              " takes a chunk ";
    const std::string written =
        graph.describe(graph.writer(channel)) + " has written it";
    if (lag < 0)
      return takes + rounds(-lag) + " before " + written +
             "; expected a delay that is no less";
    return takes + rounds(lag) + " after " + written + ", and " +
           std::to_string(channels.Get(channel)->slots()) +
           " slots hold no more; expected a delay of at most as many more";
  }
  return std::nullopt;
}

} // namespace

Failure checkProgress(const FoldGraph &graph) {
  if (Failure problem = checkLags(graph))
    return problem;
  const std::vector<uint32_t> order =
      topologicalOrder(graph.numFolds(), [&](uint32_t fold, auto visit) {
        const uint32_t next = graph.nextInLane(fold);
        if (next != kNone)
          visit(next);
        for (const sched::Operand &operand : graph.destinations(fold))
          if (operand.kind() == sched::OperandKind::channel &&
              graph.lag(operand.index()) == 0)
            visit(graph.reader(operand.index()));
        for (const sched::Operand &operand : graph.sources(fold))
          if (operand.kind() == sched::OperandKind::channel &&
              graph.room(operand.index()) == 0)
            visit(graph.writer(operand.index()));
      });
  if (order.size() == graph.numFolds())
    return std::nullopt;
  return "deadlock: " + describeCircle(graph, findCircle(graph, order));
}

} // namespace blink::verify
