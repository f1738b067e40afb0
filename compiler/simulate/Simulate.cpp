//===- Simulate.cpp - a schedule, event by event --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/simulate/Simulate.h"

#include "compiler/simulate/FairShares.h"
#include "compiler/support/Infinity.h"
#include "schedules/ChunkSize.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <tuple>

using namespace blink;

namespace {

/// The chunks of a tree, of which the last may be shorter.
struct Cut {
  double bytes = 0;
  double chunkBytes = 0;
  uint64_t chunks = 0;
};

/// A channel; chunks are counted from the call's first.
struct Flow {
  size_t writer = 0, reader = 0; ///< lanes
  double latency = 0;            ///< microseconds
  double rate = 0;               ///< bytes a microsecond, as planned
  uint64_t written = 0, sent = 0, arrived = 0;
  uint64_t known = 0; ///< to the writer, of those that the reader has read
  bool sending = false;
};

struct Lane {
  size_t rank = 0, number = 0;
  size_t fold = 0; ///< place in the lane
  uint64_t round = 0;
  uint64_t rounds = 0; ///< in all
  double busyUntil = 0;
};

enum class EventKind { sent, arrival, credit, lane };

struct Event {
  double time;
  uint64_t number; ///< of equal times the first made comes first
  EventKind kind;
  size_t index; ///< channel or lane

  bool operator>(const Event &other) const {
    return std::tie(time, number) > std::tie(other.time, other.number);
  }
};

std::vector<double> bandwidthsOf(const FoldProgram &program) {
  std::vector<double> bandwidths;
  for (const FoldProgram::Link &link : program.links)
    bandwidths.push_back(link.bandwidth * kBytesPerMicrosecond);
  return bandwidths;
}

class Simulator {
public:
  Simulator(const FoldProgram &program, sched::Protocol protocol,
            uint32_t chunkBytes, uint64_t bytes,
            const SimulationOptions &options)
      : program_(program), options_(options),
        fair_(program, bandwidthsOf(program)),
        wireBytes_(protocol == sched::Protocol::low_latency ? 2 : 1) {
    cut(chunkBytes, double(bytes));
    makeFlows();
    makeLanes();
  }

  llvm::Expected<Simulation> run();

private:
  void cut(uint32_t chunkBytes, double bytes);
  void makeFlows();
  void makeLanes();

  const std::vector<size_t> &foldsOf(const Lane &lane) const {
    return program_.ranks[lane.rank].lanes[lane.number];
  }
  double bytesOf(int tree, uint64_t chunk) const {
    const Cut &cut = cuts_[size_t(tree)];
    return std::min(cut.chunkBytes, cut.bytes - double(chunk) * cut.chunkBytes);
  }
  void push(double time, EventKind kind, size_t index) {
    events_.push({time, numEvents_++, kind, index});
  }
  bool isDone(const Lane &lane) const { return lane.round == lane.rounds; }
  bool canRun(const FoldProgram::Rank &rank, const FoldProgram::Fold &fold,
              uint64_t chunk) const;
  void runFold(const FoldProgram::Rank &rank, const FoldProgram::Fold &fold);
  void advance(size_t lane);
  void sendIfIdle(size_t channel);
  void handle(const Event &event);

  const FoldProgram &program_;
  const SimulationOptions options_;
  FairShares fair_;
  const double wireBytes_;
  double now_ = 0;
  std::vector<Cut> cuts_; ///< by tree
  std::vector<Flow> flows_;
  std::vector<Lane> lanes_;
  std::priority_queue<Event, std::vector<Event>, std::greater<Event>> events_;
  uint64_t numEvents_ = 0;
  Simulation result_;
};

} // namespace

/// As the runtime does (Geometry.h), but for the granules between trees.
void Simulator::cut(uint32_t chunkBytes, double bytes) {
  constexpr double kGranule = 64;
  const double largest = largestShare(program_);
  const double chunk =
      double(sched::chunkBytesOfCall(chunkBytes, uint64_t(bytes * largest)));
  const double rounds = std::max(1.0, std::ceil(bytes * largest / chunk));
  for (const FoldProgram::Tree &tree : program_.trees) {
    Cut &cut = cuts_.emplace_back();
    cut.bytes = bytes * tree.share;
    cut.chunkBytes = std::min(
        chunk,
        std::max(1.0, std::ceil(cut.bytes / rounds / kGranule)) * kGranule);
    // A share is not exact: what it is too large by is no chunk.
    cut.chunks = uint64_t(std::ceil(cut.bytes / cut.chunkBytes - 1e-9));
  }
}

void Simulator::makeFlows() {
  const double rate = rateOfLinks(program_) * kBytesPerMicrosecond;
  result_.linkUse.resize(program_.links.size());
  for (const FoldProgram::Channel &channel : program_.channels) {
    Flow &flow = flows_.emplace_back();
    for (uint32_t link : program_.pathOf(channel))
      flow.latency += program_.links[link].latency;
    flow.rate = program_.trees[size_t(channel.tree)].share * rate;
  }
}

void Simulator::makeLanes() {
  for (size_t r = 0; r < program_.ranks.size(); ++r) {
    const FoldProgram::Rank &rank = program_.ranks[r];
    for (size_t l = 0; l < rank.lanes.size(); ++l) {
      Lane lane{r, l};
      for (size_t place : rank.lanes[l]) {
        const FoldProgram::Fold &fold = rank.folds[place];
        const uint64_t chunks = cuts_[size_t(fold.tree)].chunks;
        if (chunks > 0)
          lane.rounds = std::max(lane.rounds, chunks + uint64_t(fold.delay));
        for (const FoldProgram::Operand &from : rank.sourcesOf(fold))
          if (from.isChannel())
            flows_[size_t(from.index)].reader = lanes_.size();
        for (const FoldProgram::Operand &to : rank.destinationsOf(fold))
          if (to.isChannel())
            flows_[size_t(to.index)].writer = lanes_.size();
      }
      lanes_.push_back(lane);
    }
  }
}

