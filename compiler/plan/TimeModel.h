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
// in the terms of LogP (Culler et al., 1993), with the gap per byte G of LogGP
// (Alexandrov et al., 1995). The third term of the maximum is that of the lane
// in which it is the greatest.
//
// `rate` is what the links sustain (rateOfShares), `laneRate` what one lane can
// move, and `bytesMoved` how often the busiest lane moves the buffer: half of
// what its folds load and store. So a copy moves its bytes once, and a root
// that reduces eight inputs into eight outputs moves them eight times. With
// `simple`, moves are counted with zero copy (FoldMoves.h), as in large
// messages, so passive folds move nothing.
//
// `start` is when the last rank would have a message of no size. On the slowest
// route through a tree each hop takes the latencies of its links and an
// `overhead`; if a fold reads or writes several channels, each after the first
// waits a `gap` longer. This is the postal model (Bar-Noy and Kipnis, 1992)
// over the links of the machine.
//
// A lane takes its folds one by one, chunk after chunk. Each fold after the
// first costs it a `chunkOverhead`, which is hidden while the lane waits for
// links. With zero copy a passive fold costs no `chunkOverhead`, but it costs
// the call a tag, which takes as long as a `gap`. All trees have equally many
// chunks (Geometry.h), and a round moves the same part of each. A chunk is
// passed on when all of it has arrived, so the last of the h hops of a tree
// begins h - 1 rounds late: this is the `pipelineFill`. Folds that only move
// chunks to an output are still moving the last chunk when the links are done:
// this is the `drain`. Words of `low_latency` flow through a fold one by one,
// so there only the folds of a lane count, once each.
//
// Chunks that leave their machine are messages of an engine, which cost the
// lanes of both ends (NetworkCosts.h): they add to the gaps of folds that write
// or read several channels, and to the lane's overheads in each round after the
// first. Part of this work falls on one processor that handles the messages of
// all lanes of a rank. For all rounds together it takes
//
//     engine = (rounds - 1) x sum of what a rank's channels cost it
//              + the part of that sum that gaps do not already include,
//
// which is also hidden while links are slower. Where chunks of several senders
// meet, the last ones are late, which adds an incastTime to T of large
// messages. Programs that cross a network use `simple` alone: lines of flags
// need memory that both ends see.
//
// The constants are estimates for GPUs of the last years, not measurements.
// They weigh hops against gaps and choose sizes; no proof rests on them.
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
  /// Microseconds of a lane for each further fold and chunk.
  double chunkOverhead;
  double wireBytes; ///< on the links for each byte of data
  double laneRate;  ///< GB/s that one lane, a thread block on a GPU, moves
};

constexpr ProtocolCosts costsOf(Protocol protocol) {
  // `simple` polls a tag, reads, and fences before it sets the next one;
  // `low_latency` polls the data, which comes with as many bytes of flags.
  //
  // The lane rate of `simple` is estimated from what NCCL expects of a thread
  // block on Hopper. Its table of tuning constants (perChMaxTreeBws in
  // src/graph/tuning.cc) limits a channel of a tree to 36.0 to 41.4 GB/s, half
  // of which is the rate of the algorithm. A rank with one child loads three
  // times that rate and stores as much: 108 to 124 GB/s in all. Blink's busiest
  // lanes read one channel and write several, or the reverse, and load and
  // store 2.3 to 2.5 bytes for each that they move, buffers included: 43 to
  // 54 GB/s. That table has 18 to 24 for Ampere and 10 to 27 for Volta.
  return protocol == Protocol::low_latency ? ProtocolCosts{1, 0.25, 0.25, 2, 16}
                                           : ProtocolCosts{2, 0.25, 2, 1, 50};
}

/// Returns prices of links at which a path between two ranks costs as many
/// microseconds as a hop over it takes: a link costs its latency, and half an
/// overhead for each GPU at its ends, so that a path over a relay costs an
/// overhead more.
std::vector<double> hopPrices(const RankTopology &rankTopology,
                              ProtocolCosts costs);

/// Returns `start` of `program` in microseconds.
double startOf(const FoldProgram &program, Protocol protocol);

