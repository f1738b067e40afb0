//===- RankRun.cpp - one rank's collective being replayed -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/RankRun.h"

#include "runtime/core/Memory.h"
#include "runtime/host/Helpers.h"
#include "runtime/host/OtherMemory.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <sched.h>
#include <tuple>

namespace blink::runtime {

std::atomic<StepHook> stepHook{nullptr};

namespace {

/// Messages up to this size go through slots even where readers could look at
/// the buffers: copying them is cheaper than waiting until they have.
constexpr uint64_t kLendBytes = 16 << 10;
/// Likewise where the kernel fetches, which costs a call for each chunk and
/// some time for each page. From the lower size on where that is all a reader
/// does, and the writer that waits for it needs no processor that others want.
constexpr uint64_t kFetchBytes = 512 << 10;
constexpr uint64_t kFetchCopyBytes = 32 << 10;
/// From this size on what is fetched once and copied comes in chunks as large
/// as slots: a call of the kernel costs more than overlapping them saves.
constexpr uint64_t kFetchWholeBytes = 128 << 10;

/// Calls whose ranks' buffers are larger than this together do not stay in any
/// cache: outputs are written around them.
constexpr uint64_t kStreamBytes = 32 << 20;

bool sameShape(const CallShape &a, const CallShape &b) {
  return a.count == b.count && a.elementBytes == b.elementBytes &&
         a.chunkBytes == b.chunkBytes;
}

uint64_t nanoseconds() {
  return uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(
                      std::chrono::steady_clock::now().time_since_epoch())
                      .count());
}

bool overlap(const void *a, uint64_t aBytes, const void *b, uint64_t bBytes) {
  const auto x = reinterpret_cast<uintptr_t>(a);
  const auto y = reinterpret_cast<uintptr_t>(b);
  return a && b && x < y + bBytes && y < x + aBytes;
}

} // namespace

RankRun::RankRun(const Plan &plan, HostRings &rings, int rank, bool traces)
    : plan_(plan), rings_(rings), rank_(rank),
      crowded_(plan.numRanks > Helpers::get().processors()),
      lanes_(plan.numLanes) {
  ranges_.reserve(plan.numTrees);
  chunks_.reserve(plan.numTrees);
  lentRings_.reserve(plan.rings.size());
  gate_.reserve(plan.rings.size());
  for (Lane &lane : lanes_)
    lane.pointers.resize(plan.numOperands);
  for (uint32_t lane = 0; traces && lane < plan.numLanes; ++lane)
    traces_.push_back(std::make_unique<LaneTrace>());
}

//===-- Starting ----------------------------------------------------------===//

/// What follows from the shape alone.
void RankRun::prepare(const VariantPlan &variant, const CallShape &shape) {
  variant_ = &variant;
  shape_ = shape;
  ranges_.clear();
  chunks_.clear();
  for (const TreeShare &tree : variant.trees) {
    ranges_.push_back(shape.rangeOf(tree));
    chunks_.push_back(shape.chunksOf(ranges_.back()));
  }
  const RankPlan &rank = variant.ranks[rank_];
  numActive_ = 0;
  hasHomes_ = false;
  lentRings_.clear();
  for (uint32_t l = 0; l < rank.code.numLanes; ++l) {
    const LaneCode &code = rank.code.lanes[l];
    Lane &lane = lanes_[numActive_];
    lane.number = l;
    lane.steps = rank.code.steps + code.stepsBegin;
    lane.cursor.start(code.stepsCount, chunksOf(lane));
    numActive_ += !lane.cursor.done();
    for (uint32_t s = 0; s < code.stepsCount; ++s) {
      const StepCode &step = lane.steps[s];
      hasHomes_ |=
          chunks_[step.tree] != 0 && rank.sharedSlots[code.stepsBegin + s] != 0;
      if (borrowsOf(rank)[code.stepsBegin + s] == Borrow::none ||
          chunks_[step.tree] == 0)
        continue;
      for (uint32_t i = step.sources; i < step.numOperands(); ++i) {
        const OperandCode &to = rank.code.operands[step.operandsBegin + i];
        if (to.kind == OperandKind::channel)
          lentRings_.push_back(variant.rings[to.index]);
      }
    }
  }
}

