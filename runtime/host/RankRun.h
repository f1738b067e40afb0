//===- RankRun.h - one rank's collective being replayed ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The interpreter without its threads: any thread that calls progress() steps
// the lanes as far as they get, and decides itself how to wait. TransferPlan.h
// decides how chunks move; a call goes like this:
//
//   start()     chooses the TransferPlan
//      |        another use of slots that several ranks read?  drain(): nothing
//      |        is written to a slot before all of them have read what is there
//      v
//   progress()  steps each lane that no other thread steps
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
// Besides slots, a fold writes the outputs of its step. A reader uses a
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

/// A lane's need: the chunk or the free slot that it waits for.
struct Need {
  uint32_t lane = 0;
  uint32_t step = 0;
  uint32_t channel = 0;
  bool reading = false;  ///< true: a chunk; false: a free slot
  uint64_t expected = 0; ///< chunks written or read since the job began
  uint64_t seen = 0;
};

/// Called before each fold, for tests that kill, delay or corrupt.
using StepHook = void (*)(int rank, uint32_t lane, uint32_t step,
                          uint64_t chunk, HostRings &rings);
extern std::atomic<StepHook> stepHook;

/// On cache lines of its own, because other ranks' runs are used at the same
/// time.
class alignas(64) RankRun {
public:
  /// Reserves memory, so that no call allocates. `plan` and `rings` must
  /// outlive the run. A run has either the calls of collectives, or the
  /// messages to one rank, or those from one rank.
  RankRun(const Plan &plan, HostRings &rings, int rank, bool traces);

  /// Begins a call, which must outlive it. The previous call must have ended.
  /// `together`: see chooseVariant.
  void start(const Call &call, bool together);

  /// Returns true if the first chunk of the message that `call` receives is
  /// there. No call of its queue may be under way.
  static bool hasArrived(const HostRings &rings, const Call &call);

  /// Sets whether other threads also step the call that has begun. If so, large
  /// folds are cut into pieces for them.
  void expectWorkers(bool workers) { hasWorkers_ = workers; }

  /// Steps every lane that no other thread steps as far as it gets, and takes
  /// pieces of folds that other threads run. Returns whether anything moved.
  /// Any number of threads may call it at once.
  bool progress();

  /// Returns true once all lanes are done, no rank reads this rank's buffers
  /// any more, and transports have sent what they took. What the lanes wrote is
  /// visible to a caller that sees true.
  bool finished();

  /// Returns true if transports have sent everything that the call has posted.
  bool flushed() const;

  /// After a failure: waits until no thread is in a fold of this rank, which
  /// might read another rank's buffers.
  void waitUntilQuiet() const;

  /// Whether a lane of this run has failed the job. To be called after
  /// waitUntilQuiet().
  bool failedJob() const { return failedJob_.load(std::memory_order_relaxed); }

  /// Folds run so far; grows whenever a lane moves.
  uint64_t foldsRun() const;

  /// Returns true if a call has begun and some of its lanes are not done. A
  /// thread that sees true also sees what start() did.
  bool hasLanesLeft() const {
    return lanesLeft_.load(std::memory_order_acquire) != 0;
  }

  /// Returns what the first lane that is not done waits for, if it waits. A
  /// lane that waits for a ring for which `concerns` returns true is preferred.
  /// If no lane waits, returns the need of a ring whose reader still has a
  /// borrowed chunk, or else std::nullopt. For error messages, when no thread
  /// steps the lanes.
  std::optional<Need>
  firstNeed(const std::function<bool(uint32_t ring)> &concerns = {});
  /// Returns what the call waits for when nothing moves, as a code for
  /// waitedFor(): what stopped the first lane that is not done, or if all are,
  /// a ring whose reader still has a borrowed chunk. 0 if it waits for no rank.
  /// Only the thread that made the call may call it.
  uint32_t lastWait() const;
  /// Returns true if everything that the call waits for comes over transports.
  /// Only the thread that made the call may call it.
  bool awaitsTransports() const;
  /// Returns the rank at the other end of what `code` stands for; -1 for 0.
  int waitedFor(uint32_t code) const;
  /// Calls `tell` for each lane of the call that waits, with the lane's place
  /// and what it waits for.
  void
  eachNeed(const std::function<void(size_t place, const Need &need)> &tell);
  /// The number of lanes that the call has; eachNeed's places are below it.
  uint32_t numActive() const { return numActive_; }
  /// Returns the rank at the other end of what a lane needs.
  int peerOf(const Need &need) const {
    const RingPlan &ring = plan_.rings[variant_->rings[need.channel]];
    return need.reading ? ring.source : ring.destination;
  }
  /// Returns what the call waits for if its lanes are done but a transport has
  /// not sent everything that they posted; else std::nullopt.
  std::optional<Need> firstUnflushed() const;

  /// The trace of a lane, if the run traces. No thread may be stepping the
  /// lane.
  const LaneTrace &trace(uint32_t lane) const { return *traces_[lane]; }