/// The work of one lane for each byte of the buffer and for each chunk.
struct LaneWork {
  double bytesMoved = 0;
  double slotFolds = 0;   ///< folds, if all channels go through slots
  double directFolds = 0; ///< folds with zero copy, except passive ones
  double messages = 0;    ///< microseconds for messages that leave the machine
};

/// What chunks cost lanes: of each number the maximum over the lanes.
struct LaneChunks {
  double folds = 1;   ///< folds that take a chunkOverhead
  double passive = 0; ///< folds that take no chunkOverhead

  void include(const LaneChunks &lane);
};

/// The work of the busiest lanes of all ranks, collected fold by fold.
class LaneLoads {
public:
  /// Begins a new lane, to which the folds added next belong.
  void startLane();
  /// Adds a fold, whose messages in one round cost `messages` microseconds.
  void add(const FoldLoad &load, double messages = 0);

  /// Returns the bytes that the busiest lane moves for each byte of the buffer.
  double bytesMoved() const;
  /// Returns the lanes of which no other lane has at least as much of
  /// everything.
  std::vector<LaneWork> work() const;

  LaneChunks slots;  ///< if all channels go through slots
  LaneChunks direct; ///< with zero copy

private:
  std::vector<LaneWork> lanes_;
  double passive_ = 0; ///< passive folds of the last lane
};

/// How data moves in chunks.
struct ChunkFlow {
  double largest = 0; ///< largest part of the buffer that a tree carries
  double hops = 1;    ///< TreeTimes::hops
  LaneChunks slots;   ///< for calls below kDirectBytes, and low_latency
  LaneChunks direct;  ///< for all other calls
  std::vector<LaneWork> lanes;
  double slotDrain = 0;   ///< moves of the last chunk by folds that end a tree
  double directDrain = 0; ///< the same with zero copy
  double laneRate = 0;    ///< GB/s
  double linkGap = 0;     ///< microseconds per byte, of links alone
  double chunkOverhead = 0;     ///< microseconds
  double tag = 0;               ///< microseconds
  double channels = 0;          ///< number that a rank reads, on average
  double slotBytes = 0;         ///< bytes that the slots of these may take
  bool network = false;         ///< some channel leaves its machine
  uint32_t mostChunk = 1 << 20; ///< most bytes that links allow
  double engine = 0; ///< microseconds of the busiest rank's processor a round
  double firstEngine = 0;  ///< the same in the first round, without gaps
  double incast = 0;       ///< incastOf the program, if it is counted
  uint32_t chunkBytes = 0; ///< of the schedule; 0: data flows word by word
  /// How short messages are cut (ChunkSize.h).
  uint32_t leastChunkBytes = sched::ChunkSizes().leastBytes;
  uint32_t leastChunks = sched::ChunkSizes().leastChunks;

  sched::ChunkSizes sizes() const {
    return {chunkBytes, leastChunkBytes, leastChunks};
  }
};

/// T(S) of a program.
struct MessageTime {
  double start;      ///< microseconds
  double gapPerByte; ///< microseconds, of links or lanes, the slower ones
  ChunkFlow flow = {};

  /// Returns the time in microseconds, with the chunks that the runtime makes
  /// (ChunkSize.h).
  double at(uint64_t bytes) const;
  /// Returns the same time if lanes and messages cost nothing.
  double linksAt(uint64_t bytes) const;
  /// Returns the time that a lane takes to move the last chunk once it has
  /// arrived.
  double drainAt(uint64_t bytes) const;
  /// Returns the part of at() that passes before the last hop has its first
  /// chunk.
  double fillAt(uint64_t bytes) const;
  /// Returns the part of at() for which the last chunks of several senders
  /// are late (NetworkCosts.h).
  double incastAt(uint64_t bytes) const;
  /// Returns the time that each round after the first adds to a message of
  /// `bytes` that moves in `rounds` equal ones.
  double roundAt(uint64_t bytes, double rounds) const;
  /// Returns the part of at() that a message of no bytes would take if it were
  /// moved like one of `bytes`.
  double startAt(uint64_t bytes) const;
};

