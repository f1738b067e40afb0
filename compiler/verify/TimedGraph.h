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
};

/// Of a message without end, through links that sustain `algbw` (GB/s): chunks
/// as large as the variant has them.
Cut cutOf(const Semantics &semantics, const sched::Variant &variant,
          double algbw);
/// Of a message of `bytes`, S as for algbw, whose chunks may be smaller and are
/// whole granules.
Cut cutOf(const Semantics &semantics, const sched::Variant &variant,
          double algbw, uint64_t bytes);

/// The marked graph of Progress.h with times. A fold begins when those that it
/// waits for have begun long enough ago: a chunk needs the fold that writes it
/// or its transfer, whichever is longer, and its path's latency to get to the
/// reader; a free slot is known to the writer a latency after the fold that
/// freed it is over; lanes run one fold at a time. Each channel has the part of
/// its links that its tree's share plans for it. A chunk that its window keeps
/// back is sent when the news has come that the reader took the one that many
/// before it: the reader follows itself. All of these outlive it.
class TimedGraph {
public:
  TimedGraph(const TopologyView &machine, const FoldGraph &graph,
             const Cut &cut, const StepCosts &costs);

  /// A fold begins `time` microseconds after the fold `on` has begun in the
  /// lane's round that is `rounds` before its own, or later.
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
  std::vector<double> weights_;      ///< microseconds of its lane; by fold
  std::vector<uint32_t> lastInLane_; ///< by first fold of a lane
  std::vector<double> latencies_;    ///< microseconds; by channel
};

} // namespace blink::verify

#endif // BLINK_COMPILER_VERIFY_TIMEDGRAPH_H
