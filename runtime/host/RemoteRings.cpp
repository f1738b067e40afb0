//===- RemoteRings.cpp - rings that a transport carries -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/RemoteRings.h"

#include "runtime/core/Memory.h"
#include "runtime/host/HostRings.h"

#include <algorithm>

namespace blink::runtime {

using Clock = std::chrono::steady_clock;

static_assert(kAnyNic == kNoNic);

static uint64_t largestChunkOf(const Plan &plan) {
  uint64_t largest = 0;
  for (const ProgramPlan &program : plan.programs)
    for (const VariantPlan &variant : program.variants)
      largest = std::max<uint64_t>(largest, variant.chunkBytes);
  return largest;
}

Status RemoteRings::create(const Plan &plan, const std::vector<bool> &here) {
  plan_ = &plan;
  std::vector<TransportJob> jobs; // of each carrier
  std::map<uint32_t, size_t> carrierOf;
  for (uint32_t r = 0; r < plan.rings.size(); ++r) {
    const RingPlan &ring = plan.rings[r];
    if (!ring.apart)
      continue;
    const TransportEntry *entry = &transportOf(ring.kind);
    size_t c = 0;
    while (c < carriers_.size() && carriers_[c].entry != entry)
      ++c;
    if (c == carriers_.size()) {
      carriers_.push_back({entry, c, nullptr});
      jobs.push_back({plan.numRanks, here, {}, {}, largestChunkOf(plan)});
      for (const NicPlan &nic : plan.nics)
        jobs[c].nics.push_back({nic.name, nic.device, nic.number});
    }
    jobs[c].rings.push_back({r, ring.source, ring.destination, ring.nics.source,
                             ring.nics.destination});
    carrierOf[r] = c;
    rings_[r]; // laid out below
  }
  Arena counting;
  layout(here, counting);
  if (Status status = mapPages(counting.size(), -1, pages_); !status.ok())
    return status;
  Arena arena(pages_.get());
  layout(here, arena);
  for (size_t c = 0; c < carriers_.size(); ++c) {
    Carrier &carrier = carriers_[c];
    Status status = carrier.entry->create(jobs[c], *this, carrier.transport);
    if (!status.ok())
      return status;
  }
  for (auto [ring, c] : carrierOf)
    rings_[ring].transport = carriers_[c].transport.get();
  return {};
}

void RemoteRings::layout(const std::vector<bool> &here, Arena &arena) {
  for (auto &[r, ends] : rings_) {
    const RingPlan &ring = plan_->rings[r];
    const auto take = [&](RingMemory &end) {
      end.freed = arena.take<uint64_t>(1);
      end.heads = arena.take<SlotHead>(ring.slots);
      end.slots = arena.take<char>(ring.bytes);
    };
    if (here[ring.source])
      take(ends.writer);
    if (here[ring.destination])
      take(ends.reader);
  }
}

void RemoteRings::bind(uint32_t ring, RingEnd &writer, RingEnd &reader) {
  const Ends &ends = rings_.at(ring);
  static_cast<RingMemory &>(writer) = ends.writer;
  static_cast<RingMemory &>(reader) = ends.reader;
  writer.transport = reader.transport = ends.transport;
}

//===-- Joining -----------------------------------------------------------===//

Status RemoteRings::listen(int rank, const Job &job) {
  for (Carrier &carrier : carriers_) {
    std::string address;
    Status status = carrier.transport->listen(rank, address);
    if (!status.ok())
      return status;
    if (!job.address(rank, carrier.place).set(address))
      return Status(blinkInternalError, "a transport's address has more than ",
                    AddressRecord::kBytes, " bytes");
  }
  return {};
}

Status RemoteRings::connect(const Job &job, Clock::time_point deadline,
                            const std::function<Status()> &ended) {
  for (Carrier &carrier : carriers_) {
    std::vector<std::string> addresses;
    for (int rank = 0; rank < plan_->numRanks; ++rank)
      addresses.push_back(job.address(rank, carrier.place).get());
    Status status = carrier.transport->connect(addresses, deadline, ended);
    if (!status.ok())
      return status;
  }
  return {};
}

//===-- Carrying ----------------------------------------------------------===//

bool RemoteRings::progress(int rank, bool wait) {
  bool moved = false;
  for (Carrier &carrier : carriers_)
    moved |= carrier.transport->progress(rank, wait);
  return moved;
}

bool RemoteRings::flushed(int rank) {
  return std::all_of(
      carriers_.begin(), carriers_.end(),
      [rank](Carrier &carrier) { return carrier.transport->flushed(rank); });
}

void RemoteRings::abandon(int rank) {
  for (Carrier &carrier : carriers_)
    if (carrier.transport)
      carrier.transport->abandon(rank);
}

char *RemoteRings::placeFor(const ChunkMessage &message) {
  const auto found = rings_.find(message.ring);
  if (found == rings_.end())
    return nullptr;
  const RingPlan &ring = plan_->rings[message.ring];
  const RingMemory &end = found->second.reader;
  if (!end.heads || message.slot >= ring.slots)
    return nullptr;
  if (message.bytes <= SlotHead::kSmall)
    return end.heads[message.slot].small;
  if (message.offset > ring.bytes ||
      message.bytes > ring.bytes - message.offset)
    return nullptr;
  return end.slots + message.offset;
}

void RemoteRings::arrived(const ChunkMessage &message) {
  // Release: with its bytes. A lane loads the tag with acquire.
  storeRelease(&rings_.at(message.ring).reader.heads[message.slot].full,
               message.tag);
}

void RemoteRings::freed(uint32_t ring, uint64_t number) {
  const auto found = rings_.find(ring);
  if (found == rings_.end() || !found->second.writer.freed)
    return;
  // Release: a lane that then writes to the slot comes after the one that sent
  // it.
  storeRelease(found->second.writer.freed, number);
}

//===-- Failures ----------------------------------------------------------===//

void RemoteRings::broken(uint32_t ring, const std::string &why) {
  const RingPlan &plan = plan_->rings[ring];
  std::lock_guard<std::mutex> lock(mutex_);
  if (anyBroken_.load(std::memory_order_relaxed))
    return;
  why_ = Status(blinkRemoteError, "the connection of ranks ", plan.source,
                " and ", plan.destination, " is broken: ", why);
  since_ = Clock::now();
  // Relaxed: a hint; a thread that sees it takes the mutex.
  anyBroken_.store(true, std::memory_order_relaxed);
}

Status RemoteRings::failure() const {
  if (!anyBroken_.load(std::memory_order_relaxed))
    return {};
  // A dead process says more, and the kernel closes its files first.
  constexpr std::chrono::milliseconds kDeathIsKnown{200};
  std::lock_guard<std::mutex> lock(mutex_);
  return Clock::now() - since_ < kDeathIsKnown ? Status() : why_;
}

} // namespace blink::runtime