/// The resources that a schedule may use, and the chunk size that the user asks
/// for.
struct ScheduleLimits {
  unsigned maxLanes = 16;  ///< of a rank; see DefaultLanes.h
  uint32_t chunkBytes = 0; ///< 0: chooseChunk decides
};

/// The part of a program's time that depends only on its trees, not on lanes
/// nor on the number of equal parts. Transfers are counted in those of the
/// busiest links.
struct TreeTimes {
  double start;   ///< of startOf
  double rate;    ///< of links, GB/s
  double hops;    ///< transfers of a chunk one after the other; low_latency: 1
  double latency; ///< of latencyOf
};
TreeTimes treeTimes(const FoldProgram &program, Protocol protocol);

/// Returns the time that `program` takes at `part` of the rate that links allow
/// it. Each loose fold counts as a lane, and so does each fold of a sendrecv,
/// whose messages travel one by one. If `chunks` has 0 bytes, chooseChunk
/// decides. `trees` holds the treeTimes if they are known; finding them is most
/// of the work.
MessageTime timeOf(const FoldProgram &program, Protocol protocol,
                   sched::ChunkSizes chunks = 0, double part = 1,
                   const TreeTimes *trees = nullptr);
/// Returns `time` as it is if links allow only this `part`, up to 1, of their
/// rate.
MessageTime keptPart(MessageTime time, double part);
/// Returns timeOf a variant for large messages: with `simple`, with incasts,
/// and in chunks that refineChunk has adjusted. Routed collectives are exempt
/// from that, because their data goes hop by hop.
MessageTime timeOfLarge(const FoldProgram &program, uint32_t chunkBytes = 0,
                        const TreeTimes *trees = nullptr);
/// Returns the time of a variant for small messages, in chunks that are chosen
/// for kSmallReferenceBytes.
MessageTime timeOfSmall(const FoldProgram &program, Protocol protocol);

/// Returns the folds of `packing` in lanes.
llvm::Expected<FoldProgram> planForest(const PackingProblem &problem,
                                       const Packing &packing,
                                       Protocol protocol, unsigned maxLanes);

/// Returns the formula at the top without chunks. `rate` is in GB/s.
MessageTime messageTime(ProtocolCosts costs, double start, double rate,
                        const LaneLoads &lanes);

/// The size for which variants for large messages are tuned. Over a network it
/// is reduced so far that a message takes no longer than kReferenceTime, in
/// microseconds; a network of 25 MB/s moves 1 MiB in that time.
constexpr uint64_t kReferenceBytes = 64 << 20;
constexpr double kReferenceTime = 40e3;
/// The size for which variants for small messages are tuned.
constexpr uint64_t kSmallReferenceBytes = 64 << 10;

/// Returns true if trees that keep all of their rate on links which share
/// themselves fairly, and take `fair` there, are preferable to trees that do
/// not and take `unfair`. They are preferable unless the overheads of more
/// trees, which are estimates, would make kReferenceBytes a tenth slower, or a
/// 16th of that half as slow again.
bool isWorthwhile(const MessageTime &fair, const MessageTime &unfair);

/// Slots of each channel of `simple`: the reader lags by at most two chunks
/// (leastLag), one more is being written and one is being read.
constexpr uint32_t kSlots = 4;
/// Slots of each channel if kSlots take too much memory: a chunk cannot then be
/// written while another one is being read.
constexpr uint32_t kFewSlots = 3;

/// Returns the bytes that the slots of all channels that a rank reads should
/// take at most. Jobs over many ranks have many channels, and gain more from
/// large chunks.
constexpr double slotBytesOfRank(int numRanks) {
  return numRanks > kFewRanks ? 128 << 20 : 40 << 20;
}

