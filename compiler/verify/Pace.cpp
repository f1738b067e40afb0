//===- Pace.cpp - how fast lanes that keep their order go -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/verify/Pace.h"

#include <algorithm>
#include <cmath>

namespace blink::verify {

namespace {

/// A fold waits for what another one did so many rounds before.
struct Edge {
  uint32_t on = kNone;
  int64_t rounds = 0;
  double time = 0; ///< microseconds from that one's fold to this one's
};

/// The microseconds of a round in which the links are busy all the time.
double roundOf(const Semantics &semantics, const sched::Variant &variant,
               double algbw) {
  double largest = 0; // of the shares of a block
  for (const sched::Tree *tree : *variant.trees())
    largest =
        std::max(largest, double(tree->numerator()) / tree->denominator());
  return variant.chunk_bytes() * semantics.numBlocks() / largest /
         (algbw * 1e3);
}

class Circles {
public:
  Circles(const TopologyView &machine, const FoldGraph &graph, double round)
      : graph_(graph), round_(round), interval_(round),
        times_(graph.numFolds(), 0), edges_(graph.numFolds()),
        lastInLane_(graph.numFolds(), kNone) {
    const sched::Variant &variant = graph.variant();
    for (const sched::Channel *channel : *variant.channels()) {
      double latency = 0;
      for (uint32_t hop = 0; hop < channel->path_count(); ++hop)
        latency +=
            machine.link(variant.paths()->Get(channel->path_begin() + hop))
                .latency();
      latencies_.push_back(latency);
    }
    uint32_t first = 0;
    for (uint32_t fold = 0; fold < graph.numFolds(); ++fold)
      if (graph.nextInLane(fold) == kNone) {
        lastInLane_[first] = fold;
        first = fold + 1;
      }
  }

  Pace slowest() {
    Pace pace;
    // A path without circles is no longer than all folds.
    for (uint64_t pass = 0; pass <= graph_.numFolds() && relax(); ++pass)
      if (lengthen(pace.circle))
        pass = 0;
    pace.quotient = round_ / interval_;
    return pace;
  }

private:
  template <typename Visit> void eachEdge(uint32_t fold, Visit visit) const {
    const uint32_t before = graph_.previousInLane(fold);
    visit(before == kNone ? Edge{lastInLane_[fold], 1, 0} : Edge{before, 0, 0});
    for (const sched::Operand &from : graph_.sources(fold))
      if (from.kind() == sched::OperandKind::channel)
        visit(Edge{graph_.writer(from.index()), graph_.lag(from.index()),
                   round_ + latencies_[from.index()]});
    for (const sched::Operand &to : graph_.destinations(fold))
      if (to.kind() == sched::OperandKind::channel)
        visit(Edge{graph_.reader(to.index()), graph_.room(to.index()),
                   latencies_[to.index()]});
  }

  /// Moves folds to later times where those that they wait for ask for it, at
  /// the interval. False if none did.
  bool relax() {
    const double least = 1e-9 * round_;
    bool any = false;
    for (uint32_t fold = 0; fold < graph_.numFolds(); ++fold)
      eachEdge(fold, [&](const Edge &edge) {
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

  /// Looks for circles among the waits that moved folds last, and makes the
  /// interval that of the longest one, if that is longer.
  bool lengthen(std::vector<uint32_t> &circle) {
    bool any = false;
    std::vector<uint32_t> seenFrom(graph_.numFolds(), kNone);
    for (uint32_t start = 0; start < graph_.numFolds(); ++start) {
      uint32_t fold = start;
      while (fold != kNone && seenFrom[fold] == kNone) {
        seenFrom[fold] = start;
        fold = edges_[fold].on;
      }
      if (fold == kNone || seenFrom[fold] != start)
        continue; // or one that is known
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
      if (time > interval_ * (1 + 1e-12) * double(rounds)) {
        interval_ = time / double(rounds);
        circle.assign(found.rbegin(), found.rend());
        any = true;
      }
    }
    return any;
  }

  const FoldGraph &graph_;
  const double round_; ///< T
  double interval_;    ///< that of the slowest circle so far, or T
  /// Of each fold in round 0, once nothing moves any more.
  std::vector<double> times_;
  std::vector<Edge> edges_;          ///< those that set the times; by fold
  std::vector<uint32_t> lastInLane_; ///< by first fold of a lane
  std::vector<double> latencies_;    ///< microseconds; by channel
};

} // namespace

Pace paceOf(const TopologyView &machine, const Semantics &semantics,
            const FoldGraph &graph, double algbw) {
  if (std::isinf(algbw))
    return {};
  return Circles(machine, graph, roundOf(semantics, graph.variant(), algbw))
      .slowest();
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
