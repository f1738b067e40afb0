//===- Simulate.cpp - a schedule, event by event --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/simulate/Simulate.h"

#include "compiler/plan/FoldMoves.h"
#include "compiler/plan/SharedLinks.h"
#include "compiler/simulate/Chunks.h"
#include "compiler/simulate/EventQueue.h"
#include "compiler/simulate/SlotNews.h"
#include "compiler/simulate/UseOverTime.h"
#include "compiler/support/FairShares.h"
#include "compiler/support/Infinity.h"
#include "schedules/ChunkSize.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

using namespace blink;

namespace {

/// A channel; waves and chunks are counted from the first one of the call.
struct Flow {
  size_t writer = 0, reader = 0; ///< lanes
  double sendsSince = 0;
  double ready = 0;   ///< end of the fold that wrote the last wave
  double cameAt = 0;  ///< arrival of the last wave
  double latency = 0; ///< microseconds
  double rate = 0;    ///< bytes a microsecond, as planned
  uint64_t written = 0, begun = 0, sent = 0, arrived = 0; ///< waves
  uint64_t known = 0; ///< chunks read, as far as the writer knows
  /// Most chunks that may be on their way; later ones wait although written.
  uint64_t window = UINT64_MAX;
  bool sending = false;
  SlotNews news; ///< unused with a window, which each credit moves on

  explicit Flow(size_t slots) : news(slots) {}

  bool hasWindow() const { return window < UINT64_MAX; }
  /// Returns the waves that are sent or may be sent: their folds have begun to
  /// write. Chunks of channels with windows are single waves.
  uint64_t posted() const {
    return begun - known > window ? known + window : begun;
  }
};

struct Lane {
  size_t rank = 0, number = 0;
  size_t fold = 0;   ///< index in the lane
  uint64_t wave = 0; ///< of the fold's chunk
  uint64_t round = 0;
  uint64_t rounds = 0; ///< total
  double busyUntil = 0;
  double idleSince = 0;        ///< the end of its last fold
  std::optional<size_t> noted; ///< in the events: the fold that it runs
  bool hasBegun = false;
  /// What the lane's next fold lacks. Nothing else is worth looking at until it
  /// arrives. WaitKind::lane: nothing.
  WaitCause lacks = {};

  bool waitsFor(WaitKind kind, size_t channel) const {
    return lacks.kind == kind && lacks.channel == channel;
  }
};

enum class EventKind { begin, sent, arrival, credit, lane };

/// Returns the bandwidths of links in bytes a microsecond.
std::vector<double> bandwidthsOf(const FoldProgram &program,
                                 const SimulationOptions &options) {
  std::vector<double> bandwidths = options.bandwidths;
  if (bandwidths.empty())
    for (const FoldProgram::Link &link : program.links)
      bandwidths.push_back(link.bandwidth);
  for (double &bandwidth : bandwidths)
    bandwidth *= kBytesPerMicrosecond;
  return bandwidths;
}

class Simulator {
public:
  Simulator(const FoldProgram &program, sched::Protocol protocol,
            sched::ChunkSizes chunks, uint64_t bytes,
            const SimulationOptions &options)
      : program_(program), options_(options),
        shared_(program, bandwidthsOf(program, options)),
        fair_(shared_.filled, shared_.bandwidths),
        wireBytes_(protocol == sched::Protocol::low_latency ? 2 : 1),
        direct_(protocol == sched::Protocol::simple &&
                bytes >= sched::kDirectBytes),
        cuts_(cutTrees(program, chunks, double(bytes))) {
    if (options.mostRounds > 0)
      keepRounds(cuts_, options.mostRounds);
    if (protocol == sched::Protocol::low_latency)
      divideIntoWaves(cuts_);
    for (const TreeChunks &cut : cuts_)
      largestChunk_ = std::max(largestChunk_, cut.chunkBytes);
    makeFlows();
    makeLanes();
    if (options.mostMicroseconds < kInfinity)
      loadLinks();
    if (options.details) {
      log_.emplace(lanes_.size(), flows_.size());
      use_.emplace(shared_.bandwidths.size());
    }
    if (options.mostEvents > 0 || use_)
      fair_.watch([this](const FairShares::Span &span) { noteTransfer(span); });
  }

  llvm::Expected<Simulation> run();

private:
  void makeFlows();
  void makeLanes();

