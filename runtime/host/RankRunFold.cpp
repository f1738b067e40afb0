//===- RankRunFold.cpp - one fold of a lane -------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Memory.h"
#include "runtime/host/FloatMode.h"
#include "runtime/host/OtherMemory.h"
#include "runtime/host/RankRun.h"
#include "schedules/Text.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

namespace blink::runtime {

//===-- Where chunks are --------------------------------------------------===//

ElementRange RankRun::rangeOf(const Lane &lane, const StepCode &step) const {
  return chunkRange(ranges_[step.tree], transfers_.shape.elementBytes,
                    chunkBytes_[step.tree], lane.cursor.chunk());
}

/// Returns where the end's next chunk goes, or where it is if it is in its
/// slot.
char *RankRun::slotAt(const RingEnd &end, uint32_t channel,
                      uint64_t bytes) const {
  if (bytes <= SlotHead::kSmall)
    return headAt(end, channel).small;
  return end.slots + slotNumber(end, channel) * variant_->chunks.bytes;
}

/// Returns where this process has the chunk that has come to `end`, or null if
/// the chunk must be fetched.
char *RankRun::chunkAt(const RingEnd &end, uint32_t channel,
                       uint64_t bytes) const {
  const uint64_t address = headAt(end, channel).address;
  if (address == 0)
    return slotAt(end, channel, bytes);
  if (address & SlotHead::kInPool)
    return rings_.segment.inPool(address);
  if (rings_.zeroCopy == ZeroCopy::direct)
    return reinterpret_cast<char *>(address);
  // The const_cast is safe: a source is only read.
  if (address & WindowPlace::kBit)
    return const_cast<char *>(rings_.windows.at(
        plan_.rings[variant_->rings[channel]].source, address));
  return nullptr;
}

char *RankRun::bufferAt(const OperandCode &operand, ElementRange range) const {
  // The const_cast is safe: a source is only read.
  char *begin = operand.kind == OperandKind::input
                    ? const_cast<char *>(static_cast<const char *>(call_->send))
                    : static_cast<char *>(call_->recv);
  return begin + operand.index * blockStride_ +
         range.begin * transfers_.shape.elementBytes;
}

/// The place where readers find the chunk of a fold, and what the fold writes.
struct RankRun::ChunkPlace {
  Delivery delivery = Delivery::slot;
  uint32_t sharedSlot = 0; ///< the operand whose slot all readers use; 0: none
  uint64_t address = 0;    ///< SlotHead::address, for the other operands
  /// Address of a borrowed chunk in this process.
  const char *borrowed = nullptr;
  uint32_t numDestinations = 0; ///< number of these among the lane's pointers
  /// The number of outputs among these; they are the last ones.
  uint32_t numOutputs = 0;
};

/// Sets the lane's pointers to the chunk's sources, and to what the fold
/// writes: first slots, then outputs. Always inlined, because a call would slow
/// down small messages.
BLINK_ALWAYS_INLINE inline RankRun::ChunkPlace
RankRun::point(Lane &lane, const StepCode &step, ElementRange range) const {
  const OperandCode *operands = operandsOf(step);
  // Bytes that are written.
  const uint64_t bytes = range.size() * elementBytes(step, step.sources);
  const size_t number = size_t(&step - transfers_.rank->code.steps);
  ChunkPlace place;
  place.delivery = transfers_.deliveryOf(number);
  // A chunk that fits into heads is in the heads of all readers.
  if (place.delivery == Delivery::sharedSlot && bytes > SlotHead::kSmall)
    place.sharedSlot = transfers_.rank->sharedSlots[number];

  void **next = lane.pointers.data();
  for (uint32_t i = 0; i < step.sources; ++i) {
    if (operands[i].kind != OperandKind::channel) {
      *next++ = bufferAt(operands[i], range);
      continue;
    }
    *next++ = chunkAt(readerOf(operands[i]), operands[i].index,
                      range.size() * elementBytes(step, i));
  }
  void **const destinations = next;
  const bool inSlots = !isBorrowed(place.delivery);
  for (uint32_t i = step.sources; inSlots && i < step.numOperands(); ++i) {
    if (operands[i].kind != OperandKind::channel ||
        (place.sharedSlot != 0 && i != place.sharedSlot))
      continue;
    *next++ = slotAt(writerOf(operands[i]), operands[i].index, bytes);
  }
  void **const outputs = next;
  for (uint32_t i = step.sources; i < step.numOperands(); ++i)
    if (operands[i].kind != OperandKind::channel)
      *next++ = bufferAt(operands[i], range);
  place.numDestinations = uint32_t(next - destinations);
  place.numOutputs = uint32_t(next - outputs);

  // A step with a borrowed chunk has one source, or one output.
  if (place.delivery == Delivery::borrowInput) {
    place.borrowed = static_cast<const char *>(lane.pointers[0]);
    place.address = reinterpret_cast<uint64_t>(place.borrowed) + inputShift_;
  } else if (place.delivery == Delivery::borrowOutput) {
    place.borrowed = static_cast<const char *>(*outputs);
    place.address = reinterpret_cast<uint64_t>(place.borrowed) + outputShift_;
  } else if (place.sharedSlot != 0)
    place.address =
        rings_.segment.addressInPool(static_cast<char *>(*destinations));
  return place;
}

//===-- Folding -----------------------------------------------------------===//

/// Calls Pieces::run, or runs all as one piece if no other thread could take
/// any.
template <typename Work>
int RankRun::inPieces(Lane &lane, uint64_t bytes, const Work &work) {
  return hasWorkers_ ? lane.pieces.run(bytes, work) : work(0, bytes);
}

/// Fetches the sources that lie in other processes. A chunk that is only copied
/// goes to its first destination; others go to their own slots, which nothing
/// else uses. Returns false if that failed, which fails the job.
bool RankRun::fetch(Lane &lane, const StepCode &step, uint64_t bytes,
                    bool copies) {
  const OperandCode *operands = operandsOf(step);
  for (uint32_t i = 0; i < step.sources; ++i) {
    if (operands[i].kind != OperandKind::channel)
      continue;
    const uint32_t channel = operands[i].index;
    const RingEnd &end = readerOf(operands[i]);
    const uint64_t address = headAt(end, channel).address;
    if (lane.pointers[i])
      continue;
    char *to = copies ? static_cast<char *>(lane.pointers[step.sources])
                      : slotAt(end, channel, bytes);
    const uint16_t source = plan_.rings[variant_->rings[channel]].source;
    const uint64_t process =
        loadRelaxed(&rings_.segment.job().peer(source).process);
    auto read = [=](uint64_t begin, uint64_t end) {
      return readOther(process, address + begin, to + begin, end - begin);
    };
    if (int error = inPieces(lane, bytes, read)) {
      std::string text =
          textOf(call_->kind.describe(), ": the process of rank ", source,
                 ", number ", process);
      text += error == ESRCH
                  ? std::string(" has died")
                  : std::string(" cannot be read: ") + std::strerror(error);
      text += textOf("; rank ", rank_, ", lane ", lane.number, ", step ",
                     lane.cursor.step(), ", channel ",
                     variant_->channelNumber(channel), ": chunk ",
                     end.number + 1, " is lost");
      failJob({blinkRemoteError, std::move(text)});
      return false;
    }
    lane.pointers[i] = to;
  }
  return true;
}

/// Returns the number of the source that is this rank's input, or step.sources
/// if there is none. No step has two.
uint32_t RankRun::contributionOf(const StepCode &step) const {
  const OperandCode *operands = operandsOf(step);
  return uint32_t(std::find_if(operands, operands + step.sources,
                               [](const OperandCode &from) {
                                 return from.kind == OperandKind::input;
                               }) -
                  operands);
}

/// Runs the fold of the step over `count` elements.
BLINK_ALWAYS_INLINE inline void
RankRun::foldElements(void *const *pointers, const StepCode &step,
                      uint32_t destinations, uint64_t count, uint32_t divisor,
                      uint32_t numStreamed) const {
  if (!wideFold_)
    return fold_(pointers, step.sources, pointers + step.sources, destinations,
                 count, divisor, numStreamed);
  const uint8_t *partial = transfers_.rank->partial.data() + step.operandsBegin;
  wideFold_(pointers, partial, step.sources, pointers + step.sources,
            destinations, partial[step.sources], count, divisor, numStreamed);
}

/// Sums a source that is multiplied, and others. It goes block by block, so
/// that the products stay in the first-level cache. The pointers are advanced.
void RankRun::foldScaled(void **pointers, const StepCode &step,
                         uint32_t destinations, uint64_t bytes,
                         uint32_t numStreamed) const {
  constexpr uint64_t kBlockBytes = 8 << 10;
  alignas(64) char products[kBlockBytes];
  void *&input = pointers[contributionOf(step)];
  while (bytes != 0) {
    const uint64_t size = std::min(bytes, kBlockBytes);
    const uint64_t count = size / transfers_.shape.elementBytes;
    scale_(input, scalar_, products, count);
    void *const begin = std::exchange(input, products);
    foldElements(pointers, step, destinations, count, 0, numStreamed);
    input = begin;
    for (uint32_t i = 0; i < step.sources + destinations; ++i)
      pointers[i] = at(pointers, step, i, count);
    bytes -= size;
  }
}

/// Folds what the lane's pointers lead to.
void RankRun::combine(Lane &lane, const StepCode &step, uint32_t destinations,
                      uint64_t bytes, uint32_t divisor, uint32_t numStreamed) {
  constexpr uint32_t kMost = 16; // pointers that a piece has room for
  const uint32_t sources = step.sources;
  const bool scales = transfers_.scaled && contributionOf(step) != sources;
  auto part = [&](uint64_t begin, uint64_t end) {
    const DefaultFloats floats;
    void *own[kMost];
    void **from = lane.pointers.data();
    if ((begin != 0 || scales) && sources + destinations <= kMost) {
      for (uint32_t i = 0; i < sources + destinations; ++i)
        own[i] = at(from, step, i, begin / transfers_.shape.elementBytes);
      from = own;
    }
    if (scales) {
      foldScaled(from, step, destinations, end - begin, numStreamed);
      return 0;
    }
    foldElements(from, step, destinations,
                 (end - begin) / transfers_.shape.elementBytes, divisor,
                 numStreamed);
    return 0;
  };
  if (sources + destinations > kMost)
    part(0, bytes);
  else
    inPieces(lane, bytes, part);
}

/// Tells the readers of the step where its chunk is. `bytes` is the size of
/// what the step writes.
void RankRun::publish(const StepCode &step, const ChunkPlace &place,
                      uint64_t bytes) {
  const OperandCode *operands = operandsOf(step);
  for (uint32_t i = step.sources; i < step.numOperands(); ++i) {
    if (operands[i].kind != OperandKind::channel)
      continue;
    const uint32_t channel = operands[i].index;
    RingEnd &end = writerOf(operands[i]);
    SlotHead &head = headAt(end, channel);
    const uint64_t tag = makeTag(end.number, signature_);
    if (end.transport) {
      const uint64_t slot = slotNumber(end, channel);
      const uint64_t offset =
          bytes <= SlotHead::kSmall ? 0 : slot * variant_->chunks.bytes;
      end.transport->post(
          {variant_->rings[channel], uint32_t(slot), tag, offset, bytes},
          place.borrowed ? place.borrowed : slotAt(end, channel, bytes),
          variant_->paces[channel]);
    } else {
      head.address = i == place.sharedSlot ? 0 : place.address;
      storeRelease(&head.full, tag);
    }
    end.layout = variant_->number;
    ++end.number;
  }
}

/// Runs a fold for which all operands are there. Returns false if that failed
/// the job.
bool RankRun::fold(Lane &lane, const StepCode &step) {
  const ElementRange range = rangeOf(lane, step);
  const uint64_t bytes = range.size() * transfers_.shape.elementBytes;
  const uint32_t divisor = step.completes ? transfers_.shape.divisor : 0;
  const ChunkPlace place = point(lane, step, range);
  if (rings_.zeroCopy != ZeroCopy::direct &&
      !fetch(lane, step, bytes, step.sources == 1 && divisor == 0))
    return false;
  // The chunk is in the input already.
  const bool publishFirst = place.delivery == Delivery::borrowInput;
  const uint64_t written = range.size() * elementBytes(step, step.sources);
  if (publishFirst)
    publish(step, place, written);
  // Outputs are not read before the collective is over, unless they are
  // borrowed.
  const bool streams =
      transfers_.stream && place.delivery != Delivery::borrowOutput;
  if (place.numDestinations != 0)
    combine(lane, step, place.numDestinations, bytes, divisor,
            streams ? place.numOutputs : 0);
  if (!publishFirst)
    publish(step, place, written);
  const OperandCode *operands = operandsOf(step);
  for (uint32_t i = 0; i < step.sources; ++i) {
    if (operands[i].kind != OperandKind::channel)
      continue;
    RingEnd &end = readerOf(operands[i]);
    storeRelease(end.freed, ++end.number);
    if (end.transport)
      end.transport->credit(variant_->rings[operands[i].index], end.number);
  }
  return true;
}

//===-- Tracing -----------------------------------------------------------===//

uint64_t RankRun::nanoseconds() {
  return uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(
                      std::chrono::steady_clock::now().time_since_epoch())
                      .count());
}

bool RankRun::foldTraced(Lane &lane, const StepCode &step) {
  LaneTrace &trace = *traces_[lane.number];
  const ElementRange range = rangeOf(lane, step);
  const uint64_t bytes = range.size() * transfers_.shape.elementBytes;
  const uint32_t stores = point(lane, step, range).numDestinations;
  uint64_t moved = 0; // first the bytes of an element, then of all elements
  for (uint32_t i = 0; stores != 0 && i < step.sources; ++i)
    moved += elementBytes(step, i);
  moved += stores * uint64_t(elementBytes(step, step.sources));
  moved *= range.size();
  const uint64_t begin = nanoseconds();
  if (!fold(lane, step))
    return false;
  const uint64_t end = nanoseconds();
  const uint64_t waited = lane.idleSince ? begin - lane.idleSince : 0;
  lane.idleSince = end;
  if (trace.count < LaneTrace::kEvents) {
    trace.events[trace.count] = {
        begin,
        end,
        bytes,
        lane.cursor.chunk(),
        lane.cursor.step(),
        uint32_t(std::min<uint64_t>(waited, UINT32_MAX)),
        moved,
        variant_->number};
  }
  ++trace.count;
  return true;
}

} // namespace blink::runtime
