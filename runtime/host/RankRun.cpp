//===- RankRun.cpp - one rank's collective being replayed -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/RankRun.h"

#include "runtime/core/Memory.h"
#include "runtime/host/VariantChoice.h"

#include <algorithm>
#include <cstring>
#include <sched.h>

namespace blink::runtime {

std::atomic<StepHook> stepHook{nullptr};

namespace {

/// Steps of several trees share rings: removes repeated ones.
void dropRepeated(std::vector<uint32_t> &rings) {
  std::sort(rings.begin(), rings.end());
  rings.erase(std::unique(rings.begin(), rings.end()), rings.end());
}

bool sameShape(const CallShape &a, const CallShape &b) {
  return a.count == b.count && a.elementBytes == b.elementBytes &&
         a.chunkBytes == b.chunkBytes && a.partialBytes == b.partialBytes;
}

} // namespace

RankRun::RankRun(const Plan &plan, HostRings &rings, int rank, bool traces)
    : plan_(plan), rings_(rings), rank_(rank),
      lanes_(std::max(plan.numLanes, plan.numMessageTrees)) {
  host_.oneServer = plan.numServers == 1;
  host_.numRanks = rings.numNear;
  ranges_.reserve(plan.numTrees);
  chunkBytes_.reserve(plan.numTrees);
  chunks_.reserve(plan.numTrees);
  borrowedRings_.reserve(plan.rings.size());
  carriedRings_.reserve(plan.rings.size());
  drain_.reserve(plan.rings.size());
  for (Lane &lane : lanes_)
    lane.pointers.resize(plan.numOperands);
  for (uint32_t lane = 0; traces && lane < plan.numLanes; ++lane)
    traces_.push_back(std::make_unique<LaneTrace>());
}

//===-- Starting ----------------------------------------------------------===//

/// Returns true if other ranks have mapped everything that this rank reads and
/// writes.
bool RankRun::findWindows(const Call &call) {
  Windows &windows = rings_.windows;
  const bool reads =
      call.isMessage() ? call.send != nullptr : call.program->readsInput[rank_];
  const bool writes =
      call.isMessage() ? call.recv != nullptr : call.program->usesOutput[rank_];
  if ((!reads || windows.covers(call.send, call.sendBytes, inputShift_)) &&
      (!writes || windows.covers(call.recv, call.recvBytes, outputShift_)))
    return true;
  inputShift_ = outputShift_ = 0;
  return false;
}

/// Computes what follows from the plan's shape and deliveries.
void RankRun::prepare() {
  const size_t trees = variant_->trees.size();
  ranges_.resize(trees);
  chunkBytes_.resize(trees);
  chunks_.resize(trees);
  blockStride_ = call_->isMessage() ? 0 : transfers_.shape.blockBytes();
  numActive_ = 0;
  borrowedRings_.clear();
  carriedRings_.clear();
  if (call_->isMessage())
    prepareMessage();
  else
    prepareCollective();
  dropRepeated(borrowedRings_);
  dropRepeated(carriedRings_);
  paced_ = mayPace();
}

/// Returns true if the call sends over a network whose round trips are short
/// next to chunks, and is long enough for lanes to drift apart.
bool RankRun::mayPace() const {
  if (call_->isMessage() || !variant_->inStep ||
      transfers_.shape.rounds <= kMostLead)
    return false;
  const auto isShort = [this](const OperandCode &operand) {
    return operand.kind != OperandKind::channel ||
           !plan_.rings[variant_->rings[operand.index]].apart ||
           variant_->paces[operand.index].window < kMostLead;
  };
  const RankPlan &rank = *transfers_.rank;
  return !carriedRings_.empty() &&
         std::all_of(rank.code.operands, rank.code.operands + rank.numOperands,
                     isShort);
}

void RankRun::prepareCollective() {
  for (uint32_t tree = 0; tree < variant_->trees.size(); ++tree)
    prepareTree(tree);
  const RankCode &code = transfers_.rank->code;
  for (uint32_t l = 0; l < code.numLanes; ++l)
    addLane(l, code.steps + code.lanes[l].stepsBegin, code.lanes[l].stepsCount);
}

/// Messages wait only for their other end, so each step is a lane.
void RankRun::prepareMessage() {
  const RankCode &code = transfers_.rank->code;
  for (uint32_t l = 0; l < code.numLanes; ++l)
    for (uint32_t s = 0; s < code.lanes[l].stepsCount; ++s) {
      const StepCode *step = code.steps + code.lanes[l].stepsBegin + s;
      if (!carries(*step))
        continue;
      prepareTree(step->tree);
      addLane(l, step, 1);
    }
}

void RankRun::prepareTree(uint32_t tree) {
  const CallShape &shape = transfers_.shape;
  ranges_[tree] = shape.rangeOf(variant_->trees[tree]);
  chunkBytes_[tree] = shape.chunkBytesOf(ranges_[tree]);
  chunks_[tree] =
      chunkCount(ranges_[tree], shape.elementBytes, chunkBytes_[tree]);
}

/// Whether the step belongs to the call's message.
bool RankRun::carries(const StepCode &step) const {
  const OperandCode *operands = operandsOf(step);
  const OperandCode &from = operands[0], &to = operands[step.sources];
  const auto peer = uint32_t(call_->peer);
  const bool isInput = from.kind == OperandKind::input && from.index == peer;
  const bool isOutput = to.kind == OperandKind::output && to.index == peer;
  if (call_->peer == rank_)
    return isInput && isOutput;
  return call_->send ? isInput : isOutput;
}

/// Adds a lane, if it has anything to do.
void RankRun::addLane(uint32_t number, const StepCode *steps,
                      uint32_t numSteps) {
  Lane &lane = lanes_[numActive_];
  lane.number = number;
  lane.steps = steps;
  lane.numSteps = numSteps;
  lane.cursor.start(numSteps, roundsOf(lane));
  numActive_ += !lane.cursor.done();
  for (uint32_t s = 0; s < numSteps; ++s) {
    const StepCode &step = steps[s];
    const size_t place = size_t(&step - transfers_.rank->code.steps);
    if (chunks_[step.tree] == 0)
      continue;
    const bool borrowed = isBorrowed(transfers_.deliveryOf(place));
    for (uint32_t i = step.sources; i < step.numOperands(); ++i) {
      const OperandCode &to = operandsOf(step)[i];
      if (to.kind != OperandKind::channel)
        continue;
      const uint32_t ring = variant_->rings[to.index];
      if (plan_.rings[ring].apart)
        carriedRings_.push_back(ring);
      else if (borrowed)
        borrowedRings_.push_back(ring);
    }
  }
}

/// Chooses the TransferPlan, and what follows from the kind of call.
void RankRun::plan(const Call &call, const VariantPlan &variant) {
  const TransferPlan next = chooseTransfers(call, variant, host_);
  if (!next.deliversAs(transfers_) ||
      !sameShape(next.shape, transfers_.shape)) {
    if (mustDrain(transfers_, next))
      drain(*transfers_.rank, variant_->rings);
    variant_ = &variant;
    transfers_ = next;
    prepare();
  }
  transfers_.shape.divisor = next.shape.divisor;
  fold_ = foldFunction(call.kind.type, call.kind.op);
  wideFold_ = next.shape.partialBytes != 0
                  ? wideFoldFunction(call.kind.type, call.kind.op)
                  : nullptr;
  scale_ = transfers_.scaled ? scaleFunction(call.kind.type) : nullptr;
  signature_ = signatureBits(call.kind.hash());
  kind_ = call.kind;
}

void RankRun::start(const Call &call, bool together) {
  call_ = &call;
  const VariantPlan &variant = chooseVariant(call, together);
  rings_.windows.look();
  inputShift_ = outputShift_ = 0;
  const bool inWindows = rings_.windows.any() && findWindows(call);
  // Short calls come in series of one kind. For these everything stays as it
  // is, unless it depends on where the buffers are.
  if (kind_ != call.kind || variant_ != &variant ||
      host_.inWindows != inWindows || transfers_.borrows ||
      transfers_.sentBorrows) {
    host_.zeroCopy = rings_.zeroCopy; // does not change after the first call
    host_.crowded = rings_.crowded;   // does not change either
    host_.inWindows = inWindows;
    plan(call, variant);
  }
  if (transfers_.scaled) {
    scalar_ = call.scalar.bits;
    if (call.scalar.place)
      std::memcpy(&scalar_, call.scalar.place, transfers_.shape.elementBytes);
  }
  hasWorkers_ = false;
  if (!call.isMessage()) // not all ranks take part in messages
    rings_.segment.beginCall(rank_, call.kind);
  for (uint32_t l = 0; l < numActive_; ++l) {
    Lane &lane = lanes_[l];
    lane.done = false;
    lane.waited.store(0, std::memory_order_relaxed);
    lane.idleSince = traces_.empty() ? 0 : nanoseconds();
    lane.cursor.start(lane.numSteps, roundsOf(lane));
    lane.round.store(lane.cursor.round(), std::memory_order_relaxed);
  }
  // Release: workers that get the run later see everything above.
  lanesLeft_.store(numActive_, std::memory_order_release);
}

//===-- Stepping ----------------------------------------------------------===//

bool RankRun::progress() {
  if (!hasWorkers_)
    return progressAlone();
  bool moved =
      rings_.remote.carriers.any() && rings_.remote.carriers.progress(rank_);
  const uint64_t limit = roundLimit();
  for (uint32_t l = 0; l < numActive_; ++l) {
    Lane &lane = lanes_[l];
    if (lane.claimed.load(std::memory_order_relaxed) != 0 ||
        lane.claimed.exchange(1, std::memory_order_seq_cst) != 0) {
      while (lane.pieces.help())
        moved = true;
      continue;
    }
    if (!lane.done) {
      while (!rings_.segment.failed() && stepLane(lane, limit)) {
        moved = true;
        if (lane.cursor.done()) {
          lane.done = true;
          lane.waited.store(0, std::memory_order_relaxed);
          lanesLeft_.fetch_sub(1, std::memory_order_release);
          break;
        }
      }
    }
    lane.claimed.store(0, std::memory_order_release);
  }
  return moved;
}

/// Does what progress() does if no other thread steps lanes: the first lane's
/// claim stands for all of them.
bool RankRun::progressAlone() {
  bool moved =
      rings_.remote.carriers.any() && rings_.remote.carriers.progress(rank_);
  if (!hasLanesLeft())
    return moved;
  // Sequentially consistent like the claim of a lane: either waitUntilQuiet()
  // sees the claim, or this thread sees that the job has failed.
  lanes_[0].claimed.store(1, std::memory_order_seq_cst);
  uint32_t finished = 0;
  const uint64_t limit = roundLimit();
  for (uint32_t l = 0; l < numActive_; ++l) {
    Lane &lane = lanes_[l];
    while (!lane.done && !rings_.segment.failed() && stepLane(lane, limit)) {
      moved = true;
      if (lane.cursor.done()) {
        lane.done = true;
        lane.waited.store(0, std::memory_order_relaxed);
        ++finished;
      }
    }
  }
  if (finished != 0) // no other thread writes it
    lanesLeft_.store(lanesLeft_.load(std::memory_order_relaxed) - finished,
                     std::memory_order_release);
  lanes_[0].claimed.store(0, std::memory_order_release);
  return moved;
}

uint64_t RankRun::foldsRun() const {
  uint64_t folds = 0;
  for (const Lane &lane : lanes_)
    folds += lane.foldsRun.load(std::memory_order_relaxed);
  return folds;
}

bool RankRun::finished() {
  if (hasLanesLeft())
    return false;
  for (uint32_t ring : borrowedRings_)
    if (loadAcquire(rings_.writers[ring].freed) != rings_.writers[ring].number)
      return false;
  // Chunks that a transport takes to other ranks must arrive without help from
  // this rank, which may make no more calls, and whose caller gets the buffers
  // back.
  return flushed();
}

bool RankRun::flushed() const { return unflushedRing() == carriedRings_.end(); }

std::vector<uint32_t>::const_iterator RankRun::unflushedRing() const {
  return std::find_if_not(
      carriedRings_.begin(), carriedRings_.end(),
      [this](uint32_t ring) { return rings_.remote.carriers.flushed(ring); });
}

void RankRun::waitUntilQuiet() const {
  for (uint32_t l = 0; l < lanes_.size(); ++l)
    while (lanes_[l].claimed.load(std::memory_order_seq_cst) != 0)
      sched_yield(); // at most one fold: lanes check between folds
}

/// Returns the round that no lane may begin yet; kNoRound if there is none.
///
/// TCP divides a NIC among the chunks that are there. Those that a rank takes
/// from its own input always are, while those that it passes on come one by
/// one; so over many rounds the former overtake the latter, and all ranks
/// further down the trees wait. A paced run therefore holds back lanes that are
/// too far ahead of its last one.
///
/// No lanes wait in a circle because of that. The verifier has proved that some
/// lane of some rank can go on if none is held back. Of the lanes in the least
/// round of all ranks none is, and what they wait for is work of other lanes in
/// that round or before (VariantPlan::inStep), that is, of such lanes again; so
/// one of them can go on.
uint64_t RankRun::roundLimit() const {
  if (!paced_)
    return kNoRound;
  uint64_t least = kNoRound;
  for (uint32_t l = 0; l < numActive_; ++l)
    least = std::min(least, lanes_[l].round.load(std::memory_order_relaxed));
  return least == kNoRound ? kNoRound : least + kMostLead;
}

/// Does the same as stepLane, unless the lane's next fold is in the round
/// `limit` or a later one.
bool RankRun::stepLane(Lane &lane, uint64_t limit) {
  if (!paced_)
    return stepLane(lane);
  if (lane.cursor.round() >= limit) {
    lane.waited.store(0, std::memory_order_relaxed); // for no other rank
    return false;
  }
  if (!stepLane(lane))
    return false;
  lane.round.store(lane.cursor.done() ? kNoRound : lane.cursor.round(),
                   std::memory_order_relaxed);
  return true;
}

/// Runs the lane's next fold. Returns false if it has to wait.
bool RankRun::stepLane(Lane &lane) {
  const StepCode &step = lane.steps[lane.cursor.step()];
  const OperandCode *operands = operandsOf(step);
  for (uint32_t i = 0; i < step.numOperands(); ++i)
    if (operands[i].kind == OperandKind::channel &&
        (i < step.sources ? chunkMissing(operands[i], nullptr)
                          : slotMissing(operands[i], nullptr))) {
      lane.waited.store(2 * operands[i].index + uint32_t(i < step.sources) + 1,
                        std::memory_order_relaxed);
      return false;
    }
  for (uint32_t i = 0; i < step.sources; ++i)
    if (operands[i].kind == OperandKind::channel) {
      const uint32_t channel = operands[i].index;
      const RingEnd &end = readerOf(operands[i]);
      const uint64_t tag = loadRelaxed(&headAt(end, channel).full);
      if (tag != makeTag(end.number, signature_)) {
        // Always true, unless the memory was corrupted in between.
        if (holdsChunk(tag, end.number))
          checkSignature(channel, tag);
        return false;
      }
    }
  if (StepHook hook = stepHook.load(std::memory_order_relaxed))
    hook(rank_, lane.number, lane.cursor.step(), lane.cursor.chunk(), rings_);
  if (!(traces_.empty() ? fold(lane, step) : foldTraced(lane, step)))
    return false;
  lane.cursor.next(roundsOf(lane));
  lane.foldsRun.store(lane.foldsRun.load(std::memory_order_relaxed) + 1,
                      std::memory_order_relaxed);
  return true;
}

bool RankRun::chunkMissing(const OperandCode &operand, Need *need) const {
  const RingEnd &end = readerOf(operand);
  const uint64_t number = end.number;
  const uint64_t tag = loadAcquire(&headAt(end, operand.index).full);
  if (need) {
    need->reading = true;
    need->expected = number + 1;
    need->seen = tag & kNumberMask;
    // The slot has a chunk of an earlier lap, or none yet: the chunks that have
    // come are those that were read.
    if (!holdsChunk(tag, number) && need->seen <= number)
      need->seen = number;
  }
  return !holdsChunk(tag, number);
}

bool RankRun::slotMissing(const OperandCode &operand, Need *need) {
  if (draining_.load(std::memory_order_acquire) && stillDraining(need))
    return true;
  RingEnd &end = writerOf(operand);
  const uint64_t needed =
      freedNeeded(end.number, variant_->slots[operand.index],
                  end.layout != variant_->number);
  if (end.freedSeen < needed || need)
    end.freedSeen = loadAcquire(end.freed);
  if (need) {
    need->reading = false;
    need->expected = needed;
    need->seen = end.freedSeen;
  }
  return end.freedSeen < needed;
}

} // namespace blink::runtime
