//===- TimeBound.cpp - an upper bound on a call's time --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/verify/Pace.h"
#include "compiler/verify/TopologicalOrder.h"

#include <algorithm>
#include <cmath>

namespace blink::verify {
namespace {

/// Simulates the first rounds of a call, one after the other.
class Clock {
public:
  explicit Clock(const TimedGraph &graph)
      : graph_(graph), numFolds_(graph.graph().numFolds()),
        numChannels_(graph.graph().variant().channels()->size()) {
    // The order of folds within a round; it has no circle, as checkProgress has
    // proved.
    std::vector<std::vector<uint32_t>> after(numFolds_);
    for (uint32_t fold = 0; fold < numFolds_; ++fold)
      graph.eachEdge(fold, [&](const TimedGraph::Edge &edge) {
        most_ = std::max(most_, edge.rounds);
        if (edge.rounds == 0)
          after[edge.on].push_back(fold);
        if (edge.data && graph.graph().window(edge.channel) > 0)
          most_ =
              std::max(most_, edge.rounds + 1); // sentAt() of the chunk before
      });
    order_ = topologicalOrder(numFolds_, [&](uint32_t fold, auto visit) {
      for (uint32_t next : after[fold])
        visit(next);
    });
  }

  /// Returns the most rounds that any fold looks back.
  int64_t most() const { return most_; }

  bool runs(uint32_t fold, int64_t round) const {
    const Fold &of = graph_.graph().fold(fold);
    const int64_t chunk = round - of.delay;
    return chunk >= 0 && uint64_t(chunk) < graph_.cut().chunks[of.tree];
  }
  /// Returns the time at which the fold begins in that round; if it does not
  /// run in the round, the time at which its lane could have begun it.
  double at(uint32_t fold, int64_t round) const {
    return times_[size_t(round) * numFolds_ + fold];
  }

  /// Returns the time at which the transfer ends of the chunk that the
  /// channel's writer writes in that round. For a channel with a window it is
  /// known only when the reader comes to the chunk.
  double sentAt(uint32_t channel, int64_t round) const {
    return sent_[size_t(round) * numChannels_ + channel];
  }

  void runRound() {
    const int64_t round = rounds_++;
    times_.resize(size_t(rounds_) * numFolds_, 0);
    sent_.resize(size_t(rounds_) * numChannels_, 0);
    for (uint32_t fold : order_) {
      double time = 0;
      const bool runsNow = runs(fold, round);
      graph_.eachEdge(fold, [&](const TimedGraph::Edge &edge) {
        const int64_t then = round - edge.rounds;
        if (then < 0)
          return;
        const bool ran = runs(edge.on, then);
        if (edge.channel == kNone)
          time = std::max(time, at(edge.on, then) +
                                    (ran ? graph_.weight(edge.on) : 0));
        else if (ran && runsNow)
          time = std::max(time, edge.data ? arrival(edge, fold, round)
                                          : at(edge.on, then) + edge.time);
      });
      times_[size_t(round) * numFolds_ + fold] = time;
      if (runsNow)
        send(fold, round, time);
    }
  }

private:
  /// Returns the arrival of the chunk that `reader` takes in `round`.
  double arrival(const TimedGraph::Edge &edge, uint32_t reader, int64_t round) {
    const int64_t then = round - edge.rounds;
    if (const int64_t window = graph_.graph().window(edge.channel)) {
      double known = 0; // when the writer learns that it may be sent
      if (round >= window && runs(reader, round - window))
        known = at(reader, round - window) + graph_.weight(reader) +
                graph_.latency(edge.channel);
      transfer(edge.channel, then, std::max(known, at(edge.on, then)));
    }
    return std::max(sentAt(edge.channel, then),
                    at(edge.on, then) + graph_.weight(edge.on)) +
           graph_.latency(edge.channel);
  }