  const std::vector<size_t> &foldsOf(const Lane &lane) const {
    return program_.ranks[lane.rank].lanes[lane.number];
  }
  const TreeChunks &cutsOf(const FoldProgram::Fold &fold) const {
    return cuts_[size_t(fold.tree)];
  }
  const TreeChunks &cutsOf(size_t channel) const {
    return cuts_[size_t(program_.channels[channel].tree)];
  }
  bool isDone(const Lane &lane) const { return lane.round == lane.rounds; }
  bool hasSlot(size_t channel);
  WaitCause lackOf(const FoldProgram::Rank &rank, const FoldProgram::Fold &fold,
                   uint64_t wave);
  void waitForSlot(size_t channel);
  void sendNews(size_t channel, double time);
  double slownessOf(const Lane &lane) const {
    return options_.slowness.empty() ? 1 : options_.slowness[lane.rank];
  }
  double engineCostOf(const Lane &lane,
                      const FoldProgram::Operand &operand) const;
  double takingCost(const Lane &lane, const FoldProgram::Fold &fold,
                    uint64_t wave) const;
  double costOf(const Lane &lane, const FoldProgram::Fold &fold,
                uint64_t wave) const;
  bool isPassive(const FoldProgram::Fold &fold) const {
    return direct_ && fold.directMoves == 0;
  }
  double stepOf(const Lane &lane) const {
    const bool begins = options_.notice > 0 && !lane.hasBegun;
    return begins || lane.wave > 0 ? 0 : options_.stepCost;
  }
  double startOf(const Lane &lane, const FoldProgram::Fold &fold,
                 uint64_t wave) const;
  void runFold(size_t lane, const FoldProgram::Fold &fold, uint64_t wave,
               WaitCause cause);
  /// `cause`: what has just arrived.
  void advance(size_t lane, WaitCause cause = {});
  void comes(size_t lane, WaitCause cause);
  void note(Lane &lane, const FoldProgram::Fold &fold, double cost);
  void noteTransfer(const FairShares::Span &span);
  void finishSending(size_t channel);
  void addDetails();
  void loadLinks();
  double leastEnd() const;
  void sendIfIdle(size_t channel);
  double weightOf(size_t channel) const;
  void handle(EventKind kind, size_t index);

  const FoldProgram &program_;
  const SimulationOptions options_;
  const SharedLinks shared_;
  FairShares fair_;
  const double wireBytes_;
  const bool direct_;            ///< with zero copy
  std::vector<TreeChunks> cuts_; ///< by tree
  double largestChunk_ = 0;
  std::vector<double> loads_; ///< by link, bytes; for mostMicroseconds
  double lastReady_ = 0;      ///< latest end of any fold so far
  std::optional<FoldLog> log_;
  std::optional<UseOverTime> use_; ///< for details
  double now_ = 0;
  uint64_t event_ = 0; ///< number of the event being handled
  std::vector<Flow> flows_;
  std::vector<Lane> lanes_;
  EventQueue<EventKind> events_;
  Simulation result_;
};

} // namespace

void Simulator::loadLinks() {
  loads_.resize(shared_.bandwidths.size());
  for (auto [channel, links] :
       llvm::zip_equal(program_.channels, shared_.filled))
    for (uint32_t link : links)
      loads_[link] += wireBytes_ * cuts_[size_t(channel.tree)].bytes;
}

/// Returns the earliest end: no link can finish before it has sent the bytes
/// that it has not begun to send.
double Simulator::leastEnd() const {
  constexpr double kRounding = 1e-6;
  double longest = 0;
  for (size_t link = 0; link < loads_.size(); ++link)
    longest = std::max(
        longest, (loads_[link] * (1 - kRounding) - result_.linkUse[link]) /
                     shared_.bandwidths[link]);
  return now_ + longest;
}

void Simulator::makeFlows() {
  const double rate = rateOfLinks(program_) * kBytesPerMicrosecond;
  const std::vector<double> loads = loadsPerByte(program_);
  result_.linkUse.resize(shared_.bandwidths.size());
  for (const FoldProgram::Channel &channel : program_.channels) {
    Flow &flow = flows_.emplace_back(size_t(channel.slots));
    flow.latency = program_.latencyOf(channel);
    if (channel.window > 0)
      flow.window = uint64_t(channel.window);
    flow.rate = program_.trees[size_t(channel.tree)].share * rate;
    if (!options_.bandwidths.empty()) {
      double most = 1;
      for (uint32_t link : program_.pathOf(channel))
        most = std::max(most, loads[link] * rate / shared_.bandwidths[link]);
      flow.rate /= most;
    }
  }
}