  const Call &call() const { return *call_; }
  const VariantPlan &variant() const { return *variant_; }

private:
  struct alignas(64) Lane {
    /// 1 while a thread steps the lane. Exchanged with acquire and stored with
    /// release, so that each thread sees what the previous one did. The
    /// exchange is sequentially consistent for the sake of waitUntilQuiet
    /// (Segment::failed).
    std::atomic<uint32_t> claimed{0};
    bool done = false;
    /// The code of what stopped the lane last: 2 * channel + 1 for a free slot,
    /// 2 * channel + 2 for a chunk; 0 when the lane is done. Relaxed, because
    /// it is a hint.
    std::atomic<uint32_t> waited{0};
    uint32_t number = 0;
    const StepCode *steps = nullptr;
    uint32_t numSteps = 0;
    LaneCursor cursor;
    std::vector<void *> pointers; ///< sources, then destinations
    /// The round of the next fold, or kNoRound if there is none. Kept up to
    /// date if the run is paced, by the thread that has claimed the lane.
    /// Relaxed: it only grows during a call, so one that is out of date holds
    /// lanes back for longer, and no data depends on it.
    std::atomic<uint64_t> round{0};
    /// Folds run so far. Written by the thread that has claimed the lane.
    /// Relaxed: other threads only want to know whether it grows. Not
    /// incremented by an atomic addition, which would wait for the stores to
    /// lines of earlier chunks that readers still hold.
    std::atomic<uint64_t> foldsRun{0};
    uint64_t idleSince = 0; ///< for the trace: when the last fold ended
    Pieces pieces;          ///< of the fold that the lane is at
  };

  static constexpr uint64_t kNoRound = ~uint64_t(0);
  /// How many rounds lanes of a paced run may be ahead of its last lane: one
  /// more than the chunks that a channel of such a run has on their way.
  static constexpr uint64_t kMostLead = 4;
  /// In codes: the rest is a ring that a reader borrows from.
  static constexpr uint32_t kLentRing = 1u << 31;

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
  bool stepLane(Lane &lane, uint64_t limit);
  bool mayPace() const;
  uint64_t roundLimit() const;
  bool chunkMissing(const OperandCode &operand, Need *need) const;
  bool slotMissing(const OperandCode &operand, Need *need);

  // RankRunWaits.cpp
  void drain(const RankPlan &before, const std::vector<uint32_t> &rings);
  bool stillDraining(Need *need);
  void checkSignature(uint32_t channel, uint64_t tag);
  void failJob(const Status &why);
  std::vector<uint32_t>::const_iterator unflushedRing() const;
  std::optional<Need> needOf(const Lane &lane);
  /// Returns what the lane that writes to the ring needs from its reader.
  Need needOf(uint32_t ring) const;

  // RankRunFold.cpp
  struct ChunkPlace;
  bool fold(Lane &lane, const StepCode &step);
  bool foldTraced(Lane &lane, const StepCode &step);
  static uint64_t nanoseconds(); ///< the time, for traces
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
  /// Number of the slot of the end's next chunk, in the layout that `channel`
  /// has.
  uint64_t slotNumber(const RingEnd &end, uint32_t channel) const {
    // `slots` is nearly always a power of two, and a division would slow down
    // short messages.
    const uint32_t slots = variant_->slots[channel];
    return (slots & (slots - 1)) == 0 ? end.number & (slots - 1)
                                      : end.number % slots;
  }
  SlotHead &headAt(const RingEnd &end, uint32_t channel) const {
    return end.heads[slotNumber(end, channel)];
  }
  /// Bytes of an element of operand number `i` of the step. Either everything
  /// that a step writes is partial sums, or nothing is.
  uint32_t elementBytes(const StepCode &step, uint32_t i) const {
    const CallShape &shape = transfers_.shape;
    return wideFold_
               ? shape.bytesOf(transfers_.rank->partial[step.operandsBegin + i])
               : shape.elementBytes;
  }
  /// The address of element number `element` behind pointer number `i` of the
  /// step.
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
  HostEnvironment host_; ///< as at the start of the last call
  std::atomic<bool> failedJob_{false};

  /// One for each lane, or none.
  std::vector<std::unique_ptr<LaneTrace>> traces_;

  // Members that follow from the last call; they are kept if the next one has
  // the same shape and deliveries.
  const VariantPlan *variant_ = nullptr;
  TransferPlan transfers_;
  std::vector<ElementRange> ranges_; ///< one for each tree
  std::vector<uint32_t> chunkBytes_; ///< one for each tree
  std::vector<uint64_t> chunks_;     ///< number of chunks of each tree
  std::vector<Lane> lanes_;
  uint32_t numActive_ = 0;   ///< those with work; they come first in lanes_
  uint64_t blockStride_ = 0; ///< bytes from one block of a buffer to the next
  /// Those whose readers borrow from this rank's buffers.
  std::vector<uint32_t> borrowedRings_;
  /// Those whose chunks a transport takes.
  std::vector<uint32_t> carriedRings_;
  bool paced_ = false; ///< lanes keep to roundLimit()

  /// Rings whose readers may be reading slots of other rings, and the number
  /// that `freed` must reach in each before those slots may be used
  /// differently.
  std::vector<std::pair<uint32_t, uint64_t>> drain_;
  /// Whether some readers in drain_ may not have come that far. Cleared with
  /// release by the thread that saw, with acquire, that all have; loaded with
  /// acquire by the thread that then writes.
  std::atomic<bool> draining_{false};

  // Members of the call:
  const Call *call_ = nullptr;
  CallKind kind_; ///< no elements before the first call
  FoldFunction fold_ = nullptr;
  WideFoldFunction wideFold_ =
      nullptr;                    ///< instead of fold_ if partial sums are wide
  ScaleFunction scale_ = nullptr; ///< used if transfers_.scaled
  uint64_t scalar_ = 0;
  uint64_t signature_ = 0;
  /// Added to the addresses that readers borrow; if the buffers are in windows,
  /// it turns them into words of WindowPlace (Windows::covers).
  uint64_t inputShift_ = 0, outputShift_ = 0;
  bool hasWorkers_ = false; ///< other threads than the caller step lanes
  std::atomic<uint32_t> lanesLeft_{0};
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_RANKRUN_H
