//===- RankRun.h - one rank's collective being replayed ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The interpreter without its threads: lanes that are stepped as far as they
// get by any thread that calls progress(), which decides how to wait.
// TransferPlan.h decides how chunks move; a call goes like this:
//
//   start()     chooses the TransferPlan
//      |        another use of slots that several ranks read?  drain(): nothing
//      |        is written to a slot before all of them have read what is there
//      v
//   progress()  steps each lane that nobody else steps
//   stepLane()  runs a fold once the chunks of its sources have come, and each
//      |        ring it writes has a free slot; tells the readers in the heads
//      |        of these slots where the chunk is:
//      |
//      |        Delivery      the fold writes   head in ring A   in ring B
//      |        slot          a slot of each    this slot        this slot
//      |        sharedSlot    a slot of A       this slot        that slot of A
//      |        borrowInput   no slot           the input        the input
//      |        borrowOutput  no slot           the output       the output
//      v
//   finished()  all lanes are done, and readers with the chunks they borrowed
//
// Beside slots, a fold writes the outputs of its step. A reader looks at a
// borrowed chunk where it is, or fetches it through the kernel.
//
// RankRun.cpp starts calls and steps lanes, RankRunFold.cpp runs folds, and
// RankRunWaits.cpp has what lanes wait for besides chunks and slots.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_HOST_RANKRUN_H
#define BLINK_RUNTIME_HOST_RANKRUN_H

#include "runtime/core/LaneCursor.h"
#include "runtime/core/Ring.h"
#include "runtime/core/TraceEvent.h"
#include "runtime/host/Fold.h"
#include "runtime/host/HostRings.h"
#include "runtime/host/Pieces.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>

namespace blink::runtime {

/// What a lane waits for.
struct Need {
  uint32_t lane = 0;
  uint32_t step = 0;
  uint32_t channel = 0;
  bool reading = false;  ///< a chunk; else a free slot
  uint64_t expected = 0; ///< chunks written, or read, since the job began
  uint64_t seen = 0;
};

/// Called before each fold, for tests that kill, delay or corrupt.
using StepHook = void (*)(int rank, uint32_t lane, uint32_t step,
                          uint64_t chunk, HostRings &rings);
extern std::atomic<StepHook> stepHook;

/// On cache lines of its own: the next one's rank runs at the same time.
class alignas(64) RankRun {
public:
  /// Makes room, so that no call allocates. `plan` and `rings` outlive it. One
  /// run has the calls of collectives, or messages to one rank, or from one.
  RankRun(const Plan &plan, HostRings &rings, int rank, bool traces);

  /// Begins a call, which outlives it. The one before has ended. `together`: as
  /// of chooseVariant.
  void start(const Call &call, bool together);

  /// Whether the first chunk of the message that `call` receives is there. No
  /// call of its queue is under way.
  static bool hasArrived(const HostRings &rings, const Call &call);

  /// Whether other threads step the call that has begun, too: large folds are
  /// cut into pieces for them.
  void expectWorkers(bool workers) { hasWorkers_ = workers; }

  /// Steps every lane that nobody else steps as far as it gets, and takes
  /// pieces of the folds of others. Returns whether anything got anywhere. Any
  /// number of threads at once.
  bool progress();

  /// Whether all lanes are done, and nobody reads this rank's buffers any more.
  /// What the lanes wrote is visible to a caller that sees true.
  bool finished();

  /// Whether transports have all that the call has posted on its way.
  bool flushed() const;

  /// After a failure: waits until no thread is in a fold of this rank's, which
  /// may read another's buffers.
  void waitUntilQuiet() const;

  /// Whether a lane of it has failed the job. After waitUntilQuiet().
  bool failedJob() const { return failedJob_.load(std::memory_order_relaxed); }

  /// Folds run so far, to see whether anything moves.
  uint64_t foldsRun() const;

  /// Whether a call has begun and some of its lanes are not done. A thread that
  /// sees true sees what start() did.
  bool hasLanesLeft() const {
    return lanesLeft_.load(std::memory_order_acquire) != 0;
  }

