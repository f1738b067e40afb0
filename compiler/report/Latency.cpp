//===- Latency.cpp - how long the first byte travels ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/report/Latency.h"

#include "compiler/plan/TimeModel.h"

#include <algorithm>
#include <vector>

using namespace blink;

namespace {

/// A step with the channels it reads.
struct StepNode {
  std::vector<uint32_t> reads; ///< in order
  size_t looked = 0;           ///< how many of them have been looked at
  bool visited = false;        ///< on the stack, or done
  double ready = 0;            ///< when all it reads has come, so far
};

class FirstByte {
public:
  FirstByte(const sched::Schedule &file, const sched::Variant &variant,
            double links, double step, double child)
      : links_(*file.topology()->links()), variant_(variant),
        linkWeight_(links), step_(step), child_(child),
        writers_(variant.channels()->size()) {
    for (const sched::RankProgram *rank : *variant.ranks())
      for (const sched::Step *step : *rank->steps())
        addStep(*rank, *step);
  }

  double run() {
    for (uint32_t step = 0; step < steps_.size(); ++step)
      visit(step);
    double latest = 0;
    for (const StepNode &step : steps_)
      latest = std::max(latest, step.ready);
    return latest;
  }

private:
  void addStep(const sched::RankProgram &rank, const sched::Step &step) {
    StepNode &node = steps_.emplace_back();
    uint32_t written = 0;
    uint32_t count = uint32_t(step.sources()) + step.destinations();
    for (uint32_t i = 0; i < count; ++i) {
      const sched::Operand &operand =
          *rank.operands()->Get(step.operands_begin() + i);
      if (operand.kind() != sched::OperandKind::channel)
        continue;
      if (i < step.sources())
        node.reads.push_back(operand.index());
      else
        writers_[operand.index()] = {static_cast<uint32_t>(steps_.size()) - 1,
                                     written++};
    }
  }

  /// Depth first, without recursion: chains may be long.
  void visit(uint32_t first) {
    if (steps_[first].visited)
      return;
    steps_[first].visited = true;
    std::vector<uint32_t> stack{first};
    while (!stack.empty()) {
      StepNode &node = steps_[stack.back()];
      if (node.looked == node.reads.size()) {
        // What is read last is worked on at once.
        for (size_t i = 0; i < node.reads.size(); ++i)
          node.ready = std::max(node.ready,
                                arrival(node.reads[i]) +
                                    child_ * double(node.reads.size() - 1 - i));
        stack.pop_back();
        continue;
      }
      uint32_t writer = writers_[node.reads[node.looked++]].step;
      if (!steps_[writer].visited) {
        steps_[writer].visited = true;
        stack.push_back(writer);
      }
    }
  }

  double arrival(uint32_t index) const {
    const sched::Channel &channel = *variant_.channels()->Get(index);
    const Writer &writer = writers_[index];
    double time = steps_[writer.step].ready + child_ * writer.position + step_;
    for (uint32_t i = 0; i < channel.path_count(); ++i)
      time += linkWeight_ *
              links_.Get(variant_.paths()->Get(channel.path_begin() + i))
                  ->latency();
    return time;
  }

  const flatbuffers::Vector<const sched::Link *> &links_;
  const sched::Variant &variant_;
  /// Where a channel is written: its place among the channels of the step.
  struct Writer {
    uint32_t step = 0;
    uint32_t position = 0;
  };
  double linkWeight_; // of latencies: 1, or 0 where they do not count
  double step_;
  double child_;
  std::vector<StepNode> steps_;
  std::vector<Writer> writers_; // per channel
};

} // namespace

double blink::latencyOf(const sched::Schedule &file,
                        const sched::Variant &variant) {
  return FirstByte(file, variant, 1, 0, 0).run();
}

int blink::hopsOf(const sched::Schedule &file, const sched::Variant &variant) {
  return static_cast<int>(FirstByte(file, variant, 0, 1, 0).run());
}

double blink::startOf(const sched::Schedule &file,
                      const sched::Variant &variant) {
  ProtocolCosts costs = costsOf(variant.protocol());
  return FirstByte(file, variant, 1, costs.step, costs.child).run();
}