  void send(uint32_t fold, int64_t round, double time) {
    for (const sched::Operand &to : graph_.graph().destinations(fold))
      if (to.kind() == sched::OperandKind::channel &&
          graph_.graph().window(to.index()) == 0)
        transfer(to.index(), round, time);
  }
  /// Adds a transfer to a channel, which transfers chunk after chunk.
  void transfer(uint32_t channel, int64_t round, double from) {
    const double before = round == 0 ? 0 : sentAt(channel, round - 1);
    sent_[size_t(round) * numChannels_ + channel] =
        std::max(from, before) + graph_.cut().round;
  }

  const TimedGraph &graph_;
  const uint32_t numFolds_, numChannels_;
  std::vector<uint32_t> order_;
  int64_t most_ = 0;
  int64_t rounds_ = 0;
  std::vector<double> times_; ///< by round and fold
  std::vector<double> sent_;  ///< by round and channel
};

/// Returns the round before which all rounds lie in which the fold runs.
double endOf(const TimedGraph &graph, uint32_t fold) {
  const Fold &of = graph.graph().fold(fold);
  return double(graph.cut().chunks[of.tree]) + of.delay;
}

/// Returns the latest end of the transfer of round 0 at the pace. For a channel
/// with a window this is the end that is just in time for the reader. The edges
/// of TimedGraph then imply that the next transfer is at most one interval
/// later: neither the writer, nor the previous transfer, nor the window makes
/// it come later.
double sentBy(const TimedGraph &timed, const Pace &pace, uint32_t channel) {
  const FoldGraph &graph = timed.graph();
  if (graph.window(channel) == 0)
    return pace.begins[graph.writer(channel)] + timed.cut().round;
  return pace.begins[graph.reader(channel)] +
         pace.interval * double(graph.lag(channel)) - timed.latency(channel);
}

} // namespace

double timeBound(const TimedGraph &graph, const Pace &pace,
                 int64_t clockRounds) {
  constexpr int64_t kTimes = 4 << 20; // rounds by folds
  const uint32_t numFolds = graph.graph().numFolds();
  if (pace.begins.size() != numFolds)
    return HUGE_VAL; // links without a rate have no pace
  double rounds = 0;
  for (uint32_t fold = 0; fold < numFolds; ++fold)
    rounds = std::max(rounds, endOf(graph, fold));
  Clock clock(graph);
  const int64_t wanted =
      std::min({clockRounds + clock.most(), kTimes / std::max(1u, numFolds),
                int64_t(std::min(rounds, 1e9))});
  for (int64_t round = 0; round < wanted; ++round)
    clock.runRound();

  // In the rounds that later rounds look back to, find out by how much
  // everything is earlier than pace.begins says. Later rounds are then at least
  // as early.
  double ahead = rounds > double(wanted) ? HUGE_VAL : 0;
  for (int64_t round = std::max<int64_t>(0, wanted - clock.most());
       round < wanted; ++round) {
    const double intervals = pace.interval * double(round);
    for (uint32_t fold = 0; fold < numFolds; ++fold)
      ahead = std::min(ahead,
                       pace.begins[fold] + intervals - clock.at(fold, round));
    for (uint32_t c = 0; c < graph.graph().variant().channels()->size(); ++c)
      ahead = std::min(ahead, sentBy(graph, pace, c) + intervals -
                                  clock.sentAt(c, round));
  }
  if (wanted == 0)
    ahead = 0;
  double end = 0;
  for (uint32_t fold = 0; fold < numFolds; ++fold) {
    const double last = endOf(graph, fold) - 1;
    if (graph.cut().chunks[graph.graph().fold(fold).tree] == 0)
      continue;
    const double begins =
        last < double(wanted)
            ? clock.at(fold, int64_t(last))
            : pace.begins[fold] + pace.interval * last - ahead;
    end = std::max(end, begins + graph.weight(fold));
  }
  return end;
}

} // namespace blink::verify
