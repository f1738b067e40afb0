//===- TimeModel.h - how long messages take, roughly ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A message of S bytes takes
//
//     T(S) = start + max(S x G, S x W + drain, S x L + chunkOverheads)
//            + pipelineFill,
//     W = wireBytes / rate,  L = bytesMoved / laneRate,  G = max(W, L),
//
// the last of the three that of the lane in which it is greatest,
//
// in the terms of LogP (Culler et al., 1993), with the gap per byte G of LogGP
// (Alexandrov et al., 1995). `rate` is what the links sustain (rateOfShares),
// `laneRate` what one lane can move, and `bytesMoved` how often the busiest
// lane moves the buffer: half of what its folds load and store, so that a copy
// moves its bytes once, and a root that reduces eight inputs into eight outputs
// eight times. With `simple` that is what moves with zero copy (FoldMoves.h),
// as large messages do: what is passive moves nothing. `start` is when the last
// rank would have a message of no size: on the slowest route through a tree,
// each hop takes the latencies of its links and an `overhead`; where a fold
// reads or writes several channels, each after the first waits a `gap` longer.
// That is the postal model (Bar-Noy and Kipnis, 1992) over the links of the
// machine.
//
// A lane takes its folds one by one, chunk after chunk, and each after the
// first costs it a `chunkOverhead`, which nobody sees who waits for links; with
// zero copy a passive fold takes none, but costs the call a tag, as long as a
// `gap`. All trees have as many chunks (Geometry.h), a round of which moves the
// same part of each. A chunk goes on when all of it has come: the last of the h
// hops of a tree begins h - 1 rounds late, the `pipelineFill`; and where folds
// pass nothing on but move, links are done before they have moved the last
// chunk, the `drain`. Words of
// `low_latency` flow through a fold one by one, so that there only the folds of
// a lane count, once each.
//
// Chunks that leave their machine are an engine's messages, which cost the
// lanes of both ends (NetworkCosts.h): as a gap of the folds that write or read
// several, and in each round after the first beside the lane's overheads. Part
// of it a processor has to do that makes and takes the messages of all lanes of
// a rank, for all rounds together
//
//     engine = (rounds - 1) x sum of what a rank's channels cost it
//              + those of them for which no fold waits as for gaps,
//
// which nobody sees who waits for links. There all goes by `simple`: lines of
// flags are for memory that both ends see.
//
// The constants are estimates for GPUs of the last years, no measurements. They
// weigh hops against gaps and choose sizes; no proof rests on them.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_TIMEMODEL_H
#define BLINK_COMPILER_PLAN_TIMEMODEL_H

#include "compiler/packing/Packing.h"
#include "compiler/plan/FoldProgram.h"
#include "compiler/plan/LaneChoice.h"
#include "schedules/ChunkSize.h"

namespace blink {

using sched::Protocol;

struct ProtocolCosts {
  double overhead; ///< microseconds to notice a chunk and start on it
  double gap;      ///< microseconds that each further channel of a fold waits
  double chunkOverhead; ///< microseconds of a lane, each further fold and chunk
  double wireBytes;     ///< on the links for each byte of data
  double laneRate;      ///< GB/s that one lane, a thread block on a GPU, moves
};

constexpr ProtocolCosts costsOf(Protocol protocol) {
  // `simple` polls a tag, reads, and fences before it sets the next one;
  // `low_latency` polls the data, which comes with as many bytes of flags.
  //
  // The lane of `simple` is an estimate by what NCCL trusts a thread block with
  // on Hopper. Its table of tuning constants (perChMaxTreeBws in
  // src/graph/tuning.cc) limits a channel of a tree to 36.0 to 41.4 GB/s, of
  // which the algorithm has half; a rank with one child loads three times as
  // much as that and stores as much: 108 to 124 GB/s. Blink's busiest lanes
  // read one channel and write several, or the reverse, and load and
  // store 2.3 to 2.5 bytes for each that they move, buffers included: 43 to 54
  // GB/s. Ampere has 18 to 24 in that table, Volta 10 to 27.
  return protocol == Protocol::low_latency ? ProtocolCosts{1, 0.25, 0.25, 2, 16}
                                           : ProtocolCosts{2, 0.25, 2, 1, 50};
}

/// Prices of links that make a path between two ranks cost what a hop over it
/// takes, in microseconds: a link's latency, and half an overhead for each
/// GPU at its ends, so that a path over a relay costs an overhead more.
std::vector<double> hopPrices(const RankTopology &rankTopology,
                              ProtocolCosts costs);

/// `start` of `program`, in microseconds.
double startOf(const FoldProgram &program, Protocol protocol);

/// What one lane does with every byte of the buffer, and with every chunk.
struct LaneWork {
  double bytesMoved = 0;
  double slotFolds = 0;   ///< where all channels go through slots
  double directFolds = 0; ///< with zero copy, but for passive ones
  double messages = 0;    ///< microseconds, of those that leave the machine
};

/// What chunks cost lanes: of each number that of the lane that has most of it.
struct LaneChunks {
  double folds = 1;   ///< that take a chunkOverhead
  double passive = 0; ///< folds that take none

