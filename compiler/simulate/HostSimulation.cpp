//===- HostSimulation.cpp - a schedule on the host back end ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/simulate/HostSimulation.h"

#include "compiler/plan/FoldMoves.h"
#include "compiler/simulate/Chunks.h"
#include "compiler/simulate/EventQueue.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace blink;
using Fold = FoldProgram::Fold;
using Operand = FoldProgram::Operand;

namespace {

struct HostChannel {
  size_t writer = 0, reader = 0; ///< ranks
  uint64_t written = 0, arrived = 0;
  uint64_t known = 0; ///< chunks read, as far as the writer knows
};

struct HostLane {
  const std::vector<size_t> *folds = nullptr;
  size_t fold = 0; ///< index in the lane
  uint64_t round = 0, rounds = 0;
};

/// A fold in the form that the runtime gives it (runtime/plan/Plan.cpp).
struct HostFold {
  double moves = 0; ///< how often it moves its chunk
  /// Whether readers find the chunk in the input, even before the fold is over.
  bool passesInputOn = false;
};

/// The thread that drives a rank.
struct RankThread {
  std::vector<HostFold> folds; ///< in the order of the rank's folds
  std::vector<HostLane> lanes;
  size_t lane = 0; ///< at which the thread is
};

/// A processor, which runs the threads of some ranks one after the other.
struct Processor {
  std::vector<size_t> ranks;
  size_t place = 0;  ///< index in `ranks` of the thread that it runs
  bool idle = false; ///< no thread had anything to do
};

enum class HostEvent { fold, arrival, credit, look };

class HostSimulator {
public:
  HostSimulator(const FoldProgram &program, sched::ChunkSizes chunks,
                uint64_t bytes, const LaneCosts &lane, const HostCosts &host,
                const SimulationWatcher &watcher)
      : program_(program), lane_(lane), host_(host), watcher_(watcher),
        borrows_(bytes >= host.borrowBytes),
        cuts_(
            cutTrees(program, chunks, double(bytes), borrows_ && isOneCopy())),
        flows_(program.channels.size()), threads_(program.ranks.size()),
        processors_(std::min<size_t>(host.processors, threads_.size())) {
    for (size_t rank = 0; rank < threads_.size(); ++rank) {
      makeThread(rank);
      processors_[rank % processors_.size()].ranks.push_back(rank);
    }
  }

  llvm::Expected<Simulation> run();

private:
  bool isOneCopy() const;
  void makeThread(size_t rank);
  HostFold hostFold(const FoldProgram::Rank &rank, const Fold &fold) const;
  const HostFold &hostFoldOf(size_t rank, const Fold &fold) const {
    return threads_[rank]
        .folds[size_t(&fold - program_.ranks[rank].folds.data())];
  }
  void publish(const FoldProgram::Rank &rank, const Fold &fold, double time);
  double costOf(size_t rank, const Fold &fold, uint64_t chunk) const;
  bool canRun(const FoldProgram::Rank &rank, const Fold &fold,
              uint64_t chunk) const;
  /// Returns the next fold of a lane and its chunk; null if the lane is done.
  const Fold *next(const FoldProgram::Rank &rank, HostLane &lane,
                   uint64_t &chunk) const;
  void wake(size_t rank);
  bool beginFold(size_t rank);
  void look(size_t processor);
  void endFold(size_t rank);

  const FoldProgram &program_;
  const LaneCosts lane_;
  const HostCosts host_;
  const SimulationWatcher watcher_;
  const bool borrows_;
  const std::vector<TreeChunks> cuts_; ///< by tree
  std::vector<HostChannel> flows_;
  std::vector<RankThread> threads_; ///< by rank
  std::vector<Processor> processors_;
  EventQueue<HostEvent> events_;
  double now_ = 0;
  Simulation result_;
};

} // namespace

/// Returns true if chunks go from inputs to outputs over one channel
/// (VariantPlan::oneCopy).
bool HostSimulator::isOneCopy() const {
  return llvm::all_of(program_.ranks, [](const FoldProgram::Rank &rank) {
    return llvm::all_of(rank.folds, [&](const Fold &fold) {
      const bool reads = rank.sourcesOf(fold)[0].isChannel();
      return fold.sources == 1 &&
             (!reads ||
              llvm::none_of(rank.destinationsOf(fold),
                            [](const Operand &to) { return to.isChannel(); }));
    });
  });
}

