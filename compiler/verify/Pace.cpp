//===- Pace.cpp - how fast lanes that keep their order are ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/verify/Pace.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace blink::verify {

namespace {

class Circles {
public:
  explicit Circles(const TimedGraph &graph)
      : graph_(graph), numFolds_(graph.graph().numFolds()),
        round_(graph.cut().round), interval_(round_), times_(numFolds_, 0),
        edges_(numFolds_) {}

  Pace slowest() {
    Pace pace;
    // A path without circles has no more than all folds.
    for (uint64_t pass = 0; pass <= numFolds_ && !isStuck_ && relax(); ++pass)
      if (lengthen(pace.circle))
        pass = 0;
    if (isStuck_)
      interval_ = HUGE_VAL;
    pace.quotient = interval_ > 0 ? round_ / interval_ : 1;
    pace.interval = interval_;
    pace.begins = std::move(times_);
    return pace;
  }

private:
  using Edge = TimedGraph::Edge;

  /// Moves folds to later times if the folds that they wait for demand it at
  /// the present interval. Returns false if none moved.
  bool relax() {
    const double least = 1e-9 * interval_;
    bool any = false;
    for (uint32_t fold = 0; fold < numFolds_; ++fold)
      graph_.eachEdge(fold, [&](const Edge &edge) {
        const double time =
            times_[edge.on] + edge.time - interval_ * double(edge.rounds);
        if (time <= times_[fold] + least)
          return;
        times_[fold] = time;
        edges_[fold] = edge;
        any = true;
      });
    return any;
  }

  /// Looks for circles among the waits that last moved folds, and sets the
  /// interval to that of the longest circle if this is longer. Returns false if
  /// none is.
  bool lengthen(std::vector<uint32_t> &circle) {
    bool any = false;
    std::vector<uint32_t> seenFrom(numFolds_, kNone);
    for (uint32_t start = 0; start < numFolds_; ++start) {
      uint32_t fold = start;
      while (fold != kNone && seenFrom[fold] == kNone) {
        seenFrom[fold] = start;
        fold = edges_[fold].on;
      }
      if (fold == kNone || seenFrom[fold] != start)
        continue; // no circle, or one that is known
      std::vector<uint32_t> found;
      double time = 0;
      int64_t rounds = 0;
      uint32_t at = fold;
      do {
        found.push_back(at);
        time += edges_[at].time;
        rounds += edges_[at].rounds;
        at = edges_[at].on;
      } while (at != fold);
      if (rounds <= 0) { // each waits for what the next one does later
        isStuck_ = true;
        circle.assign(found.rbegin(), found.rend());
        return false;
      }
      if (time > interval_ * (1 + 1e-12) * double(rounds)) {
        interval_ = time / double(rounds);
        circle.assign(found.rbegin(), found.rend());
        any = true;
      }
    }
    return any;
  }

  const TimedGraph &graph_;
  const uint32_t numFolds_;
  const double round_;   ///< T
  double interval_;      ///< of the slowest circle so far, or T
  bool isStuck_ = false; ///< there is a deadlock
  /// The time of each fold in round 0, valid once no fold moves any more.
  std::vector<double> times_;
  std::vector<Edge> edges_; ///< the edge that set its time; by fold
};

} // namespace

Pace paceOf(const TimedGraph &graph) {
  if (graph.graph().numFolds() == 0 || !(graph.cut().round < HUGE_VAL))
    return {};
  return Circles(graph).slowest();
}

std::string describePace(const FoldGraph &graph, const Pace &pace) {
  constexpr size_t kMost = 8;
  const size_t size = pace.circle.size();
  std::string text;
  for (size_t i = 0; i < std::min(size, kMost); ++i)
    text += graph.describe(pace.circle[i]) + " -> ";
  if (size > kMost)
    text += std::to_string(size - kMost) + " more -> ";
  return text + graph.describe(pace.circle.front());
}

} // namespace blink::verify
