//===- TimeModel.cpp - how long messages take, roughly --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/TimeModel.h"

#include "compiler/plan/AssignLanes.h"
#include "compiler/plan/ExpandForest.h"
#include "compiler/plan/FoldMoves.h"
#include "compiler/plan/Latency.h"
#include "compiler/plan/NetworkCosts.h"
#include "compiler/support/Infinity.h"
#include "schedules/Collectives.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <tuple>

using namespace blink;

std::vector<double> blink::hopPrices(const RankTopology &rankTopology,
                                     ProtocolCosts costs) {
  const Topology &topology = rankTopology.topology();
  std::vector<double> prices;
  for (const Link &link : topology.links) {
    int gpus = 0;
    for (int end : {link.from, link.to})
      gpus += topology.nodes[end].kind == NodeKind::gpu;
    prices.push_back(link.latency + costs.overhead / 2 * gpus);
  }
  return prices;
}

double blink::startOf(const FoldProgram &program, Protocol protocol) {
  ProtocolCosts costs = costsOf(protocol);
  const std::vector<double> engines = engineCosts(program);
  return lastReady(program, {1, costs.overhead, costs.gap, nullptr, &engines});
}

void LaneChunks::include(const LaneChunks &lane) {
  folds = std::max(folds, lane.folds);
  passive = std::max(passive, lane.passive);
}

void LaneLoads::startLane() {
  lanes_.emplace_back();
  passive_ = 0;
}

void LaneLoads::add(const FoldLoad &load, double messages) {
  LaneWork &lane = lanes_.back();
  lane.messages += messages;
  lane.bytesMoved += movesOf(load.bytes);
  lane.slotFolds += 1;
  ++(load.bytes > 0 ? lane.directFolds : passive_);
  slots.include({lane.slotFolds, 0});
  direct.include({lane.directFolds, passive_});
}

double LaneLoads::bytesMoved() const {
  double most = 0;
  for (const LaneWork &lane : lanes_)
    most = std::max(most, lane.bytesMoved);
  return most;
}

std::vector<LaneWork> LaneLoads::work() const {
  std::vector<LaneWork> sorted = lanes_, most;
  llvm::sort(sorted, [](const LaneWork &a, const LaneWork &b) {
    return std::tie(a.bytesMoved, a.slotFolds, a.directFolds, a.messages) >
           std::tie(b.bytesMoved, b.slotFolds, b.directFolds, b.messages);
  });
  for (const LaneWork &lane : sorted)
    if (llvm::none_of(most, [&](const LaneWork &other) {
          return other.slotFolds >= lane.slotFolds &&
                 other.directFolds >= lane.directFolds &&
                 other.messages >= lane.messages;
        }))
      most.push_back(lane);
  return most;
}

static LaneLoads loadsOfLanes(const FoldProgram &program, Protocol protocol) {
  LaneLoads lanes;
  const std::vector<double> engines = engineCosts(program);
  for (const FoldProgram::Rank &rank : program.ranks) {
    auto add = [&](const FoldProgram::Fold &fold) {
      double messages = 0;
      for (const FoldProgram::Operand &operand : rank.operandsOf(fold))
        messages += operand.isChannel() ? engines[operand.index] : 0;
      lanes.add(loadOf(program, rank, fold, protocol), messages);
    };
    const bool apart = rank.lanes.empty() || isPairwise(program.collective);
    for (const std::vector<size_t> &lane : rank.lanes) {
      if (apart)
        break;
      lanes.startLane();
      for (size_t fold : lane)
        add(rank.folds[fold]);
    }
    if (apart)
      for (const FoldProgram::Fold &fold : rank.folds) {
        lanes.startLane();
        add(fold);
      }
  }
  return lanes;
}

/// Returns the average number of channels that a rank of the job reads. Each
/// channel is read once and written once.
static double channelsOfRank(const FoldProgram &program) {
  size_t ends = 0;
  for (int rank = 0; rank < program.numRanks; ++rank)
    for (const FoldProgram::Operand &operand : program.ranks[rank].operands)
      ends += operand.isChannel();
  return double(ends) / 2 * program.images() / program.numRanks;
}

/// Returns the number of transfers that a chunk passes one after the other,
/// each measured in transfers of the busiest links: a link with less to do
/// passes a chunk faster.
static double transfersOf(const FoldProgram &program) {
  const double rate = rateOfLinks(program);
  const std::vector<double> loads = loadsPerByte(program);
  std::vector<double> channels;
  for (const FoldProgram::Channel &channel : program.channels) {
    double use = 0;
    for (uint32_t link : program.pathOf(channel))
      use = std::max(use, loads[link] * rate / program.links[link].bandwidth);
    channels.push_back(use);
  }
  return lastReady(program, {0, 0, 0, &channels, nullptr});
}