bool Simulator::canRun(const FoldProgram::Rank &rank,
                       const FoldProgram::Fold &fold, uint64_t chunk) const {
  return llvm::all_of(rank.sourcesOf(fold),
                      [&](const FoldProgram::Operand &from) {
                        return !from.isChannel() ||
                               flows_[size_t(from.index)].arrived > chunk;
                      }) &&
         llvm::all_of(
             rank.destinationsOf(fold), [&](const FoldProgram::Operand &to) {
               return !to.isChannel() ||
                      flows_[size_t(to.index)].written <
                          flows_[size_t(to.index)].known +
                              uint64_t(
                                  program_.channels[size_t(to.index)].slots);
             });
}

void Simulator::runFold(const FoldProgram::Rank &rank,
                        const FoldProgram::Fold &fold) {
  ++result_.folds;
  for (const FoldProgram::Operand &from : rank.sourcesOf(fold))
    if (from.isChannel())
      push(now_ + options_.stepCost + flows_[size_t(from.index)].latency,
           EventKind::credit, size_t(from.index));
  for (const FoldProgram::Operand &to : rank.destinationsOf(fold))
    if (to.isChannel()) {
      ++flows_[size_t(to.index)].written;
      sendIfIdle(size_t(to.index));
    }
}

/// Runs the lane's folds as long as none waits.
void Simulator::advance(size_t number) {
  Lane &lane = lanes_[number];
  const FoldProgram::Rank &rank = program_.ranks[lane.rank];
  const std::vector<size_t> &folds = foldsOf(lane);
  while (!isDone(lane) && lane.busyUntil <= now_) {
    const FoldProgram::Fold &fold = rank.folds[folds[lane.fold]];
    const uint64_t delay = uint64_t(fold.delay);
    if (delay <= lane.round &&
        lane.round - delay < cuts_[size_t(fold.tree)].chunks) {
      if (!canRun(rank, fold, lane.round - delay))
        return; // what it waits for comes back to it
      runFold(rank, fold);
      if (options_.stepCost > 0) {
        lane.busyUntil = now_ + options_.stepCost;
        push(lane.busyUntil, EventKind::lane, number);
      }
    }
    if (++lane.fold == folds.size()) {
      lane.fold = 0;
      ++lane.round;
    }
  }
}

void Simulator::sendIfIdle(size_t channel) {
  const FoldProgram::Channel &of = program_.channels[channel];
  Flow &flow = flows_[channel];
  if (flow.sending || flow.sent == flow.written)
    return;
  flow.sending = true;
  const double bytes = wireBytes_ * bytesOf(of.tree, flow.sent);
  for (uint32_t link : program_.pathOf(of))
    result_.linkUse[link] += bytes;
  ++result_.chunks;
  if (options_.plannedShares)
    push(now_ + bytes / flow.rate, EventKind::sent, channel);
  else
    fair_.start(uint32_t(channel), bytes, now_);
}

void Simulator::handle(const Event &event) {
  switch (event.kind) {
  case EventKind::sent: {
    Flow &flow = flows_[event.index];
    ++flow.sent;
    flow.sending = false;
    push(now_ + flow.latency, EventKind::arrival, event.index);
    sendIfIdle(event.index);
    return;
  }
  case EventKind::arrival:
    ++flows_[event.index].arrived;
    return advance(flows_[event.index].reader);
  case EventKind::credit:
    ++flows_[event.index].known;
    return advance(flows_[event.index].writer);
  case EventKind::lane:
    return advance(event.index);
  }
}

llvm::Expected<Simulation> Simulator::run() {
  for (size_t lane = 0; lane < lanes_.size(); ++lane)
    advance(lane);
  while (true) {
    const double ends =
        options_.plannedShares ? kInfinity : fair_.nextEnd(now_);
    if (events_.empty() && std::isinf(ends))
      break;
    now_ = events_.empty() ? ends : std::min(ends, events_.top().time);
    if (ends <= now_)
      for (uint32_t channel : fair_.finish(now_))
        handle({now_, 0, EventKind::sent, channel});
    while (!events_.empty() && events_.top().time <= now_) {
      const Event event = events_.top();
      events_.pop();
      // News of slots that nobody waits for any more are no part of the time.
      if (event.kind != EventKind::credit)
        result_.microseconds = now_;
      handle(event);
    }
  }
  if (!llvm::all_of(lanes_, [&](const Lane &lane) { return isDone(lane); }))
    return llvm::createStringError(
        std::errc::invalid_argument,
        "the schedule stops: lanes wait for each other (blinkc verify)");
  for (auto [use, link] : llvm::zip_equal(result_.linkUse, program_.links))
    use /= link.bandwidth * kBytesPerMicrosecond *
           std::max(result_.microseconds, 1e-300);
  return result_;
}

llvm::Expected<Simulation> blink::simulate(const FoldProgram &program,
                                           sched::Protocol protocol,
                                           uint32_t chunkBytes, uint64_t bytes,
                                           const SimulationOptions &options) {
  return Simulator(program, protocol, chunkBytes, bytes, options).run();
}
