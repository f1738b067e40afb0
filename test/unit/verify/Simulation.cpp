//===- Simulation.cpp - actually runs lanes and slots ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/unit/verify/Simulation.h"

#include <algorithm>
#include <deque>

namespace blink::test {

namespace {

struct LaneState {
  uint32_t rank;
  std::vector<TestFold> folds;
  size_t next = 0;
  uint32_t chunk = 0;
};

class Simulator {
public:
  Simulator(const TestSchedule &schedule, const std::vector<uint32_t> &chunks,
            bool inPlace)
      : program_(schedule.programs[0]), variant_(program_.variants[0]),
        chunks_(chunks), inPlace_(inPlace), slots_(variant_.channels.size()) {
    for (uint32_t rank = 0; rank < variant_.ranks.size(); ++rank)
      for (const std::vector<TestFold> &folds : lanesOf(variant_.ranks[rank]))
        lanes_.push_back({rank, folds});
    rounds_ = *std::max_element(chunks.begin(), chunks.end());
  }

  SimulationResult run(std::mt19937 &random) {
    // Random priorities decide which lane goes first. Keeping them for a whole
    // run, so that the same lanes always wait, finds races that fair turns
    // would not.
    std::vector<size_t> priority(lanes_.size());
    for (size_t i = 0; i < priority.size(); ++i)
      priority[i] = i;
    const bool steady = random() % 2;
    bool moved = true;
    for (bool fresh = true; moved; fresh = !steady) {
      if (fresh)
        for (size_t i = priority.size(); i > 1; --i)
          std::swap(priority[i - 1], priority[random() % i]);
      moved = std::any_of(priority.begin(), priority.end(),
                          [&](size_t lane) { return step(lanes_[lane]); });
    }
    SimulationResult result;
    result.finished =
        std::all_of(lanes_.begin(), lanes_.end(),
                    [&](LaneState &lane) { return !skipToWork(lane); });
    collect(result);
    return result;
  }

private:
  using Cell = std::vector<uint32_t>; // rank, tree, chunk

  /// Skips folds without a chunk; returns false when the lane has finished.
  bool skipToWork(LaneState &lane) {
    while (lane.chunk < rounds_) {
      if (lane.next == lane.folds.size()) {
        lane.next = 0;
        ++lane.chunk;
      } else if (lane.chunk >= chunks_[lane.folds[lane.next].tree]) {
        ++lane.next;
      } else {
        return true;
      }
    }
    return false;
  }

  bool isReady(const TestFold &fold) const {
    for (const TestOperand &from : fold.sources)
      if (from.kind == OperandKind::channel && slots_[from.index].empty())
        return false;
    for (const TestOperand &to : fold.destinations)
      if (to.kind == OperandKind::channel &&
          slots_[to.index].size() >= variant_.channels[to.index].slots)
        return false;
    return true;
  }

  /// Runs the lane's next fold if possible.
  bool step(LaneState &lane) {
    if (!skipToWork(lane) || !isReady(lane.folds[lane.next]))
      return false;
    const TestFold &fold = lane.folds[lane.next++];
    const Cell cell = {lane.rank, fold.tree, lane.chunk};
    std::string value;
    for (const TestOperand &from : fold.sources)
      value += (value.empty() ? "" : "+") + read(from, cell);
    if (fold.sources.size() > 1)
      value = "(" + value + ")";
    for (const TestOperand &to : fold.destinations) {
      if (to.kind == OperandKind::channel)
        slots_[to.index].push_back(value);
      else
        outputs_[cell] = value;
    }
    return true;
  }

  bool aliases(const Cell &cell) const {
    if (program_.collective == Collective::alltoall ||
        program_.collective == Collective::sendrecv)
      return false; // these have no in-place form
    const bool perRank = program_.collective != Collective::allreduce &&
                         program_.collective != Collective::broadcast &&
                         program_.collective != Collective::reduce;
    return inPlace_ && (!perRank || cell[0] == variant_.trees[cell[1]].block);
  }

  std::string read(const TestOperand &from, const Cell &cell) {
    if (from.kind == OperandKind::channel) {
      std::string value = slots_[from.index].front();
      slots_[from.index].pop_front();
      return value;
    }
    const auto written = outputs_.find(cell);
    if (from.kind == OperandKind::output || aliases(cell))
      if (written != outputs_.end())
        return written->second;
    return from.kind == OperandKind::output ? "?" : std::to_string(cell[0]);
  }

  /// Collects the outputs that the collective defines; blocks are those of the
  /// trees.
  void collect(SimulationResult &result) {
    for (uint32_t rank = 0; rank < variant_.ranks.size(); ++rank)
      for (uint32_t tree = 0; tree < variant_.trees.size(); ++tree)
        for (uint32_t chunk = 0; chunk < chunks_[tree]; ++chunk) {
          const auto written = outputs_.find({rank, tree, chunk});
          result.outputs[{rank, variant_.trees[tree].block, tree, chunk}] =
              written == outputs_.end() ? "?" : written->second;
        }
  }

  const TestProgram &program_;
  const TestVariant &variant_;
  std::vector<uint32_t> chunks_;
  bool inPlace_;
  uint32_t rounds_;
  std::vector<LaneState> lanes_;
  std::vector<std::deque<std::string>> slots_; // by channel
  std::map<Cell, std::string> outputs_;
};

} // namespace

SimulationResult simulate(const TestSchedule &schedule,
                          const std::vector<uint32_t> &chunks, bool inPlace,
                          std::mt19937 &random) {
  return Simulator(schedule, chunks, inPlace).run(random);
}

} // namespace blink::test