/// Returns the same number for trees that all go level by level: the sum over
/// the levels of the most that a link carries in that level. For a single chunk
/// of each tree, an allreduce of one hop up and one down takes no longer than
/// links are busy with both.
static double levelsOf(const FoldProgram &program) {
  if (program.links.empty()) // a single GPU receives nothing
    return 0;
  const std::vector<double> ready = readyTimes(program, kCountHops);
  std::vector<size_t> levels(program.channels.size());
  size_t fold = 0, numLevels = 1;
  for (const FoldProgram::Rank &rank : program.ranks)
    for (const FoldProgram::Fold &of : rank.folds) {
      for (const FoldProgram::Operand &to : rank.destinationsOf(of))
        if (to.isChannel())
          levels[to.index] = size_t(ready[fold]);
      numLevels = std::max(numLevels, size_t(ready[fold++]) + 1);
    }
  std::vector<std::vector<double>> loads(
      numLevels, std::vector<double>(program.links.size(), 0));
  for (auto [channel, level] : llvm::zip_equal(program.channels, levels))
    for (uint32_t link : program.pathOf(channel))
      loads[level][link] +=
          program.trees[channel.tree].share / program.links[link].bandwidth;
  double sum = 0;
  for (std::vector<double> &level : loads) {
    if (program.symmetry)
      level = program.symmetry->sumOfImages(level);
    sum += *std::max_element(level.begin(), level.end());
  }
  return sum * rateOfLinks(program);
}

/// Sets the drains of `flow`: how often folds that pass on nothing of what they
/// read move each byte.
static void addDrains(const FoldProgram &program, ChunkFlow &flow) {
  for (const FoldProgram::Rank &rank : program.ranks)
    for (const FoldProgram::Fold &fold : rank.folds) {
      auto isChannel = [](const FoldProgram::Operand &of) {
        return of.isChannel();
      };
      if (llvm::any_of(rank.destinationsOf(fold), isChannel) ||
          llvm::none_of(rank.sourcesOf(fold), isChannel))
        continue;
      flow.slotDrain = std::max(flow.slotDrain, movesOf(fold.slotMoves));
      flow.directDrain = std::max(flow.directDrain, movesOf(fold.directMoves));
    }
}

TreeTimes blink::treeTimes(const FoldProgram &program, Protocol protocol) {
  TreeTimes times{startOf(program, protocol), rateOfLinks(program), 1,
                  latencyOf(program)};
  if (protocol != Protocol::low_latency)
    times.hops =
        std::max(1.0, std::min(levelsOf(program), transfersOf(program)));
  return times;
}

MessageTime blink::timeOf(const FoldProgram &program, Protocol protocol,
                          sched::ChunkSizes chunks, double part,
                          const TreeTimes *trees) {
  const TreeTimes known = trees ? *trees : treeTimes(program, protocol);
  MessageTime time =
      messageTime(costsOf(protocol), known.start, known.rate * part,
                  loadsOfLanes(program, protocol));
  if (protocol == Protocol::low_latency)
    return time;
  ChunkFlow &flow = time.flow;
  flow.largest = largestShare(program);
  flow.network = leavesMachine(program);
  flow.hops = known.hops;
  addDrains(program, flow);
  flow.channels = channelsOfRank(program);
  flow.slotBytes = slotBytesOfRank(program.numRanks);
  flow.engine = busiestEngine(program);
  flow.firstEngine = unseenEngine(program);
  if (flow.network)
    flow.mostChunk = mostMessage(program);
  flow.leastChunkBytes = chunks.leastBytes;
  flow.leastChunks = chunks.leastChunks;
  flow.chunkBytes = chunks.bytes ? chunks.bytes : chooseChunk(time);
  return time;
}

MessageTime blink::keptPart(MessageTime time, double part) {
  time.flow.linkGap /= part;
  time.gapPerByte = std::max(time.gapPerByte, time.flow.linkGap);
  return time;
}

MessageTime blink::timeOfLarge(const FoldProgram &program, uint32_t chunkBytes,
                               const TreeTimes *trees) {
  const TreeTimes known = trees ? *trees : treeTimes(program, Protocol::simple);
  MessageTime time = timeOf(program, Protocol::simple, chunkBytes, 1, &known);
  if (chunkBytes == 0 && !isRouted(program.collective))
    time.flow.chunkBytes = refineChunk(time, known.latency);
  time.flow.incast = incastOf(program);
  if (chunkBytes != 0)
    time.flow.mostChunk = chunkBytes; // a requested size is exact
  return time;
}

/// Returns true if a lane has more folds of one tree's data than a tree has up
/// and down: a chunk then waits for all that the previous one has to do.
static bool hasManyTurns(const FoldProgram &program) {
  constexpr int kThereAndBack = 2;
  for (const FoldProgram::Rank &rank : program.ranks)
    for (const std::vector<size_t> &lane : rank.lanes) {
      llvm::DenseMap<std::pair<int, int>, int> folds;
      for (size_t fold : lane)
        if (++folds[program.placeOf(rank, rank.folds[fold])] > kThereAndBack)
          return true;
    }
  return false;
}

