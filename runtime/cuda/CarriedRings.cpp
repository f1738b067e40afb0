//===- CarriedRings.cpp - rings that a transport carries ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/CarriedRings.h"

#include "runtime/core/Memory.h"
#include "runtime/core/Ring.h"
#include "runtime/cuda/DeviceMemory.h"
#include "schedules/Text.h"

#include <algorithm>

namespace blink::runtime {

/// Refuses low-latency channels in carried rings: their lines carry flags of
/// their own, so a proxy would have to look at every line.
static Status refuseLines(const Plan &plan) {
  for (const ProgramPlan &program : plan.programs)
    for (const VariantPlan &variant : program.variants) {
      if (variant.variant->protocol() != sched::Protocol::low_latency)
        continue;
      for (uint32_t number : variant.rings)
        if (const RingPlan &ring = plan.rings[number]; ring.apart)
          return Status(
              blinkInvalidUsage, "the schedule has a low_latency channel ",
              "from rank ", ring.source, " to rank ", ring.destination,
              ", which a transport carries: GPUs have no such channels over a "
              "network. Compile it again: blinkc makes none");
    }
  return {};
}

static CarriedRings::Memory layEnd(const RingPlan &ring, Arena &arena) {
  CarriedRings::Memory end;
  end.slots = arena.take<char>(ring.bytes);
  end.full = arena.take<uint64_t>(ring.slots);
  end.freed = arena.take<uint64_t>(1);
  return end;
}

Status CarriedRings::create(const Plan &plan, const std::vector<bool> &here) {
  plan_ = &plan;
  if (Status status = refuseLines(plan); !status.ok())
    return status;
  for (uint32_t r = 0; r < plan.rings.size(); ++r) {
    const RingPlan &ring = plan.rings[r];
    if (ring.apart && here[ring.source])
      ends_[{r, true}]; // laid out below
    if (ring.apart && here[ring.destination])
      ends_[{r, false}];
  }
  Arena counting;
  layout(counting);
  const cudaError_t error =
      ends_.empty() ? cudaSuccess : allocatePinned(counting.size(), pinned_);
  if (error != cudaSuccess)
    return cudaStatus(error, "cannot allocate ", counting.size(),
                      " bytes of pinned host memory");
  Arena arena(pinned_.get());
  layout(arena);
  return carriers.create(plan, here, *this);
}

void CarriedRings::layout(Arena &arena) {
  for (auto &[key, end] : ends_) {
    const RingPlan &ring = plan_->rings[key.first];
    end.memory = layEnd(ring, arena);
  }
}

uint64_t CarriedRings::bytesOf(int rank) const {
  Arena counting;
  for (const auto &[key, end] : ends_) {
    const RingPlan &ring = plan_->rings[key.first];
    if ((key.second ? ring.source : ring.destination) == rank)
      layEnd(ring, counting);
  }
  return counting.size();
}

//===-- The proxy's side of a lane's end ----------------------------------===//

void CarriedRings::begin(const CarriedChunks &chunks) {
  End &end = ends_.at({chunks.ring, chunks.writes});
  end.expected += chunks.count;
  if (chunks.writes)
    end.calls.push_back(chunks);
}

bool CarriedRings::carry() {
  bool moved = false;
  for (auto &[key, end] : ends_)
    moved |= key.second ? postFrom(key.first, end) : creditFrom(key.first, end);
  return moved;
}

bool CarriedRings::postFrom(uint32_t ring, End &end) {
  bool moved = false;
  while (!end.calls.empty()) {
    const CarriedChunks &call = end.calls.front();
    const auto slot = uint32_t(end.next % call.slots);
    const uint64_t tag = makeTag(end.next, call.signature);
    // Acquire, so that the chunk is visible with its tag. No later chunk can be
    // in the slot instead, since its lane waits until this one has been read.
    if (loadAcquire(end.memory.full + slot) != tag)
      return moved;
    const ElementRange range =
        chunkRange(call.range, call.elementBytes, call.chunkBytes, end.posted);
    const uint64_t offset = uint64_t(slot) * call.slotBytes;
    carriers.of(ring)->post(
        {ring, slot, tag, offset, range.size() * call.sentBytes},
        end.memory.slots + offset, call.pace);
    moved = true;
    ++end.next;
    if (++end.posted == call.count) {
      end.calls.pop_front();
      end.posted = 0;
    }
  }
  return moved;
}

bool CarriedRings::creditFrom(uint32_t ring, End &end) {
  // Acquire: the lane's reads of the slots come before the writes of the chunks
  // that this credit permits.
  const uint64_t read = loadAcquire(end.memory.freed);
  if (read == end.next)
    return false;
  end.next = read;
  carriers.of(ring)->credit(ring, read);
  return true;
}

bool CarriedRings::isPosting() const {
  return std::any_of(ends_.begin(), ends_.end(), [](const auto &entry) {
    return !entry.second.calls.empty();
  });
}

bool CarriedRings::flushed() const {
  return std::all_of(ends_.begin(), ends_.end(), [this](const auto &entry) {
    const auto [ring, writes] = entry.first;
    return !writes || carriers.flushed(ring);
  });
}

bool CarriedRings::isBusy() const {
  return std::any_of(ends_.begin(), ends_.end(), [](const auto &entry) {
    return entry.second.next < entry.second.expected;
  });
}

/// Returns what the end waits for, or "" if it does not wait for the other end.
std::string CarriedRings::needOf(const RingPlan &ring, bool writer,
                                 const End &end) const {
  if (!writer) {
    const uint64_t seen = end.numArrived.load(std::memory_order_relaxed);
    return seen >= end.expected
               ? ""
               : textOf("rank ", ring.destination, ": no chunk from rank ",
                        ring.source, ": expected ", end.expected,
                        " written, seen ", seen);
  }
  if (end.calls.empty())
    return "";
  const uint64_t needed = freedNeeded(end.next, end.calls.front().slots, false);
  const uint64_t seen = loadRelaxed(end.memory.freed);
  return seen >= needed ? ""
                        : textOf("rank ", ring.source,
                                 ": no free slot at rank ", ring.destination,
                                 ": expected ", needed, " read, seen ", seen);
}

Status CarriedRings::failure() const {
  for (const auto &[key, end] : ends_) {
    Status why = carriers.failure(key.first);
    if (why.ok())
      continue;
    const std::string need = needOf(plan_->rings[key.first], key.second, end);
    if (need.empty())
      continue; // the other rank may have left after everything was done
    why.text += "; " + need;
    return why;
  }
  return {};
}

//===-- What comes from the other end -------------------------------------===//

char *CarriedRings::placeFor(const ChunkMessage &message) {
  const auto found = ends_.find({message.ring, false});
  if (found == ends_.end())
    return nullptr;
  const RingPlan &ring = plan_->rings[message.ring];
  if (message.slot >= ring.slots || message.offset > ring.bytes ||
      message.bytes > ring.bytes - message.offset)
    return nullptr;
  return found->second.memory.slots + message.offset;
}

void CarriedRings::arrived(const ChunkMessage &message) {
  End &end = ends_.at({message.ring, false});
  end.numArrived.fetch_add(1, std::memory_order_relaxed);
  // Release: a lane that loads the tag with acquire sees the chunk's bytes.
  storeRelease(end.memory.full + message.slot, message.tag);
}

void CarriedRings::freed(uint32_t ring, uint64_t number) {
  const auto found = ends_.find({ring, true});
  if (found == ends_.end())
    return;
  // Release: a lane that loads the number with acquire writes to the slot only
  // after the transport has read it.
  storeRelease(found->second.memory.freed, number);
}

void CarriedRings::broken(uint32_t ring, const std::string &why) {
  carriers.noteBroken(ring, why);
}

void CarriedRings::note(int rank, bool warning, const std::string &text) {
  carriers.note(rank, warning, text);
}

} // namespace blink::runtime