  void include(const LaneChunks &lane);
};

/// What the busiest lanes of all ranks have to do, fold by fold.
class LaneLoads {
public:
  /// The folds that follow are of another lane.
  void startLane();
  /// A fold whose messages of one round cost `messages` microseconds.
  void add(const FoldLoad &load, double messages = 0);

  /// Of the lane that moves most, for each byte of the buffer.
  double bytesMoved() const;
  /// Lanes of which none has less of everything than another one has.
  std::vector<LaneWork> work() const;

  LaneChunks slots;  ///< where all channels go through slots
  LaneChunks direct; ///< with zero copy

private:
  std::vector<LaneWork> lanes_;
  double passive_ = 0; ///< of the last one
};

/// How data moves in chunks.
struct ChunkFlow {
  double largest = 0; ///< part of the buffer that one tree carries
  double hops = 1;    ///< most that a tree's data makes, up and down
  LaneChunks slots;   ///< of calls below kDirectBytes, and of low_latency
  LaneChunks direct;  ///< of the others
  std::vector<LaneWork> lanes;
  double slotDrain = 0;   ///< what folds that end a tree move of its last chunk
  double directDrain = 0; ///< likewise, with zero copy
  double laneRate = 0;    ///< GB/s
  double linkGap = 0;     ///< microseconds per byte, of links alone
  double chunkOverhead = 0;     ///< microseconds
  double tag = 0;               ///< microseconds
  double channels = 0;          ///< that a rank reads, on average
  double slotBytes = 0;         ///< that slots of these may take
  bool network = false;         ///< some channel leaves its machine
  uint32_t mostChunk = 1 << 20; ///< that links or memory are for
  double engine = 0;       ///< microseconds of the busiest rank for a round
  double firstEngine = 0;  ///< for the first one, but for gaps
  uint32_t chunkBytes = 0; ///< of the schedule; 0: it flows word by word
  /// How short messages are cut.
  uint32_t leastChunkBytes = sched::ChunkSizes().leastBytes;
  uint32_t leastChunks = sched::ChunkSizes().leastChunks;

  sched::ChunkSizes sizes() const {
    return {chunkBytes, leastChunkBytes, leastChunks};
  }
};

/// T(S).
struct MessageTime {
  double start;      ///< microseconds
  double gapPerByte; ///< microseconds, of links or lanes, whichever are slower
  ChunkFlow flow = {};

