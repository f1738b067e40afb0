//===- TimedGraph.h - folds that take time ----------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_VERIFY_TIMEDGRAPH_H
#define BLINK_COMPILER_VERIFY_TIMEDGRAPH_H

#include "compiler/verify/FoldGraph.h"
#include "compiler/verify/PathRules.h"
#include "compiler/verify/Verify.h"

#include <algorithm>
#include <vector>

namespace blink::verify {

/// How trees are cut into chunks. Chunks of different trees are in proportion
/// to the trees' shares (schedule.fbs), so at the rate that links sustain all
/// transfers take equally long.
struct Cut {
  double round = 0;               ///< microseconds of a transfer
  std::vector<double> chunkBytes; ///< by tree
  std::vector<uint64_t> chunks;   ///< by tree
  /// The waves in which a chunk passes through a fold (ChunkSize.h); by tree.
  std::vector<uint32_t> waves;
};

/// Cuts a message without end over links that sustain `algbw` (GB/s): chunks
/// are as large as the variant says.
Cut cutOf(const Semantics &semantics, const sched::Variant &variant,
          double algbw);
/// Cuts a message of `bytes`, the S of algbw. Its chunks may be smaller and are
/// whole granules.
Cut cutOf(const Semantics &semantics, const sched::Variant &variant,
          double algbw, uint64_t bytes);

/// The marked graph of Progress.h with times. A fold begins when the folds that
/// it waits for began long enough ago. A chunk takes the time of the fold that
/// writes it or of its transfer, whichever is longer, and then its path's
/// latency to reach the reader. The writer learns of a free slot one latency
/// after the end of the fold that freed it. A lane runs one fold at a time.
/// Each channel has the part of its links that its tree's share plans for it. A
/// chunk that a window holds back is sent when the writer learns that the
/// reader took the chunk that lies one window before it; in the graph the
/// reader follows itself. Chunks are passed on whole: waves, which only
/// timeBound knows, are no later. All arguments must outlive the graph.
class TimedGraph {
public:
  TimedGraph(const TopologyView &machine, const FoldGraph &graph,
             const Cut &cut, const StepCosts &costs);

  /// A fold begins at least `time` microseconds after the fold `on` began, in
  /// the lane's round that lies `rounds` before its own.
  struct Edge {
    uint32_t on = kNone;
    int64_t rounds = 0;
    double time = 0;
    uint32_t channel = kNone; ///< of a chunk, a slot or a window
    bool data = false;        ///< a chunk, after its transfer
  };

  const FoldGraph &graph() const { return graph_; }
  const Cut &cut() const { return cut_; }
  double latency(uint32_t channel) const { return latencies_[channel]; }
  double weight(uint32_t fold) const { return weights_[fold]; }
  /// The part of weight(fold) that a fold takes before any wave is through.
  double step() const { return step_; }

  template <typename Visit> void eachEdge(uint32_t fold, Visit visit) const {
    const uint32_t before = graph_.previousInLane(fold);
    const uint32_t on = before == kNone ? lastInLane_[fold] : before;
    visit(Edge{on, before == kNone ? 1 : 0, weights_[on]});
    for (const sched::Operand &from : graph_.sources(fold))
      if (from.kind() == sched::OperandKind::channel) {
        const uint32_t writer = graph_.writer(from.index());
        const double time = std::max(cut_.round, weights_[writer]);
        visit(Edge{writer, graph_.lag(from.index()),
                   time + latencies_[from.index()], from.index(), true});
        if (const uint32_t window = graph_.window(from.index()))
          visit(Edge{fold, window,
                     weights_[fold] + cut_.round + 2 * latencies_[from.index()],
                     from.index()});
      }
    for (const sched::Operand &to : graph_.destinations(fold))
      if (to.kind() == sched::OperandKind::channel) {
        const uint32_t reader = graph_.reader(to.index());
        visit(Edge{reader, graph_.room(to.index()),
                   weights_[reader] + latencies_[to.index()], to.index()});
      }
  }

private:
  const FoldGraph &graph_;
  const Cut &cut_;
  const double step_;
  std::vector<double> weights_;      ///< microseconds in its lane; by fold
  std::vector<uint32_t> lastInLane_; ///< by first fold of a lane
  std::vector<double> latencies_;    ///< microseconds; by channel
};

} // namespace blink::verify

#endif // BLINK_COMPILER_VERIFY_TIMEDGRAPH_H