/// Returns the chunk size for kReferenceBytes (or `reference`, if not 0): a
/// power of two from 16 KiB to 1 MiB that isAllowed; over a network from
/// 64 KiB, or from 4 KiB with a `reference`, to mostMessage (NetworkCosts.h).
///
/// The choice starts with the largest chunk that is within 2 % of the fastest
/// one at that size and at a quarter of it; up to 64 KiB, within 5 % at that
/// size. If the pipeline takes more than 2 % of the time to fill, chunks become
/// smaller, down to 64 KiB, as long as that costs no more than 5 %, and
/// messages of 1 GiB no more than 1 %. The reason is that overheads which links
/// hide are estimates, whereas the time to fill, which they do not hide, should
/// not grow.
uint32_t chooseChunk(MessageTime time, uint64_t reference = 0);

/// Returns true if chunks may have this size: no more than links allow, and
/// above 64 KiB only if kFewSlots of them for each channel of a rank take no
/// more than slotBytesOfRank.
bool isAllowed(const ChunkFlow &flow, uint32_t chunk);

/// Returns the time in microseconds that stands for all long messages when
/// schedules are compared: the geometric mean of six times. They are those of a
/// quarter of kReferenceBytes, of kReferenceBytes and of four times that, each
/// by the model and on links, that is, as if lanes and messages cost nothing.
double timeOfLong(const MessageTime &time);
/// Returns true if timeOfLong of `time` is less than this `part` of that of
/// `other`, and no long message takes much longer. By the model, that is 2 %
/// from kReferenceBytes on and 1 % for 1 GiB; on links 5 % for kReferenceBytes
/// and 1 % from four times that on.
bool isFasterWhenLong(const MessageTime &time, const MessageTime &other,
                      double part);

/// Returns a better chunk size than the power of two of `time`, because powers
/// of two are far apart, and the time to fill a pipeline is no estimate. If
/// pipelines fill within 1 % of the time of four times kReferenceBytes, the
/// size stays.
///
/// Otherwise, sizes from half of it to less than twice of it are tried, in
/// steps of an eighth below it and a quarter above it. The one with the least
/// timeOfLong is taken if it makes the product of timeOfLong's six times 2 %
/// less and is within the limits of isFasterWhenLong. Then, if pipelines take
/// more than 3 % of the longer message to fill, over a network 5 %, the first
/// smaller size is taken with which they do not, provided that times stay
/// within 3 %, and that of the longest message within 2 %. The time to fill
/// includes the arrival of the first bytes: by the model or, if no chunk is
/// small enough for that, only the `latency` of links. The result is below
/// 64 KiB only if the given size is.
uint32_t refineChunk(const MessageTime &time, double latency);

/// Returns `time`, of a variant for large messages, with the best cut for
/// messages that are too short for its chunks. Without a change they are cut as
/// usual (ChunkSize.h). If it makes messages of 512 KiB to 16 MiB 2 % shorter
/// on average and none 1 % longer, they are cut into at least 4 to 32 chunks of
/// no less than 32 to 64 KiB, or of no less than 8 KiB if no lane has several
/// folds. Over a network returns cutLongMessages instead, since windows are for
/// large chunks.
MessageTime cutShortMessages(MessageTime time);

/// Returns `time`, of a variant for small messages over a network, cut as usual
/// or, if that makes messages of 128 KiB to 4 MiB 2 % shorter on average and
/// none 1 % longer, into fewer and larger chunks, since each chunk costs lanes
/// a turn and its messages.
MessageTime cutInFewer(MessageTime time);

/// Returns `time` with chunks that fill a packet if its chunks do not, it goes
/// over a network, and a tree has many of them. This relieves processors, whose
/// work between servers the model underestimates.
MessageTime fillPackets(MessageTime time);

/// Returns `time`, of a variant for large messages over a network, with larger
/// chunks for the longest messages if that makes 1 GiB 5 % shorter by the
/// model, and no more than 3 % longer on links. If a tree carries fewer than
/// some number of these chunks of a message (ChunkSizes::leastChunks), the
/// message is cut into chunks as large as before. No message of 64 to 256 MiB
/// becomes 1 % longer, by the model or on links. Shorter ones, of which trees
/// have few chunks, may become 5 % longer by the model.
MessageTime cutLongMessages(MessageTime time);

} // namespace blink

#endif // BLINK_COMPILER_PLAN_TIMEMODEL_H
