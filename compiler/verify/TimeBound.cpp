//===- TimeBound.cpp - an upper bound on a call's time --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/verify/Pace.h"
#include "compiler/verify/TopologicalOrder.h"
#include "schedules/ChunkSize.h"

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
    for (const sched::Channel *channel : *graph.graph().variant().channels()) {
      firstWaves_.push_back(numWaves_);
      numWaves_ += graph.cut().waves[channel->tree()];
    }
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

  /// Returns the rounds for which there is time and memory.
  int64_t affordable() const {
    constexpr int64_t kFolds = 4 << 20, kWaves = 16 << 20; // times rounds
    return std::min(kFolds / std::max<int64_t>(1, numFolds_),
                    kWaves / std::max<int64_t>(1, int64_t(numWaves_)));
  }

  bool runs(uint32_t fold, int64_t round) const {
    const Fold &of = graph_.graph().fold(fold);
    const int64_t chunk = round - of.delay;
    return chunk >= 0 && uint64_t(chunk) < graph_.cut().chunks[of.tree];
  }
  /// Returns the time at which the fold begins in that round; if it does not
  /// run in the round, the time at which its lane could have begun it.
  double at(uint32_t fold, int64_t round) const {
    return begins_[size_t(round) * numFolds_ + fold];
  }
  /// Returns the time from which the fold no longer occupies its lane.
  double end(uint32_t fold, int64_t round) const {
    return ends_[size_t(round) * numFolds_ + fold];
  }

  /// Returns the time at which the transfer ends of the chunk that the
  /// channel's writer writes in that round. For a channel with a window it is
  /// known only when the reader comes to the chunk.
  double sentAt(uint32_t channel, int64_t round) const {
    return sent_[size_t(round) * numChannels_ + channel];
  }

  /// Runs the first `rounds` rounds.
  void run(int64_t rounds) {
    begins_.resize(size_t(rounds) * numFolds_, 0);
    ends_.resize(size_t(rounds) * numFolds_, 0);
    sent_.resize(size_t(rounds) * numChannels_, 0);
    arrivals_.resize(size_t(rounds) * numWaves_, 0);
    for (int64_t round = 0; round < rounds; ++round)
      runRound(round);
  }