void HostSimulator::makeThread(size_t r) {
  const FoldProgram::Rank &rank = program_.ranks[r];
  for (const Fold &fold : rank.folds)
    threads_[r].folds.push_back(hostFold(rank, fold));
  for (const std::vector<size_t> &folds : rank.lanes) {
    HostLane lane{&folds};
    for (size_t place : folds) {
      const Fold &fold = rank.folds[place];
      if (const uint64_t chunks = cuts_[size_t(fold.tree)].chunks)
        lane.rounds = std::max(lane.rounds, chunks + uint64_t(fold.delay));
      for (const Operand &from : rank.sourcesOf(fold))
        if (from.isChannel())
          flows_[size_t(from.index)].reader = r;
      for (const Operand &to : rank.destinationsOf(fold))
        if (to.isChannel())
          flows_[size_t(to.index)].writer = r;
    }
    threads_[r].lanes.push_back(lane);
  }
}

/// Readers borrow the chunk from the input if the fold only passes it on, or
/// from the fold's output if no other fold of the tree writes there. Otherwise
/// one slot is written, which all readers share.
HostFold HostSimulator::hostFold(const FoldProgram::Rank &rank,
                                 const Fold &fold) const {
  auto outputsOf = [&](const Fold &of) {
    return llvm::count_if(rank.destinationsOf(of),
                          [](const Operand &to) { return !to.isChannel(); });
  };
  const auto outputs = outputsOf(fold);
  const bool writesChannels = size_t(outputs) < fold.destinations;
  const bool passesOn =
      fold.sources == 1 && !fold.completes &&
      rank.sourcesOf(fold)[0].kind == sched::OperandKind::input;
  auto isSoleWriter = [&] {
    return outputs == 1 && llvm::all_of(rank.folds, [&](const Fold &other) {
             return &other == &fold || other.tree != fold.tree ||
                    outputsOf(other) == 0;
           });
  };
  const bool borrowed =
      borrows_ && writesChannels && (outputs == 0 ? passesOn : isSoleWriter());
  const double stores = double(outputs) + (writesChannels && !borrowed);
  return {stores > 0 ? movesOf(double(fold.sources) + stores) : 0,
          borrowed && passesOn};
}

/// Returns the microseconds that the fold takes of its thread.
double HostSimulator::costOf(size_t rank, const Fold &fold,
                             uint64_t chunk) const {
  const double rate =
      fold.sources > 1 && lane_.reduceRate > 0 ? lane_.reduceRate : lane_.rate;
  if (rate == 0)
    return lane_.step;
  return lane_.step + hostFoldOf(rank, fold).moves *
                          cuts_[size_t(fold.tree)].bytesOf(chunk) /
                          (rate * 1e3);
}

bool HostSimulator::canRun(const FoldProgram::Rank &rank, const Fold &fold,
                           uint64_t chunk) const {
  for (const Operand &from : rank.sourcesOf(fold))
    if (from.isChannel() && flows_[size_t(from.index)].arrived <= chunk)
      return false;
  for (const Operand &to : rank.destinationsOf(fold))
    if (to.isChannel()) {
      const HostChannel &flow = flows_[size_t(to.index)];
      const int slots = program_.channels[size_t(to.index)].slots;
      if (flow.written >= flow.known + uint64_t(slots))
        return false;
    }
  return true;
}

const Fold *HostSimulator::next(const FoldProgram::Rank &rank, HostLane &lane,
                                uint64_t &chunk) const {
  while (lane.round < lane.rounds) {
    const Fold &fold = rank.folds[(*lane.folds)[lane.fold]];
    const uint64_t delay = uint64_t(fold.delay);
    chunk = lane.round - delay;
    if (delay <= lane.round && chunk < cuts_[size_t(fold.tree)].chunks)
      return &fold;
    if (++lane.fold == lane.folds->size()) {
      lane.fold = 0;
      ++lane.round;
    }
  }
  return nullptr;
}