void Simulator::makeLanes() {
  for (size_t r = 0; r < program_.ranks.size(); ++r) {
    const FoldProgram::Rank &rank = program_.ranks[r];
    for (size_t l = 0; l < rank.lanes.size(); ++l) {
      Lane lane;
      lane.rank = r;
      lane.number = l;
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

/// Returns true if the writer of the channel knows of a free slot.
bool Simulator::hasSlot(size_t channel) {
  Flow &flow = flows_[channel];
  const auto slots = uint64_t(program_.channels[channel].slots);
  const uint64_t written = flow.written / cutsOf(channel).waves;
  if (written == flow.known + slots)
    flow.known += flow.news.popBefore({now_, event_});
  return written < flow.known + slots;
}

/// Returns the first thing that the fold lacks to run; WaitKind::lane: it can
/// run.
WaitCause Simulator::lackOf(const FoldProgram::Rank &rank,
                            const FoldProgram::Fold &fold, uint64_t wave) {
  for (const FoldProgram::Operand &from : rank.sourcesOf(fold))
    if (from.isChannel() && flows_[size_t(from.index)].arrived <= wave)
      return {WaitKind::data, uint32_t(from.index)};
  if (wave % cutsOf(fold).waves != 0)
    return {}; // its chunk has a slot
  for (const FoldProgram::Operand &to : rank.destinationsOf(fold))
    if (to.isChannel() && !hasSlot(size_t(to.index)))
      return {WaitKind::slot, uint32_t(to.index)};
  return {};
}

/// Turns the first news on its way into an event.
void Simulator::waitForSlot(size_t channel) {
  Flow &flow = flows_[channel];
  if (flow.news.empty())
    return;
  const SlotNews::News next = flow.news.pop();
  events_.pushAs(next.number, next.time, EventKind::credit, channel);
}

/// Tells the writer of a channel of a free slot; the writer knows at `time`.
void Simulator::sendNews(size_t channel, double time) {
  Flow &flow = flows_[channel];
  if (flow.hasWindow() || lanes_[flow.writer].waitsFor(WaitKind::slot, channel))
    events_.push(time, EventKind::credit, channel);
  else
    flow.news.push({time, events_.nextNumber()});
}

/// Returns the microseconds of `lane` for a chunk that it writes to, or reads
/// from, a channel.
double Simulator::engineCostOf(const Lane &lane,
                               const FoldProgram::Operand &operand) const {
  return operand.isChannel() && !options_.engineCosts.empty()
             ? options_.engineCosts[size_t(operand.index)] * slownessOf(lane)
             : 0;
}

/// Returns the microseconds still needed to receive the messages that a fold
/// which runs now reads: a lane that waits receives each when it arrives.
double Simulator::takingCost(const Lane &lane, const FoldProgram::Fold &fold,
                             uint64_t wave) const {
  if (options_.engineCosts.empty())
    return 0;
  llvm::SmallVector<std::pair<double, double>> messages; // arrival, cost
  for (const FoldProgram::Operand &from :
       program_.ranks[lane.rank].sourcesOf(fold)) {
    if (!from.isChannel())
      continue;
    const Flow &flow = flows_[size_t(from.index)];
    // Only the arrival of the last wave is known.
    messages.emplace_back(flow.arrived == wave + 1 ? flow.cameAt : 0,
                          engineCostOf(lane, from));
  }
  llvm::sort(messages);
  double taken = lane.idleSince;
  for (auto [cameAt, cost] : messages)
    taken = std::max(taken, cameAt) + cost;
  return std::max(0.0, taken - now_);
}

/// Returns the microseconds that the fold takes of its lane.
double Simulator::costOf(const Lane &lane, const FoldProgram::Fold &fold,
                         uint64_t wave) const {
  double engines = takingCost(lane, fold, wave);
  for (const FoldProgram::Operand &to :
       program_.ranks[lane.rank].destinationsOf(fold))
    engines += engineCostOf(lane, to);
  if (isPassive(fold))
    return engines + (wave == 0 ? options_.gap : 0);
  double cost = stepOf(lane);
  if (options_.laneRate > 0)
    cost += movesOf(direct_ ? fold.directMoves : fold.slotMoves) *
            cutsOf(fold).bytesOfWave(wave) /
            (options_.laneRate * kBytesPerMicrosecond);
  return engines + cost * slownessOf(lane);
}

/// Returns the time at which a fold that runs now has noticed all that it
/// reads, channel after channel, and begins to write.
double Simulator::startOf(const Lane &lane, const FoldProgram::Fold &fold,
                          uint64_t wave) const {
  if (options_.notice == 0 && options_.gap == 0)
    return now_;
  bool reads = false;
  double gaps = 0, looked = now_;
  for (const FoldProgram::Operand &from :
       llvm::reverse(program_.ranks[lane.rank].sourcesOf(fold))) {
    if (!from.isChannel())
      continue;
    reads = true;
    const Flow &flow = flows_[size_t(from.index)];
    // Only the arrival of the last wave is known.
    if (flow.arrived == wave + 1)
      looked = std::max(looked, flow.cameAt + gaps);
    gaps += options_.gap;
  }
  return reads ? looked + options_.notice : now_;
}

static uint64_t nanoseconds(double microseconds) {
  return uint64_t(std::llround(microseconds * 1e3));
}

/// Records in the events a fold of `lane` that runs now, or its next wave.
void Simulator::note(Lane &lane, const FoldProgram::Fold &fold, double cost) {
  std::vector<sched::TracedFold> &folds = result_.events.folds;
  if (lane.wave == 0) {
    lane.noted = std::nullopt;
    if (folds.size() < options_.mostEvents) {
      lane.noted = folds.size();
      sched::TracedFold &noted = folds.emplace_back();
      noted.rank = uint32_t(lane.rank);
      noted.lane = uint32_t(lane.number);
      noted.step = uint32_t(lane.fold);
      noted.chunk = lane.round - uint64_t(fold.delay);
      noted.bytes = uint64_t(cutsOf(fold).bytesOf(noted.chunk));
      noted.begin = nanoseconds(now_);
      noted.waited = nanoseconds(now_ - lane.idleSince);
    }
  }
  if (lane.noted)
    folds[*lane.noted].end = nanoseconds(now_ + cost);
  lane.idleSince = now_ + cost;
}

/// Records in the events a chunk, or a part of one, that a channel has sent at
/// one rate.
void Simulator::noteTransfer(const FairShares::Span &span) {
  if (result_.events.transfers.size() < options_.mostEvents)
    result_.events.transfers.push_back(
        {0, span.channel,
         uint64_t(std::llround(span.rate * (span.end - span.begin))),
         nanoseconds(span.begin), nanoseconds(span.end)});
  if (use_)
    use_->add(shared_.filled[span.channel], span.rate, span.begin, span.end);
}

void Simulator::runFold(size_t number, const FoldProgram::Fold &fold,
                        uint64_t wave, WaitCause cause) {
  Lane &lane = lanes_[number];
  const FoldProgram::Rank &rank = program_.ranks[lane.rank];
  const double cost = costOf(lane, fold, wave);
  const double step = isPassive(fold) ? 0 : stepOf(lane);
  const double starts = startOf(lane, fold, wave);
  lastReady_ =
      std::max(lastReady_, std::max(starts, now_ + step) + cost - step);
  lane.hasBegun = true;
  if (lane.wave == 0 && ++result_.folds % kFoldsBetweenCalls == 0 &&
      options_.watcher)
    options_.watcher(result_.folds, countFolds(program_, cuts_));
  note(lane, fold, cost);
  if (log_)
    log_->begin(number, cause, now_, cost);
  for (const FoldProgram::Operand &from : rank.sourcesOf(fold))
    if (from.isChannel()) {
      if (log_)
        log_->reads(uint32_t(from.index));
      if (cutsOf(fold).endsChunk(wave))
        sendNews(size_t(from.index),
                 now_ + cost + flows_[size_t(from.index)].latency);
    }
  // Messages leave one by one, in the order in which the fold writes them.
  double ready = now_ + cost, begins = starts;
  for (const FoldProgram::Operand &to : rank.destinationsOf(fold))
    ready -= engineCostOf(lane, to);
  for (const FoldProgram::Operand &to : rank.destinationsOf(fold))
    if (to.isChannel()) {
      if (log_)
        log_->writes(uint32_t(to.index));
      ready += engineCostOf(lane, to);
      ++flows_[size_t(to.index)].written;
      flows_[size_t(to.index)].ready = ready;
      if (begins > now_)
        events_.push(begins, EventKind::begin, size_t(to.index));
      else
        handle(EventKind::begin, size_t(to.index));
      begins += options_.gap;
    }
  if (cost > 0) {
    lane.busyUntil = now_ + cost;
    events_.push(lane.busyUntil, EventKind::lane, number);
  }
}

/// Runs the lane's folds until one has to wait.
void Simulator::advance(size_t number, WaitCause cause) {
  Lane &lane = lanes_[number];
  const FoldProgram::Rank &rank = program_.ranks[lane.rank];
  const std::vector<size_t> &folds = foldsOf(lane);
  while (!isDone(lane) && lane.busyUntil <= now_) {
    const FoldProgram::Fold &fold = rank.folds[folds[lane.fold]];
    const uint64_t delay = uint64_t(fold.delay);
    const TreeChunks &cuts = cutsOf(fold);
    if (delay <= lane.round && lane.round - delay < cuts.chunks) {
      const uint64_t wave = (lane.round - delay) * cuts.waves + lane.wave;
      lane.lacks = lackOf(rank, fold, wave);
      if (lane.lacks.kind != WaitKind::lane) {
        if (log_)
          log_->wait(number, now_);
        if (lane.lacks.kind == WaitKind::slot)
          waitForSlot(lane.lacks.channel);
        return; // the arrival of that will call advance()
      }
      runFold(number, fold, wave, cause);
      cause = {};
      if (!cuts.endsChunk(wave)) {
        ++lane.wave;
        continue;
      }
      lane.wave = 0;
    }
    if (++lane.fold == folds.size()) {
      lane.fold = 0;
      ++lane.round;
    }
  }
}

/// Continues the lane unless it lacks something else.
void Simulator::comes(size_t lane, WaitCause cause) {
  if (lanes_[lane].lacks.kind == WaitKind::lane ||
      lanes_[lane].waitsFor(cause.kind, cause.channel))
    advance(lane, cause);
}

/// Returns the weight of a channel in the shares of links. On a network, where
/// bytes queue for links, it is what the channel has on its way, in chunks of
/// the largest tree. Elsewhere each channel counts as one.
double Simulator::weightOf(size_t channel) const {
  const FoldProgram::Channel &of = program_.channels[channel];
  if (!of.leavesMachine())
    return 1;
  const Flow &flow = flows_[channel];
  return double(flow.posted() - flow.sent) * cutsOf(channel).chunkBytes /
         largestChunk_;
}

void Simulator::sendIfIdle(size_t channel) {
  Flow &flow = flows_[channel];
  if (flow.sending) {
    if (!options_.plannedShares)
      fair_.weigh(uint32_t(channel), weightOf(channel), now_);
    return;
  }
  if (flow.sent == flow.posted())
    return;
  flow.sending = true;
  flow.sendsSince = now_;
  const double bytes = wireBytes_ * cutsOf(channel).bytesOfWave(flow.sent);
  for (uint32_t link : shared_.filled[channel])
    result_.linkUse[link] += bytes;
  result_.chunks += flow.sent % cutsOf(channel).waves == 0;
  if (options_.plannedShares)
    events_.push(now_ + bytes / flow.rate, EventKind::sent, channel);
  else
    fair_.start(uint32_t(channel), bytes, now_, weightOf(channel));
}

void Simulator::handle(EventKind kind, size_t index) {
  switch (kind) {
  case EventKind::begin:
    ++flows_[index].begun;
    return sendIfIdle(index);
  case EventKind::sent:
    return finishSending(index);
  case EventKind::arrival:
    ++flows_[index].arrived;
    flows_[index].cameAt = now_;
    return comes(flows_[index].reader, {WaitKind::data, uint32_t(index)});
  case EventKind::credit:
    ++flows_[index].known;
    if (flows_[index].written > flows_[index].sent)
      sendIfIdle(index); // the window has moved on
    return comes(flows_[index].writer, {WaitKind::slot, uint32_t(index)});
  case EventKind::lane:
    return advance(index);
  }
}

void Simulator::finishSending(size_t channel) {
  Flow &flow = flows_[channel];
  if (options_.plannedShares)
    noteTransfer({uint32_t(channel), flow.rate, flow.sendsSince, now_});
  ++flow.sent;
  flow.sending = false;
  // Links may be faster than the lane that writes the wave.
  const double over = flow.sent == flow.written ? flow.ready : now_;
  events_.push(std::max(now_, over) + flow.latency, EventKind::arrival,
               channel);
  sendIfIdle(channel);
}

void Simulator::addDetails() {
  constexpr size_t kSlices = SimulationDetails::kSlices;
  SimulationDetails &details = result_.details;
  details.linkUse = use_->inParts(result_.microseconds, kSlices);
  const double slice = std::max(result_.microseconds, 1e-300) / kSlices;
  for (auto [uses, bandwidth] :
       llvm::zip_equal(details.linkUse, shared_.bandwidths))
    for (double &use : uses)
      use /= bandwidth * slice;
  details.lanes = log_->laneTimes();
  for (auto [times, lane] : llvm::zip_equal(details.lanes, lanes_)) {
    times.rank = lane.rank;
    times.lane = lane.number;
  }
  std::map<std::pair<int, int>, uint32_t> ends;
  std::vector<uint32_t> groups, slots;
  for (const FoldProgram::Channel &channel : program_.channels) {
    groups.push_back(ends.try_emplace({channel.source, channel.destination},
                                      uint32_t(ends.size()))
                         .first->second);
    // A wave that waits for a slot waits for the last wave of a chunk.
    const auto waves = uint32_t(cuts_[size_t(channel.tree)].waves);
    slots.push_back((uint32_t(channel.slots) - 1) * waves + 1);
  }
  details.path = log_->criticalPath(groups, slots);
}

llvm::Error blink::lanesStop() {
  return llvm::createStringError(
      std::errc::invalid_argument,
      "the schedule stops: lanes wait for each other (blinkc verify)");
}

llvm::Expected<Simulation> Simulator::run() {
  for (size_t lane = 0; lane < lanes_.size(); ++lane)
    advance(lane);
  constexpr uint64_t kLook = 256; // iterations between two calls of leastEnd()
  for (uint64_t times = 1;; ++times) {
    if (times % kLook == 0 && options_.mostMicroseconds < kInfinity &&
        leastEnd() > options_.mostMicroseconds) {
      result_.microseconds = leastEnd();
      return result_;
    }
    const double ends =
        options_.plannedShares ? kInfinity : fair_.nextEnd(now_);
    if (options_.mostWork > 0 && fair_.work() > options_.mostWork)
      return llvm::createStringError(std::errc::timed_out,
                                     "simulating this takes too long");
    if (events_.empty() && std::isinf(ends))
      break;
    now_ = events_.empty() ? ends : std::min(ends, events_.top().time);
    if (ends <= now_)
      for (uint32_t channel : fair_.finish(now_))
        handle(EventKind::sent, channel);
    while (!events_.empty() && events_.top().time <= now_) {
      const auto event = events_.pop();
      event_ = event.number;
      // News of slots for which no fold waits any more does not count as time.
      if (event.kind != EventKind::credit)
        result_.microseconds = now_;
      handle(event.kind, event.index);
    }
  }
  if (!llvm::all_of(lanes_, [&](const Lane &lane) { return isDone(lane); }))
    return lanesStop();
  result_.microseconds = std::max(result_.microseconds, lastReady_);
  result_.work = fair_.work();
  for (auto [use, bandwidth] :
       llvm::zip_equal(result_.linkUse, shared_.bandwidths))
    use /= bandwidth * std::max(result_.microseconds, 1e-300);
  if (log_)
    addDetails();
  result_.linkUse = shared_.byLink(result_.linkUse);
  result_.folds *= uint64_t(program_.images());
  result_.chunks *= uint64_t(program_.images());
  return result_;
}

llvm::Expected<Simulation> blink::simulate(const FoldProgram &program,
                                           sched::Protocol protocol,
                                           sched::ChunkSizes chunks,
                                           uint64_t bytes,
                                           const SimulationOptions &options) {
  return Simulator(program, protocol, chunks, bytes, options).run();
}