private:
  void runRound(int64_t round) {
    for (uint32_t fold : order_) {
      const bool runsNow = runs(fold, round);
      waves_.assign(runsNow ? wavesOf(fold) : 1, 0);
      graph_.eachEdge(fold, [&](const TimedGraph::Edge &edge) {
        const int64_t then = round - edge.rounds;
        if (then < 0)
          return;
        double &first = waves_.front();
        if (edge.channel == kNone)
          first = std::max(first, end(edge.on, then));
        else if (!runsNow || !runs(edge.on, then))
          return;
        else if (!edge.data)
          first = std::max(first, end(edge.on, then) + edge.time -
                                      graph_.weight(edge.on));
        else
          receive(edge, fold, round);
      });
      const size_t place = size_t(round) * numFolds_ + fold;
      begins_[place] = ends_[place] = waves_.front();
      if (runsNow)
        runFold(fold, round);
    }
  }
  uint32_t wavesOf(uint32_t fold) const {
    return graph_.cut().waves[graph_.graph().fold(fold).tree];
  }
  /// Returns the part of a chunk that a wave of the fold's chunk moves.
  double partOf(uint32_t fold, size_t wave) const {
    const uint32_t waves = wavesOf(fold);
    const double part =
        waves == 1
            ? 1
            : sched::kWaveBytes /
                  graph_.cut().chunkBytes[graph_.graph().fold(fold).tree];
    return wave + 1 < waves ? part : 1 - part * double(waves - 1);
  }
  /// Returns the time that a wave takes of the fold's lane.
  double weightOf(uint32_t fold, size_t wave) const {
    const double step = graph_.step();
    return (wave == 0 ? step : 0) +
           (graph_.weight(fold) - step) * partOf(fold, wave);
  }

  /// Makes the waves of `reader` in `round` begin no earlier than they arrive
  /// over a channel.
  void receive(const TimedGraph::Edge &edge, uint32_t reader, int64_t round) {
    const int64_t then = round - edge.rounds;
    if (const int64_t window = graph_.graph().window(edge.channel)) {
      double known = 0; // when the writer learns that it may be sent
      if (round >= window && runs(reader, round - window))
        known = end(reader, round - window) + graph_.latency(edge.channel);
      transfer(edge.channel, then, 0, {edge.on, at(edge.on, then)}, known);
    }
    for (size_t wave = 0; wave < waves_.size(); ++wave)
      waves_[wave] =
          std::max(waves_[wave], arrivals_[placeOf(edge.channel, then) + wave]);
  }

  /// Runs the waves of a fold, which have arrived at waves_, one after the
  /// other.
  void runFold(uint32_t fold, int64_t round) {
    double now = 0;
    for (size_t wave = 0; wave < waves_.size(); ++wave) {
      now = std::max(now, waves_[wave]);
      for (const sched::Operand &to : graph_.graph().destinations(fold))
        if (to.kind() == sched::OperandKind::channel &&
            graph_.graph().window(to.index()) == 0)
          transfer(to.index(), round, wave, {fold, now});
      now += weightOf(fold, wave);
    }
    ends_[size_t(round) * numFolds_ + fold] = now;
  }

  /// A fold that writes a wave, and when it began with it.
  struct Writer {
    uint32_t fold;
    double begins;
  };
  /// Adds a transfer to a channel, which transfers wave after wave, this one
  /// not before `from`.
  void transfer(uint32_t channel, int64_t round, size_t wave, Writer writer,
                double from = 0) {
    double &sent = sent_[size_t(round) * numChannels_ + channel];
    if (wave == 0)
      sent = round == 0 ? 0 : sentAt(channel, round - 1);
    sent = std::max({from, writer.begins, sent}) +
           graph_.cut().round * partOf(writer.fold, wave);
    const double written = writer.begins + weightOf(writer.fold, wave);
    arrivals_[placeOf(channel, round) + wave] =
        std::max(sent, written) + graph_.latency(channel);
  }
  size_t placeOf(uint32_t channel, int64_t round) const {
    return size_t(round) * numWaves_ + firstWaves_[channel];
  }

  const TimedGraph &graph_;
  const uint32_t numFolds_, numChannels_;
  std::vector<size_t> firstWaves_; ///< by channel
  size_t numWaves_ = 0;            ///< of the chunks of all channels
  std::vector<uint32_t> order_;
  int64_t most_ = 0;
  std::vector<double> begins_, ends_; ///< by round and fold
  std::vector<double> sent_;          ///< by round and channel
  std::vector<double> arrivals_;      ///< by round, channel and wave
  std::vector<double> waves_;         ///< when those of a fold can begin
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
  const uint32_t numFolds = graph.graph().numFolds();
  if (pace.begins.size() != numFolds)
    return HUGE_VAL; // links without a rate have no pace
  double rounds = 0;
  for (uint32_t fold = 0; fold < numFolds; ++fold)
    rounds = std::max(rounds, endOf(graph, fold));
  Clock clock(graph);
  const int64_t wanted =
      std::min({clockRounds + clock.most(), clock.affordable(),
                int64_t(std::min(rounds, 1e9))});
  clock.run(wanted);

  // In the rounds that later rounds look back to, find out by how much
  // everything is earlier than pace.begins says. Later rounds are then at least
  // as early.
  double ahead = rounds > double(wanted) ? HUGE_VAL : 0;
  for (int64_t round = std::max<int64_t>(0, wanted - clock.most());
       round < wanted; ++round) {
    const double intervals = pace.interval * double(round);
    for (uint32_t fold = 0; fold < numFolds; ++fold) {
      const double begins = pace.begins[fold] + intervals;
      ahead = std::min({ahead, begins - clock.at(fold, round),
                        begins + graph.weight(fold) - clock.end(fold, round)});
    }
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
    end = std::max(end, last < double(wanted)
                            ? clock.end(fold, int64_t(last))
                            : pace.begins[fold] + pace.interval * last - ahead +
                                  graph.weight(fold));
  }
  return end;
}

} // namespace blink::verify