  /// What the first lane that is not done waits for; nothing if it could go on.
  /// One that waits for a ring that `concerns` comes first. For messages, when
  /// nobody steps the lanes.
  std::optional<Need>
  firstNeed(const std::function<bool(uint32_t ring)> &concerns = {});
  /// What the call waits for when nothing moves, as a code for waitedFor(): the
  /// first lane that is not done decides, and then whoever has what was lent. 0
  /// if that is none of the ranks. By the thread that made the call.
  uint32_t lastWait() const;
  /// Whether all that the call waits for comes over transports. Likewise.
  bool awaitsTransports() const;
  /// The rank at the other end of it; -1 of 0.
  int waitedFor(uint32_t code) const;
  /// Tells what each lane of the call waits for that waits: the lane's place
  /// and need.
  void
  eachNeed(const std::function<void(size_t place, const Need &need)> &tell);
  /// Lanes that the call has, among which eachNeed's places are.
  uint32_t numActive() const { return numActive_; }
  /// The rank at the other end of what a lane needs.
  int peerOf(const Need &need) const {
    const RingPlan &ring = plan_.rings[variant_->rings[need.channel]];
    return need.reading ? ring.source : ring.destination;
  }
  /// Where lanes are done, but not all has gone that they have posted.
  std::optional<Need> firstUnflushed() const;

  /// What a lane did, if the run traces; nobody may be stepping.
  const LaneTrace &trace(uint32_t lane) const { return *traces_[lane]; }

  const Call &call() const { return *call_; }
  const VariantPlan &variant() const { return *variant_; }

private:
  struct alignas(64) Lane {
    /// 1 while a thread steps the lane. Exchanged with acquire and released
    /// with release, so what one thread did the next one sees; sequentially
    /// consistent for waitUntilQuiet (Segment::failed).
    std::atomic<uint32_t> claimed{0};
    bool done = false;
    /// The channel that stopped it last: twice its number, and 1 more for a
    /// chunk of it, and 1; 0 when done. Relaxed: a hint.
    std::atomic<uint32_t> waited{0};
    uint32_t number = 0;
    const StepCode *steps = nullptr;
    uint32_t numSteps = 0;
    LaneCursor cursor;
    std::vector<void *> pointers; ///< sources, then destinations
    /// So far. Written by who has claimed the lane; relaxed: others only want
    /// to know whether it grows. Not added to in one go, which would wait until
    /// readers have let go of the lines of the chunks before.
    std::atomic<uint64_t> foldsRun{0};
    uint64_t idleSince = 0; ///< of the trace: when the last fold ended
    Pieces pieces;          ///< of the fold it is at
  };

  static constexpr uint32_t kLentRing = 1u << 31; ///< in codes

  bool findWindows(const Call &call);
  void plan(const Call &call, const VariantPlan &variant);
  void prepare();
  void prepareCollective();
  void prepareMessage();
  void prepareTree(uint32_t tree);
  void addLane(uint32_t number, const StepCode *steps, uint32_t numSteps);
  bool carries(const StepCode &step) const;
  bool progressAlone();
  bool stepLane(Lane &lane);
  bool chunkMissing(const OperandCode &operand, Need *need) const;
  bool slotMissing(const OperandCode &operand, Need *need);

  // RankRunWaits.cpp
  void drain(const RankPlan &before, const std::vector<uint32_t> &rings);
  bool stillDraining(Need *need);
  void checkSignature(uint32_t channel, uint64_t tag);
  void failJob(const Status &why);
  std::vector<uint32_t>::const_iterator unflushedRing() const;
  std::optional<Need> needOf(const Lane &lane);
  /// Of the lane that writes to the ring, at the reader.
  Need needOf(uint32_t ring) const;

  // RankRunFold.cpp
  struct ChunkPlace;
  bool fold(Lane &lane, const StepCode &step);
  bool foldTraced(Lane &lane, const StepCode &step);
  static uint64_t nanoseconds(); ///< of traces
  ChunkPlace point(Lane &lane, const StepCode &step, ElementRange range) const;
  template <typename Work>
  int inPieces(Lane &lane, uint64_t bytes, const Work &work);
  bool fetch(Lane &lane, const StepCode &step, uint64_t bytes, bool copies);
  uint32_t contributionOf(const StepCode &step) const;
  void combine(Lane &lane, const StepCode &step, uint32_t destinations,
               uint64_t bytes, uint32_t divisor, uint32_t numStreamed);
  void foldScaled(void **pointers, const StepCode &step, uint32_t destinations,
                  uint64_t bytes, uint32_t numStreamed) const;
  void foldElements(void *const *pointers, const StepCode &step,
                    uint32_t destinations, uint64_t count, uint32_t divisor,
                    uint32_t numStreamed) const;
  void publish(const StepCode &step, const ChunkPlace &place, uint64_t bytes);
  ElementRange rangeOf(const Lane &lane, const StepCode &step) const;
  char *bufferAt(const OperandCode &operand, ElementRange range) const;
  char *slotAt(const RingEnd &end, uint32_t channel, uint64_t bytes) const;
  char *chunkAt(const RingEnd &end, uint32_t channel, uint64_t bytes) const;