/// Records that something has arrived for the rank. The rank's processor, if
/// idle, turns from thread to thread, and is on average half a round away.
void HostSimulator::wake(size_t rank) {
  const size_t number = rank % processors_.size();
  Processor &processor = processors_[number];
  if (!processor.idle)
    return; // it will come to the rank
  processor.idle = false;
  const size_t others = processor.ranks.size() - 1;
  events_.push(now_ + host_.turn * double(others) / 2, HostEvent::look, number);
}

/// Begins the next fold of the rank that can run. Returns false if none can.
bool HostSimulator::beginFold(size_t r) {
  const FoldProgram::Rank &rank = program_.ranks[r];
  RankThread &thread = threads_[r];
  for (size_t tried = 0; tried < thread.lanes.size(); ++tried) {
    uint64_t chunk = 0;
    const Fold *fold = next(rank, thread.lanes[thread.lane], chunk);
    if (fold && canRun(rank, *fold, chunk)) {
      if (hostFoldOf(r, *fold).passesInputOn)
        publish(rank, *fold, now_ + lane_.step);
      events_.push(now_ + costOf(r, *fold, chunk), HostEvent::fold, r);
      return true;
    }
    thread.lane = (thread.lane + 1) % thread.lanes.size();
  }
  return false;
}

/// Makes the processor run the thread that it has, and then try the others.
void HostSimulator::look(size_t number) {
  Processor &processor = processors_[number];
  const size_t count = processor.ranks.size();
  const double begin = now_;
  for (size_t looked = 0; looked < count; ++looked) {
    if (beginFold(processor.ranks[processor.place])) {
      now_ = begin;
      return;
    }
    processor.place = (processor.place + 1) % count;
    now_ += host_.turn; // a fold begins when the processor gets there
  }
  now_ = begin;
  processor.idle = true;
}

/// Makes the fold's chunk available from `time` on.
void HostSimulator::publish(const FoldProgram::Rank &rank, const Fold &fold,
                            double time) {
  for (const Operand &to : rank.destinationsOf(fold))
    if (to.isChannel()) {
      ++flows_[size_t(to.index)].written;
      ++result_.chunks;
      events_.push(time + host_.notice, HostEvent::arrival, size_t(to.index));
    }
}

void HostSimulator::endFold(size_t r) {
  const FoldProgram::Rank &rank = program_.ranks[r];
  HostLane &lane = threads_[r].lanes[threads_[r].lane];
  uint64_t chunk = 0;
  const Fold &fold = *next(rank, lane, chunk);
  if (++result_.folds % kFoldsBetweenCalls == 0 && watcher_)
    watcher_(result_.folds, countFolds(program_, cuts_));
  result_.microseconds = now_;
  if (!hostFoldOf(r, fold).passesInputOn)
    publish(rank, fold, now_);
  for (const Operand &from : rank.sourcesOf(fold))
    if (from.isChannel())
      events_.push(now_ + host_.notice, HostEvent::credit, size_t(from.index));
  if (++lane.fold == lane.folds->size()) {
    lane.fold = 0;
    ++lane.round;
  }
  look(r % processors_.size());
}

llvm::Expected<Simulation> HostSimulator::run() {
  for (size_t processor = 0; processor < processors_.size(); ++processor)
    look(processor);
  while (!events_.empty()) {
    const auto event = events_.pop();
    now_ = event.time;
    switch (event.kind) {
    case HostEvent::fold:
      endFold(event.index);
      break;
    case HostEvent::look:
      look(event.index);
      break;
    case HostEvent::arrival:
      ++flows_[event.index].arrived;
      wake(flows_[event.index].reader);
      break;
    case HostEvent::credit:
      ++flows_[event.index].known;
      wake(flows_[event.index].writer);
      break;
    }
  }
  uint64_t chunk = 0;
  for (size_t rank = 0; rank < threads_.size(); ++rank)
    for (HostLane &lane : threads_[rank].lanes)
      if (next(program_.ranks[rank], lane, chunk))
        return lanesStop();
  result_.linkUse.assign(program_.links.size(), 0);
  result_.microseconds += host_.call;
  return result_;
}

llvm::Expected<Simulation>
blink::simulateHost(const FoldProgram &program, sched::ChunkSizes chunks,
                    uint64_t bytes, const LaneCosts &lane,
                    const HostCosts &host, const SimulationWatcher &watcher) {
  return HostSimulator(program, chunks, bytes, lane, host, watcher).run();
}