MessageTime blink::timeOfSmall(const FoldProgram &program, Protocol protocol) {
  MessageTime time = timeOf(program, protocol);
  if (time.flow.chunkBytes > 0)
    time.flow.chunkBytes = chooseChunk(time, kSmallReferenceBytes);
  return hasManyTurns(program) ? cutInFewer(std::move(time))
                               : fillPackets(std::move(time));
}

llvm::Expected<FoldProgram> blink::planForest(const PackingProblem &problem,
                                              const Packing &packing,
                                              Protocol protocol,
                                              unsigned maxLanes) {
  llvm::Expected<FoldProgram> program = expandForest(problem, packing);
  if (program)
    assignLanes(*program, protocol, maxLanes, {},
                mixesDirections(problem.collective));
  return program;
}

MessageTime blink::messageTime(ProtocolCosts costs, double start, double rate,
                               const LaneLoads &lanes) {
  double laneGap = lanes.bytesMoved() / costs.laneRate / kBytesPerMicrosecond;
  double linkGap = costs.wireBytes / rate / kBytesPerMicrosecond;
  MessageTime time{start, std::max(linkGap, laneGap)};
  time.flow.chunkOverhead = costs.chunkOverhead;
  time.flow.tag = costs.gap;
  time.flow.slots = lanes.slots;
  time.flow.direct = lanes.direct;
  time.flow.lanes = lanes.work();
  time.flow.laneRate = costs.laneRate;
  time.flow.linkGap = linkGap;
  return time;
}

static bool hasSlots(const ChunkFlow &flow, uint64_t bytes) {
  return flow.chunkBytes == 0 || bytes < sched::kDirectBytes;
}

double MessageTime::startAt(uint64_t bytes) const {
  const LaneChunks &lane = hasSlots(flow, bytes) ? flow.slots : flow.direct;
  return start + flow.chunkOverhead * (lane.folds - 1) +
         flow.tag * lane.passive;
}

/// Returns the bytes of the message that one round moves.
static double roundOf(const ChunkFlow &flow, uint64_t bytes) {
  return double(sched::chunkBytesOfCall(
             flow.sizes(), uint64_t(double(bytes) * flow.largest))) /
         flow.largest;
}

double MessageTime::fillAt(uint64_t bytes) const {
  if (flow.chunkBytes == 0)
    return 0;
  return (flow.hops - 1) * std::min(double(bytes), roundOf(flow, bytes)) *
         gapPerByte;
}

double MessageTime::incastAt(uint64_t bytes) const {
  if (flow.chunkBytes == 0 || flow.incast == 0)
    return 0;
  return incastTime(flow.incast, std::min(double(bytes), roundOf(flow, bytes)),
                    double(bytes) * flow.largest);
}

double MessageTime::drainAt(uint64_t bytes) const {
  if (flow.chunkBytes == 0)
    return 0;
  const double moves =
      hasSlots(flow, bytes) ? flow.slotDrain : flow.directDrain;
  return std::min(double(bytes), roundOf(flow, bytes)) * flow.largest * moves /
         flow.laneRate / kBytesPerMicrosecond;
}

double MessageTime::roundAt(uint64_t bytes, double rounds) const {
  const double part = double(bytes) / rounds;
  double busy = std::max(part * gapPerByte, flow.engine);
  for (const LaneWork &lane : flow.lanes) {
    double folds = hasSlots(flow, bytes) ? lane.slotFolds : lane.directFolds;
    double moved =
        part * lane.bytesMoved / flow.laneRate / kBytesPerMicrosecond;
    busy = std::max(busy, moved + flow.chunkOverhead * folds + lane.messages);
  }
  return busy;
}

double MessageTime::linksAt(uint64_t bytes) const {
  return start + double(bytes) * flow.linkGap +
         fillAt(bytes) * flow.linkGap / gapPerByte + incastAt(bytes);
}

double MessageTime::at(uint64_t bytes) const {
  double size = double(bytes);
  if (flow.chunkBytes == 0)
    return startAt(bytes) + size * gapPerByte;
  double rounds = std::max(1.0, size / roundOf(flow, bytes));
  double busy =
      std::max({size * gapPerByte, size * flow.linkGap + drainAt(bytes),
                flow.firstEngine + flow.engine * (rounds - 1)});
  for (const LaneWork &lane : flow.lanes) {
    double folds = hasSlots(flow, bytes) ? lane.slotFolds : lane.directFolds;
    double moved =
        size * lane.bytesMoved / flow.laneRate / kBytesPerMicrosecond;
    const double turn = flow.chunkOverhead * folds + lane.messages;
    busy = std::max(busy, moved + turn * (rounds - 1));
  }
  return startAt(bytes) + busy + fillAt(bytes) + incastAt(bytes);
}

bool blink::isWorthwhile(const MessageTime &fair, const MessageTime &unfair) {
  constexpr uint64_t kMediumBytes = kReferenceBytes / 16;
  return fair.at(kReferenceBytes) <= 1.1 * unfair.at(kReferenceBytes) &&
         fair.at(kMediumBytes) <= 1.5 * unfair.at(kMediumBytes);
}