/// Whether all that this rank can lend is where other processes reach it.
bool RankRun::isInWindows(const Call &call) const {
  const Windows &windows = rings_.windows;
  return windows.any() &&
         (!call.program->readsInput[rank_] ||
          windows.cover(call.send, call.sendBytes)) &&
         (!call.program->usesOutput[rank_] ||
          windows.cover(call.recv, call.recvBytes));
}

/// Whether calls are so large that readers which fetch want chunks as large as
/// slots. For all ranks alike, whatever letsFetch() says on each.
bool RankRun::isFetchedInLargeChunks(uint64_t bytes) const {
  // What goes around the caches comes faster by slots than by the kernel.
  return rings_.lending == HostRings::Lending::fetched && !streams_ &&
         bytes >= kFetchWholeBytes;
}

/// Whether readers fetch from this rank's buffers through the kernel. A rank's
/// own affair, unlike the shape: processes may see other numbers of processors,
/// and readers take chunks from where they are.
bool RankRun::letsFetch(sched::Collective collective, uint64_t bytes) const {
  if (rings_.lending != HostRings::Lending::fetched || streams_)
    return false;
  if (crowded_)
    // Slots let those that give or pass on run ahead of their readers, which
    // saves switching to and fro; and what several read they hold once.
    return bytes >= kFetchBytes && !hasHomes_ &&
           (variant_->oneCopy || isReduction(collective));
  return bytes >= (variant_->oneCopy ? kFetchCopyBytes : kFetchBytes);
}

void RankRun::start(const Call &call) {
  call_ = &call;
  const VariantPlan &variant = call.variant();
  const uint64_t bytes = call.bytes();
  const bool inOneProcess = rings_.lending == HostRings::Lending::direct;
  streams_ = bytes * uint64_t(plan_.numRanks) >= kStreamBytes;
  // All ranks cut alike, whatever each of them does about its own buffers.
  const CallShape shape =
      call.shape(variant, inOneProcess || rings_.windows.any()
                              ? bytes > kLendBytes
                              : isFetchedInLargeChunks(bytes));
  const bool reachable = inOneProcess || isInWindows(call);
  // What decides which chunks are in slots, and in which.
  const auto slotUse = [this] {
    return std::tuple(variant_, reachable_, lends_, inPlace_);
  };
  const auto before = slotUse();
  if (variant_ != &variant || reachable_ != reachable ||
      !sameShape(shape_, shape)) {
    reachable_ = reachable;
    prepare(variant, shape);
  }
  shape_.divisor = shape.divisor;
  fold_ = foldFunction(call.kind.type, call.kind.op);
  signature_ = signatureBits(call.kind.hash());
  lends_ =
      !lentRings_.empty() &&
      (reachable ? bytes > kLendBytes : letsFetch(call.kind.collective, bytes));
  visitors_ = false;
  inPlace_ = overlap(call.send, call.sendBytes, call.recv, call.recvBytes);
  if (std::get<0>(before) && before != slotUse())
    closeGate(*std::get<0>(before));
  rings_.segment.beginCall(rank_, call.kind);
  const RankPlan &rank = variant.ranks[rank_];
  for (uint32_t l = 0; l < numActive_; ++l) {
    Lane &lane = lanes_[l];
    lane.done = false;
    lane.idleSince = traces_.empty() ? 0 : nanoseconds();
    lane.cursor.start(rank.code.lanes[lane.number].stepsCount, chunksOf(lane));
  }
  // Release: helpers that are told of the run later see all of it.
  lanesLeft_.store(numActive_, std::memory_order_release);
}

/// The calls of variant `before` left chunks in slots of other rings than their
/// readers'. Such a slot is free when all its readers have gone on, and not
/// just its ring's.
void RankRun::closeGate(const VariantPlan &before) {
  if (!gateShut_.load(std::memory_order_acquire))
    gate_.clear();
  const RankPlan &rank = before.ranks[rank_];
  for (size_t s = 0; s < rank.sharedSlots.size(); ++s) {
    const StepCode &step = rank.code.steps[s];
    for (uint32_t i = step.sources;
         rank.sharedSlots[s] && i < step.numOperands(); ++i) {
      const OperandCode &operand = rank.code.operands[step.operandsBegin + i];
      if (operand.kind != OperandKind::channel || i == rank.sharedSlots[s])
        continue;
      const uint32_t ring = before.rings[operand.index];
      const uint64_t number = rings_.writers[ring].number;
      if (loadAcquire(rings_.segment.freed(ring)) < number)
        gate_.emplace_back(ring, number);
    }
  }
  gateShut_.store(!gate_.empty(), std::memory_order_relaxed);
}