  /// Microseconds, in the chunks that the runtime makes (ChunkSize.h).
  double at(uint64_t bytes) const;
  /// The same if lanes and messages cost nothing.
  double linksAt(uint64_t bytes) const;
  /// What a lane takes to move the last chunk, when that has come.
  double drainAt(uint64_t bytes) const;
  /// Of that what passes before the last hop has its first chunk.
  double fillAt(uint64_t bytes) const;
  /// Of it what a message of no bytes would take, were it moved like one of
  /// `bytes`.
  double startAt(uint64_t bytes) const;
};

/// What a schedule may use, and what is given to it.
struct ScheduleLimits {
  unsigned maxLanes = 16;  ///< of a rank
  uint32_t chunkBytes = 0; ///< 0: chooseChunk
};

/// What of a program's time its trees decide, in however many equal parts and
/// whatever lanes they are.
struct TreeTimes {
  double start;   ///< startOf
  double rate;    ///< of links, GB/s
  double hops;    ///< of ChunkFlow; with low_latency, whose data flows, 1
  double latency; ///< latencyOf
};
TreeTimes treeTimes(const FoldProgram &program, Protocol protocol);

/// The time that `program` takes, with the rate that links let it have, or so
/// much `part` of it. Each loose fold counts as a lane, and each of a sendrecv,
/// whose messages travel one by one. `chunkBytes` 0 is what
/// chooseChunk says. `trees`: treeTimes, where they are known: most of the work
/// is to find them.
MessageTime timeOf(const FoldProgram &program, Protocol protocol,
                   sched::ChunkSizes chunks = 0, double part = 1,
                   const TreeTimes *trees = nullptr);
/// `time` if links let it have only this `part`, up to 1, of that rate.
MessageTime keptPart(MessageTime time, double part);
/// timeOf a variant for large messages: with `simple`, and in chunks that
/// refineChunk has looked at, but for routed collectives, which go hop by hop.
MessageTime timeOfLarge(const FoldProgram &program, uint32_t chunkBytes = 0,
                        const TreeTimes *trees = nullptr);
/// The same of a variant for small messages, in chunks that are chosen for
/// kSmallReferenceBytes.
MessageTime timeOfSmall(const FoldProgram &program, Protocol protocol);

/// The folds of `packing`, in lanes.
llvm::Expected<FoldProgram> planForest(const PackingProblem &problem,
                                       const Packing &packing,
                                       Protocol protocol, unsigned maxLanes);

/// The formula at the top without chunks: `rate` in GB/s.
MessageTime messageTime(ProtocolCosts costs, double start, double rate,
                        const LaneLoads &lanes);

/// The size that what is for large messages is tuned for. Over a network one
/// that takes no longer than kReferenceTime, microseconds: what a network of 25
/// MB/s moves in that is 1 MiB.
constexpr uint64_t kReferenceBytes = 64 << 20;
constexpr double kReferenceTime = 40e3;
/// Likewise, small ones.
constexpr uint64_t kSmallReferenceBytes = 64 << 10;

/// Whether to prefer trees that take `fair` on links which share themselves
/// fairly, and keep all of their rate there, to trees that take `unfair` and do
/// not: unless the overheads of more trees, which are estimates, would make
/// kReferenceBytes a tenth slower, or a 16th of that half as slow again.
bool isWorthwhile(const MessageTime &fair, const MessageTime &unfair);

/// Slots of each channel of `simple`: the reader lags by two at most
/// (leastLag), one chunk is being written, one being read.
constexpr uint32_t kSlots = 4;
/// Where these take too much memory: none may be read and written at a time.
constexpr uint32_t kFewSlots = 3;

/// What the slots of all channels that a rank reads should take at most. Jobs
/// over many ranks have many channels, and more is gained by large chunks.
constexpr double slotBytesOfRank(int numRanks) {
  return numRanks > kFewRanks ? 128 << 20 : 40 << 20;
}

/// The largest power of two from 16 KiB to 1 MiB, over a network from 64 to 256
/// KiB (with a `reference` from 4) and no more than mostMessage
/// (NetworkCosts.h), that is, to 2 %, as fast a chunk for kReferenceBytes, and
/// a quarter of them, as the fastest, up to 64 KiB to 5 %. Where the pipeline
/// takes more than 2 % of that to fill, smaller ones, down to 64 KiB, as long
/// as that costs no more than 5 %, and messages of 1 GiB no more than 1 %:
/// overheads that links hide are estimates, and what they do not hide should
/// not grow. Above 64 KiB only such that kFewSlots of them for each channel of
/// a rank take no more than slotBytesOfRank.
/// `reference`: instead of kReferenceBytes.
uint32_t chooseChunk(MessageTime time, uint64_t reference = 0);

/// Whether chunks may be so large: no more than links or memory are for, and
/// above 64 KiB such that kFewSlots of them for each channel of a rank take no
/// more than slotBytesOfRank.
bool isAllowed(const ChunkFlow &flow, uint32_t chunk);

/// What stands for all long messages where schedules are compared: the
/// geometric mean of six times, of a quarter of kReferenceBytes, of these, and
/// of four times that, by the model, and if lanes and messages cost nothing.
/// Microseconds.
double timeOfLong(const MessageTime &time);
/// Whether that is less than this `part` of what it is in `other`, and none
/// from kReferenceBytes on is 2 % longer by the model, nor that of 1 GiB 1 %,
/// nor on links 5 % or, from four times kReferenceBytes on, 1 %.
bool isFasterWhenLong(const MessageTime &time, const MessageTime &other,
                      double part);

/// Powers of two are far apart, and what fills a pipeline is no estimate. So
/// unless pipelines of `time` fill within 1 % of four times kReferenceBytes:
/// from half of its chunk to less than twice of it, in eighths of it, that with
/// the least product of the times that timeOfLong looks at. None may be longer
/// than before by more than isFasterWhenLong allows, and the product is to be
/// 2 % less. Then, where pipelines take more than 3 % of the longer
/// message to fill, over a network 5 %, the first smaller one with which they
/// do not, if that is within 3 %, and of the longest message within 2 %. The
/// first bytes count as filling, those of the model or, if no chunk is small
/// enough for them, as many as links' `latency` takes. No smaller one than 64
/// KiB.
uint32_t refineChunk(const MessageTime &time, double latency);

/// `time`, of a variant for large messages, with those that are too short for
/// its chunks cut as is usual (ChunkSize.h), or, if that makes messages of 512
/// KiB to 16 MiB 2 % shorter on average and none 1 % longer, in at least 4 to
/// 32 chunks of no less than 32 to 64 KiB, or 8 where no lane has several
/// folds. Over a network as cutLongMessages says: windows are for large chunks.
MessageTime cutShortMessages(MessageTime time);

/// `time`, of a variant for small messages over a network, cut as is usual or,
/// if that makes messages of 128 KiB to 4 MiB 2 % shorter on average and none 1
/// % longer, in fewer chunks of more: each costs lanes a turn and its messages.
MessageTime cutInFewer(MessageTime time);

/// `time`, of what goes over a network in chunks that fill no packet, with such
/// that do where a tree has many: for processors, whose work between servers
/// the model takes for less than it is.
MessageTime fillPackets(MessageTime time);

/// `time`, of a variant for large messages over a network, with larger chunks
/// for the longest ones where that makes 1 GiB 5 % shorter by the model, and on
/// links no more than 3 % longer. Messages of which a tree carries less than
/// some number of these (ChunkSizes::leastChunks) go in chunks as large as
/// before: from 64 to 256 MiB none is 1 % longer, by the model or on links, and
/// shorter ones, of which trees have few chunks, 8 % by the model.
MessageTime cutLongMessages(MessageTime time);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_TIMEMODEL_H
