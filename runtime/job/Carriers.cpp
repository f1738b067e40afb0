//===- Carriers.cpp - the transports of a job's rings ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/Carriers.h"

#include "runtime/Log.h"

#include <algorithm>

namespace blink::runtime {

using Clock = std::chrono::steady_clock;

static_assert(kAnyNic == kNoNic);

int partRings(Plan &plan, const std::vector<bool> &here) {
  const bool together =
      std::find(here.begin(), here.end(), false) == here.end();
  std::vector<bool> apart;
  for (const RingPlan &ring : plan.rings) {
    const TransportEntry &entry = transportOf(ring.kind);
    apart.push_back(entry.create && !(entry.betweenProcesses && together));
  }
  plan.keepApart(apart);
  if (plan.numServers == 1 || together)
    return plan.numRanks;
  const auto first = std::find(here.begin(), here.end(), true);
  const uint16_t server = plan.serverOf[size_t(first - here.begin())];
  plan.keepServer(server);
  return plan.ranksOf(server);
}

static uint64_t largestChunkOf(const Plan &plan) {
  uint64_t largest = 0;
  for (const ProgramPlan &program : plan.programs)
    for (const VariantPlan &variant : program.variants)
      largest = std::max<uint64_t>(largest, variant.chunks.bytes);
  return largest;
}

Status Carriers::create(const Plan &plan, const std::vector<bool> &here,
                        TransportClient &client) {
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
    jobs[c].rings.push_back({r, ring.between, ring.source, ring.destination,
                             ring.nics.source, ring.nics.destination});
    carrierOf[r] = c;
  }
  for (size_t c = 0; c < carriers_.size(); ++c) {
    Carrier &carrier = carriers_[c];
    Status status = carrier.entry->create(jobs[c], client, carrier.transport);
    if (!status.ok())
      return status;
  }
  for (auto [ring, c] : carrierOf)
    ofRings_[ring] = carriers_[c].transport.get();
  return {};
}

//===-- Joining -----------------------------------------------------------===//

Status Carriers::listen(int rank, const Job &job) {
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

Status Carriers::connect(const Job &job, Clock::time_point deadline,
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

bool Carriers::progress(int rank, bool wait) {
  bool moved = false;
  for (Carrier &carrier : carriers_)
    moved |= carrier.transport->progress(rank, wait);
  return moved;
}

Awaited Carriers::await(int rank, std::chrono::nanoseconds most) {
  if (carriers_.empty())
    return Awaited::no;
  thread_local std::vector<pollfd> files; // kept, so that no wait allocates
  files.clear();
  for (Carrier &carrier : carriers_)
    if (!carrier.transport->awaitable(rank, files, most))
      return Awaited::no;
  const timespec time{0, long(most.count())};
  return ppoll(files.data(), nfds_t(files.size()), &time, nullptr) == 0
             ? Awaited::nothing
             : Awaited::something;
}

void Carriers::abandon(int rank) {
  for (Carrier &carrier : carriers_)
    if (carrier.transport)
      carrier.transport->abandon(rank);
}

//===-- Failures ----------------------------------------------------------===//

void Carriers::noteBroken(uint32_t ring, const std::string &why) {
  const RingPlan &plan = plan_->rings[ring];
  std::lock_guard<std::mutex> lock(mutex_);
  broken_.try_emplace(
      ring,
      Broken{Status(blinkRemoteError, "the connection of ranks ", plan.source,
                    " and ", plan.destination, " is broken: ", why),
             Clock::now()});
  anyBroken_.store(true, std::memory_order_relaxed);
}

void Carriers::note(int rank, bool warning, const std::string &text) {
  log(warning ? LogLevel::warn : LogLevel::info, rank, text);
}

/// A broken ring counts as a failure only after a delay: if a process died, its
/// death is the better explanation, but the kernel closes the process's files
/// before the death is visible.
bool Carriers::Broken::isFailure() const {
  constexpr std::chrono::milliseconds kDeathIsKnown{200};
  return Clock::now() - since >= kDeathIsKnown;
}

Status Carriers::failure(uint32_t ring) const {
  if (!anyBroken())
    return {};
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = broken_.find(ring);
  return found == broken_.end() || !found->second.isFailure()
             ? Status()
             : found->second.why;
}

Status Carriers::lostWay(const Job &job) const {
  if (!anyBroken())
    return {};
  std::lock_guard<std::mutex> lock(mutex_);
  for (const auto &[ring, broken] : broken_) {
    const RingPlan &plan = plan_->rings[ring];
    if (broken.isFailure() && !job.detached(plan.source) &&
        !job.detached(plan.destination))
      return broken.why;
  }
  return {};
}

} // namespace blink::runtime