/// Whether this rank must not write to slots yet.
bool RankRun::gateShut(Need *need) {
  if (!gateShut_.load(std::memory_order_acquire))
    return false;
  for (auto [ring, number] : gate_) {
    const uint64_t freed = loadAcquire(rings_.segment.freed(ring));
    if (freed >= number)
      continue;
    if (need) {
      const auto &rings = variant_->rings;
      const auto channel = std::find(rings.begin(), rings.end(), ring);
      if (channel != rings.end())
        need->channel = uint32_t(channel - rings.begin());
      need->expected = number;
      need->seen = freed;
    }
    return true;
  }
  gateShut_.store(false, std::memory_order_release);
  return false;
}

//===-- Stepping ----------------------------------------------------------===//

bool RankRun::visit() {
  bool moved = false;
  for (uint32_t l = 0; l < numActive_; ++l) {
    Lane &lane = lanes_[l];
    if (lane.claimed.load(std::memory_order_relaxed) != 0 ||
        lane.claimed.exchange(1, std::memory_order_seq_cst) != 0) {
      while (lane.pieces.help())
        moved = true;
      continue;
    }
    if (!lane.done) {
      while (!rings_.segment.failed() && stepLane(lane)) {
        moved = true;
        if (lane.cursor.done()) {
          lane.done = true;
          lanesLeft_.fetch_sub(1, std::memory_order_release);
          break;
        }
      }
    }
    lane.claimed.store(0, std::memory_order_release);
  }
  return moved;
}

bool RankRun::finished() {
  if (lanesLeft_.load(std::memory_order_acquire) != 0)
    return false;
  if (lends_)
    for (uint32_t ring : lentRings_)
      if (loadAcquire(rings_.segment.freed(ring)) !=
          rings_.writers[ring].number)
        return false;
  return true;
}

void RankRun::waitUntilQuiet() const {
  for (uint32_t l = 0; l < lanes_.size(); ++l)
    while (lanes_[l].claimed.load(std::memory_order_seq_cst) != 0)
      sched_yield(); // bounded by one fold: between folds lanes look up
}