  RingEnd &writerOf(const OperandCode &operand) const {
    return rings_.writers[variant_->rings[operand.index]];
  }
  RingEnd &readerOf(const OperandCode &operand) const {
    return rings_.readers[variant_->rings[operand.index]];
  }
  /// Of the end's next chunk, in a ring as `channel` has it.
  uint64_t slotNumber(const RingEnd &end, uint32_t channel) const {
    // Nearly always a power of two, and short messages feel a division.
    const uint32_t slots = variant_->slots[channel];
    return (slots & (slots - 1)) == 0 ? end.number & (slots - 1)
                                      : end.number % slots;
  }
  SlotHead &headAt(const RingEnd &end, uint32_t channel) const {
    return end.heads[slotNumber(end, channel)];
  }
  /// Bytes of an element of operand number `i` of the step. What a step writes
  /// is all partial sums, or none is.
  uint32_t elementBytes(const StepCode &step, uint32_t i) const {
    const CallShape &shape = transfers_.shape;
    return wideFold_
               ? shape.bytesOf(transfers_.rank->partial[step.operandsBegin + i])
               : shape.elementBytes;
  }
  /// Element number `element` of what pointer number `i` of the step leads to.
  void *at(void *const *pointers, const StepCode &step, uint32_t i,
           uint64_t element) const {
    return static_cast<char *>(pointers[i]) +
           element * elementBytes(step, std::min(i, uint32_t(step.sources)));
  }
  const OperandCode *operandsOf(const StepCode &step) const {
    return transfers_.rank->code.operands + step.operandsBegin;
  }
  auto roundsOf(const Lane &lane) const {
    return [this, &lane](uint32_t s) {
      const StepCode &step = lane.steps[s];
      return StepRounds{chunks_[step.tree], step.delay};
    };
  }

  const Plan &plan_;
  HostRings &rings_;
  const int rank_;
  HostEnvironment host_; ///< as of the last call's start
  std::atomic<bool> failedJob_{false};

  std::vector<std::unique_ptr<LaneTrace>> traces_; ///< of each lane, or none

  // Of the last call; kept when the next one has the same shape and
  // deliveries.
  const VariantPlan *variant_ = nullptr;
  TransferPlan transfers_;
  std::vector<ElementRange> ranges_; ///< of each tree
  std::vector<uint32_t> chunkBytes_; ///< of each tree
  std::vector<uint64_t> chunks_;     ///< of each tree
  std::vector<Lane> lanes_;
  uint32_t numActive_ = 0;   ///< the first lanes: those with work
  uint64_t blockStride_ = 0; ///< bytes from a buffer's block to the next
  std::vector<uint32_t> borrowedRings_; ///< whose readers look at our buffers
  std::vector<uint32_t> carriedRings_;  ///< to which a transport takes chunks

  /// Rings whose readers may look at slots of others, and how far they must
  /// have come before those may be used in another way.
  std::vector<std::pair<uint32_t, uint64_t>> drain_;
  /// Whether readers of drain_ may not have come so far yet. Cleared with
  /// release by the thread that saw, with acquire, that all have; loaded with
  /// acquire by the thread that then writes.
  std::atomic<bool> draining_{false};

  // Of the call.
  const Call *call_ = nullptr;
  CallKind kind_; ///< as if there was none before: of no elements
  FoldFunction fold_ = nullptr;
  WideFoldFunction wideFold_ =
      nullptr;                    ///< instead, where partial sums are wide
  ScaleFunction scale_ = nullptr; ///< as of the rest, if transfers_.scaled
  uint64_t scalar_ = 0;
  uint64_t signature_ = 0;
  /// Added to addresses that readers borrow: in windows, Windows::covers.
  uint64_t inputShift_ = 0, outputShift_ = 0;
  bool hasWorkers_ = false; ///< others than the caller step lanes
  std::atomic<uint32_t> lanesLeft_{0};
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_RANKRUN_H
