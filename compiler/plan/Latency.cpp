//===- Latency.cpp - when data of no size arrives -------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/Latency.h"

#include <algorithm>

using namespace blink;

namespace {

class LatencyAnalysis {
public:
  LatencyAnalysis(const FoldProgram &program, HopCosts costs);
  std::vector<double> run();

private:
  /// A fold and the channels that it reads.
  struct Node {
    uint32_t reads, end;  ///< its range in reads_
    uint32_t looked;      ///< channels before this one are done
    bool visited = false; ///< on the stack, or done
  };
  /// The fold that writes a channel, and the gaps of the channels that it
  /// writes before.
  struct Writer {
    int fold = -1;
    double gaps = 0;
  };

  /// Visits folds depth first, without recursion because chains may be long.
  void visit(int first);
  double arrival(int channel) const;
  double gapOf(int channel) const {
    return costs_.gaps ? costs_.gap + (*costs_.gaps)[size_t(channel)]
                       : costs_.gap;
  }

  const FoldProgram &program_;
  HopCosts costs_;
  std::vector<Node> nodes_;
  std::vector<int> reads_;      ///< fold by fold, in order
  std::vector<Writer> writers_; ///< per channel
  std::vector<double> ready_;   ///< per fold
  std::vector<int> stack_;
};

} // namespace

LatencyAnalysis::LatencyAnalysis(const FoldProgram &program, HopCosts costs)
    : program_(program), costs_(costs), writers_(program.channels.size()) {
  reads_.reserve(program.channels.size());
  for (const FoldProgram::Rank &rank : program.ranks)
    for (const FoldProgram::Fold &fold : rank.folds) {
      auto begin = uint32_t(reads_.size());
      for (const FoldProgram::Operand &operand : rank.sourcesOf(fold))
        if (operand.isChannel())
          reads_.push_back(operand.index);
      double gaps = 0;
      for (const FoldProgram::Operand &operand : rank.destinationsOf(fold))
        if (operand.isChannel()) {
          writers_[operand.index] = {int(nodes_.size()), gaps};
          gaps += gapOf(operand.index);
        }
      nodes_.push_back({begin, uint32_t(reads_.size()), begin});
    }
  ready_.resize(nodes_.size(), 0);
}

std::vector<double> LatencyAnalysis::run() {
  for (int fold = 0; fold < int(nodes_.size()); ++fold)
    visit(fold);
  return std::move(ready_);
}

void LatencyAnalysis::visit(int first) {
  if (nodes_[first].visited)
    return;
  nodes_[first].visited = true;
  stack_.assign(1, first);
  while (!stack_.empty()) {
    int fold = stack_.back();
    Node &node = nodes_[fold];
    if (node.looked == node.end) {
      // A channel delays the fold by the gaps of the channels that it reads
      // after it; the last channel causes none.
      double gaps = 0;
      for (uint32_t i = node.end; i-- > node.reads;) {
        ready_[fold] = std::max(ready_[fold], arrival(reads_[i]) + gaps);
        gaps += gapOf(reads_[i]);
      }
      stack_.pop_back();
      continue;
    }
    int writer = writers_[reads_[node.looked++]].fold;
    if (writer >= 0 && !nodes_[writer].visited) {
      nodes_[writer].visited = true;
      stack_.push_back(writer);
    }
  }
}

double LatencyAnalysis::arrival(int channel) const {
  const Writer &writer = writers_[channel];
  if (writer.fold < 0)
    return 0; // no fold writes it
  double time = ready_[writer.fold] + writer.gaps + costs_.overhead;
  for (uint32_t link : program_.pathOf(program_.channels[channel]))
    time += costs_.links * program_.links[link].latency;
  if (costs_.channels)
    time += (*costs_.channels)[size_t(channel)];
  return time;
}

std::vector<double> blink::readyTimes(const FoldProgram &program,
                                      HopCosts costs) {
  return LatencyAnalysis(program, costs).run();
}

double blink::lastReady(const FoldProgram &program, HopCosts costs) {
  double latest = 0;
  for (double time : readyTimes(program, costs))
    latest = std::max(latest, time);
  return latest;
}

double blink::latencyOf(const FoldProgram &program) {
  return lastReady(program, {1, 0, 0});
}

int blink::hopsOf(const FoldProgram &program) {
  return static_cast<int>(lastReady(program, kCountHops));
}