/// Runs the lane's next fold; false if it has to wait.
bool RankRun::stepLane(Lane &lane) {
  const StepCode &step = lane.steps[lane.cursor.step()];
  const RankCode &code = variant_->ranks[rank_].code;
  const OperandCode *operands = code.operands + step.operandsBegin;
  for (uint32_t i = 0; i < step.numOperands(); ++i)
    if (operands[i].kind == OperandKind::channel &&
        (i < step.sources ? chunkMissing(operands[i], nullptr)
                          : slotMissing(operands[i], nullptr)))
      return false;
  for (uint32_t i = 0; i < step.sources; ++i)
    if (operands[i].kind == OperandKind::channel) {
      const uint32_t channel = operands[i].index;
      const uint64_t number = rings_.readers[variant_->rings[channel]].number;
      const uint64_t tag = loadRelaxed(&headAt(channel, number).full);
      if (tag != makeTag(number, signature_)) {
        if (holdsChunk(tag, number)) // no memory fault in between
          checkSignature(channel, tag);
        return false;
      }
    }
  if (StepHook hook = stepHook.load(std::memory_order_relaxed))
    hook(rank_, lane.number, lane.cursor.step(), lane.cursor.chunk(),
         rings_.segment);
  if (!(traces_.empty() ? fold(lane, step) : foldTraced(lane, step)))
    return false;
  lane.cursor.next(chunksOf(lane));
  progress_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

bool RankRun::chunkMissing(const OperandCode &operand, Need *need) const {
  const uint64_t number = rings_.readers[variant_->rings[operand.index]].number;
  const uint64_t tag = loadAcquire(&headAt(operand.index, number).full);
  if (need) {
    need->reading = true;
    need->expected = number + 1;
    need->seen = tag & kNumberMask;
    // An older lap's chunk, or none yet: what has come is what was read.
    if (!holdsChunk(tag, number) && need->seen <= number)
      need->seen = number;
  }
  return !holdsChunk(tag, number);
}

bool RankRun::slotMissing(const OperandCode &operand, Need *need) {
  if (gateShut(need))
    return true;
  const uint32_t ring = variant_->rings[operand.index];
  RingEnd &end = rings_.writers[ring];
  const uint64_t needed =
      freedNeeded(end.number, variant_->slots[operand.index],
                  end.layout != variant_->number);
  if (end.freedSeen < needed || need)
    end.freedSeen = loadAcquire(rings_.segment.freed(ring));
  if (need) {
    need->reading = false;
    need->expected = needed;
    need->seen = end.freedSeen;
  }
  return end.freedSeen < needed;
}

/// The chunk has come, from a rank that is in another collective.
void RankRun::checkSignature(uint32_t channel, uint64_t tag) {
  const int source = plan_.rings[variant_->rings[channel]].source;
  std::string text = "the ranks' calls differ: rank " + std::to_string(rank_) +
                     " has " + call_->kind.describe() + ", rank " +
                     std::to_string(source) + " has ";
  const CallKind other = rings_.segment.lastCall(source);
  text += signatureBits(other.hash()) == tag >> kNumberBits
              ? other.describe()
              : "sent what belongs to another call";
  rings_.segment.fail({blinkInvalidUsage, std::move(text)});
}

//===-- Folding -----------------------------------------------------------===//

SlotHead &RankRun::headAt(uint32_t channel, uint64_t number) const {
  return rings_.segment.heads(
      variant_->rings[channel])[number % variant_->slots[channel]];
}

char *RankRun::slotAt(uint32_t channel, uint64_t number, uint64_t bytes) const {
  if (bytes <= SlotHead::kSmall)
    return headAt(channel, number).small;
  return rings_.segment.slots(variant_->rings[channel]) +
         number % variant_->slots[channel] * variant_->chunkBytes();
}

/// Where this process has a chunk that has come, or null: it must be fetched.
char *RankRun::chunkAt(uint32_t channel, uint64_t number,
                       uint64_t bytes) const {
  const uint64_t address = headAt(channel, number).address;
  if (address == 0)
    return slotAt(channel, number, bytes);
  if (address & SlotHead::kInPool)
    return rings_.segment.inPool(address);
  if (rings_.lending == HostRings::Lending::direct)
    return reinterpret_cast<char *>(address);
  // A source is only read.
  return const_cast<char *>(rings_.windows.find(
      plan_.rings[variant_->rings[channel]].source, address, bytes));
}

char *RankRun::bufferAt(const OperandCode &operand, ElementRange range) const {
  // A source is only read.
  char *begin = operand.kind == OperandKind::input
                    ? const_cast<char *>(static_cast<const char *>(call_->send))
                    : static_cast<char *>(call_->recv);
  return begin + operand.index * shape_.blockBytes() +
         range.begin * shape_.elementBytes;
}

/// Pieces::run, or one piece where nobody would take another.
template <typename Work>
int RankRun::inPieces(Lane &lane, uint64_t bytes, const Work &work) {
  return visitors_ ? lane.pieces.run(bytes, work) : work(0, bytes);
}

/// Fetches the sources that lie in other processes: a chunk that is only copied
/// into its first destination, others into their slots, which are free for it.
/// False if that failed, and so the job.
bool RankRun::fetch(Lane &lane, const StepCode &step, uint64_t bytes,
                    bool copies) {
  const OperandCode *operands =
      variant_->ranks[rank_].code.operands + step.operandsBegin;
  for (uint32_t i = 0; i < step.sources; ++i) {
    if (operands[i].kind != OperandKind::channel)
      continue;
    const uint32_t ring = variant_->rings[operands[i].index];
    const uint64_t number = rings_.readers[ring].number;
    const uint64_t address = headAt(operands[i].index, number).address;
    if (lane.pointers[i])
      continue;
    char *to = copies ? static_cast<char *>(lane.pointers[step.sources])
                      : slotAt(operands[i].index, number, bytes);
    const uint16_t source = plan_.rings[ring].source;
    const uint64_t process =
        loadRelaxed(&rings_.segment.job().peer(source).process);
    auto read = [=](uint64_t begin, uint64_t end) {
      return readOther(process, address + begin, to + begin, end - begin);
    };
    if (int error = inPieces(lane, bytes, read)) {
      std::string text = call_->kind.describe() + ": the process of rank " +
                         std::to_string(source) + ", number " +
                         std::to_string(process);
      text += error == ESRCH
                  ? std::string(" has died")
                  : std::string(" cannot be read: ") + std::strerror(error);
      text += "; rank " + std::to_string(rank_) + ", lane " +
              std::to_string(lane.number) + ", step " +
              std::to_string(lane.cursor.step()) + ", channel " +
              std::to_string(operands[i].index) + ": chunk " +
              std::to_string(number + 1) + " is lost";
      rings_.segment.fail({blinkRemoteError, std::move(text)});
      return false;
    }
    lane.pointers[i] = to;
  }
  return true;
}

/// Folds what the lane's pointers lead to.
void RankRun::combine(Lane &lane, uint32_t sources, uint32_t destinations,
                      uint64_t bytes, uint32_t divisor, uint32_t numStreamed) {
  constexpr uint32_t kMost = 16; // pointers of a later piece
  auto part = [&](uint64_t begin, uint64_t end) {
    void *later[kMost];
    void **from = lane.pointers.data();
    if (begin != 0) {
      for (uint32_t i = 0; i < sources + destinations; ++i)
        later[i] = static_cast<char *>(from[i]) + begin;
      from = later;
    }
    fold_(from, sources, from + sources, destinations,
          (end - begin) / shape_.elementBytes, divisor, numStreamed);
    return 0;
  };
  if (sources + destinations > kMost)
    part(0, bytes);
  else
    inPieces(lane, bytes, part);
}

/// Tells the readers of the step's chunk that it is at `address`, as of
/// SlotHead; 0 to the one of operand `home`.
void RankRun::publish(const StepCode &step, uint64_t address, uint32_t home) {
  const OperandCode *operands =
      variant_->ranks[rank_].code.operands + step.operandsBegin;
  for (uint32_t i = step.sources; i < step.numOperands(); ++i) {
    if (operands[i].kind != OperandKind::channel)
      continue;
    RingEnd &end = rings_.writers[variant_->rings[operands[i].index]];
    SlotHead &head = headAt(operands[i].index, end.number);
    head.address = i == home ? 0 : address;
    storeRelease(&head.full, makeTag(end.number, signature_));
    end.layout = variant_->number;
    ++end.number;
  }
}

/// Everything it needs is there. False if the job failed over it.
bool RankRun::fold(Lane &lane, const StepCode &step) {
  const RankPlan &rank = variant_->ranks[rank_];
  const OperandCode *operands = rank.code.operands + step.operandsBegin;
  const ElementRange range = chunkRange(ranges_[step.tree], shape_.elementBytes,
                                        shape_.chunkBytes, lane.cursor.chunk());
  const uint64_t bytes = range.size() * shape_.elementBytes;
  Borrow borrow =
      lends_ ? borrowsOf(rank)[&step - rank.code.steps] : Borrow::none;
  if (borrow == Borrow::inputUnlessOwn)
    borrow = inPlace_ ? Borrow::none : Borrow::input;
  if (borrow == Borrow::inputOrOutput)
    borrow = inPlace_ ? Borrow::output : Borrow::input;

  // What several read, and does not fit into the heads, is written once.
  const uint32_t home = borrow == Borrow::none && bytes > SlotHead::kSmall
                            ? rank.sharedSlots[&step - rank.code.steps]
                            : 0;
  void **pointers = lane.pointers.data();
  uint32_t numPointers = 0;
  uint64_t address = 0;
  for (uint32_t i = 0; i < step.sources; ++i) {
    const OperandCode &operand = operands[i];
    if (operand.kind == OperandKind::channel) {
      const uint64_t number =
          rings_.readers[variant_->rings[operand.index]].number;
      pointers[numPointers++] = chunkAt(operand.index, number, bytes);
      continue;
    }
    pointers[numPointers++] = bufferAt(operand, range);
    if (borrow == Borrow::input)
      address = reinterpret_cast<uint64_t>(pointers[i]);
  }
  for (uint32_t i = step.sources; i < step.numOperands(); ++i) {
    if (operands[i].kind != OperandKind::channel || borrow != Borrow::none ||
        (home != 0 && i != home))
      continue;
    const uint32_t channel = operands[i].index;
    char *slot =
        slotAt(channel, rings_.writers[variant_->rings[channel]].number, bytes);
    pointers[numPointers++] = slot;
    if (i == home)
      address = rings_.segment.addressInPool(slot);
  }
  const uint32_t outputsBegin = numPointers;
  for (uint32_t i = step.sources; i < step.numOperands(); ++i) {
    if (operands[i].kind == OperandKind::channel)
      continue;
    pointers[numPointers++] = bufferAt(operands[i], range);
    if (borrow == Borrow::output)
      address = reinterpret_cast<uint64_t>(pointers[numPointers - 1]);
  }
  // Nobody reads outputs before the collective is over, unless they are lent.
  const uint32_t numStreamed =
      streams_ && borrow != Borrow::output ? numPointers - outputsBegin : 0;
  const uint32_t divisor = step.completes ? shape_.divisor : 0;
  if (rings_.lending != HostRings::Lending::direct &&
      !fetch(lane, step, bytes, step.sources == 1 && divisor == 0))
    return false;
  // The input is there already.
  if (borrow == Borrow::input)
    publish(step, address, home);
  if (numPointers > step.sources)
    combine(lane, step.sources, numPointers - step.sources, bytes, divisor,
            numStreamed);
  if (borrow != Borrow::input)
    publish(step, address, home);
  for (uint32_t i = 0; i < step.sources; ++i) {
    if (operands[i].kind != OperandKind::channel)
      continue;
    const uint32_t ring = variant_->rings[operands[i].index];
    storeRelease(rings_.segment.freed(ring), ++rings_.readers[ring].number);
  }
  return true;
}

bool RankRun::foldTraced(Lane &lane, const StepCode &step) {
  LaneTrace &trace = *traces_[lane.number];
  const uint64_t begin = nanoseconds();
  if (!fold(lane, step))
    return false;
  const uint64_t end = nanoseconds();
  const uint64_t waited = lane.idleSince ? begin - lane.idleSince : 0;
  lane.idleSince = end;
  if (trace.count < LaneTrace::kEvents) {
    const ElementRange range =
        chunkRange(ranges_[step.tree], shape_.elementBytes, shape_.chunkBytes,
                   lane.cursor.chunk());
    trace.events[trace.count] = {
        begin,
        end,
        range.size() * shape_.elementBytes,
        lane.cursor.chunk(),
        lane.cursor.step(),
        uint32_t(std::min<uint64_t>(waited, UINT32_MAX))};
  }
  ++trace.count;
  return true;
}

//===-- Messages ----------------------------------------------------------===//

std::optional<Need> RankRun::needOf(const Lane &lane) {
  const StepCode &step = lane.steps[lane.cursor.step()];
  const OperandCode *operands =
      variant_->ranks[rank_].code.operands + step.operandsBegin;
  for (uint32_t i = 0; i < step.numOperands(); ++i) {
    Need need;
    need.lane = lane.number;
    need.step = lane.cursor.step();
    need.channel = operands[i].index;
    if (operands[i].kind == OperandKind::channel &&
        (i < step.sources ? chunkMissing(operands[i], &need)
                          : slotMissing(operands[i], &need)))
      return need;
  }
  return std::nullopt;
}

std::optional<Need> RankRun::firstNeed() {
  for (uint32_t l = 0; l < numActive_; ++l) {
    Lane &lane = lanes_[l];
    if (lane.claimed.exchange(1, std::memory_order_seq_cst) != 0)
      continue;
    std::optional<Need> need;
    if (!lane.done)
      need = needOf(lane);
    lane.claimed.store(0, std::memory_order_release);
    if (need)
      return need;
  }
  if (lends_)
    for (uint32_t channel = 0; channel < variant_->rings.size(); ++channel) {
      const uint32_t ring = variant_->rings[channel];
      if (plan_.rings[ring].source != rank_)
        continue;
      const uint64_t freed = loadAcquire(rings_.segment.freed(ring));
      if (freed < rings_.writers[ring].number)
        return Need{0, 0, channel, false, rings_.writers[ring].number, freed};
    }
  return std::nullopt;
}

} // namespace blink::runtime
