//===- HostBackend.cpp - the host back end of one job ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/HostBackend.h"

#include "runtime/Log.h"
#include "runtime/core/Memory.h"
#include "runtime/host/VariantChoice.h"
#include "runtime/host/WorkerPool.h"
#include "runtime/job/Backoff.h"
#include "runtime/job/Join.h"
#include "runtime/job/SharedBlocks.h"
#include "runtime/job/ShrinkAgreement.h"
#include "schedules/Text.h"

#include <cerrno>
#include <new>
#include <numeric>
#include <set>
#include <unistd.h>
#include <utility>

namespace blink::runtime {

const BackendEntry kHostBackend = {blinkBackendHost, "host",
                                   []() -> std::shared_ptr<Backend> {
                                     return std::make_shared<HostBackend>();
                                   },
                                   [] { return true; }, allocateBlock};

namespace {

std::string str(uint64_t value) { return std::to_string(value); }

// Values of HostPeerInfo::reads.
constexpr uint64_t kReads = 1, kCannotRead = 2;

} // namespace

Status HostBackend::makePlan(const BackendRequest &request) {
  job_.begin(request.numRanks, request.timeout);
  origin_.slotBytes = request.slotBytes;
  std::vector<int> list(request.numRanks);
  std::iota(list.begin(), list.end(), 0);
  if (!request.gpus.empty())
    list = request.gpus;
  std::vector<bool> here(request.numRanks, !request.id);
  if (request.id)
    here[request.rank] = true;
  Status status = Plan::create(request.files, request.numRanks,
                               {list, request.withoutLink, request.hosts},
                               plan_, request.slotBytes, request.order, here);
  ranks_.resize(request.numRanks);
  if (status.ok())
    extendExchanges(plan_);
  if (status.ok())
    status = rings_.choose(plan_, here);
  if (status.ok())
    status =
        flight_.create({request.id ? &*request.id : nullptr, blinkBackendHost,
                        request.numRanks, request.id ? request.rank : 0,
                        request.id ? 1 : request.numRanks, plan_.numLanes,
                        plan_.numMessageTrees != 0 ? 1u : 0u,
                        uint64_t(request.timeout.count())});
  return status;
}

Status HostBackend::makeRank(int rank) {
  if (Status status = rings_.remote.carriers.listen(rank, job_); !status.ok())
    return status;
  ranks_[rank].run = std::make_unique<RankRun>(plan_, rings_, rank, traces_);
  if (plan_.numMessageTrees != 0)
    ranks_[rank].messages =
        std::vector<std::atomic<RankRun *>>(2 * size_t(plan_.numRanks));
  storeRelaxed(&rings_.segment.rank(rank).probe, probe_.address());
  // Joins: what was set up before is visible to a rank that sees this.
  storeRelease(&job_.peer(rank).process, uint64_t(getpid()));
  return {};
}

Status HostBackend::createAll(const BackendRequest &request) {
  if (!request.devices.empty())
    return {blinkInvalidArgument,
            "devices are for GPUs: pass NULL to the host back end"};
  Status status = makePlan(request);
  if (status.ok())
    status = rings_.segment.create(plan_);
  if (!status.ok())
    return status;
  job_.attach(rings_.segment.job());
  rings_.bind(plan_);
  rings_.crowded = numNear() > WorkerPool::get().processors();
  for (int rank = 0; rank < request.numRanks && status.ok(); ++rank)
    status = makeRank(rank);
  if (status.ok())
    // All ranks are here, so only the machine itself can be late.
    status = rings_.remote.carriers.connect(
        job_, std::chrono::steady_clock::now() + std::chrono::seconds(10), {});
  if (status.ok())
    log(LogLevel::info, -1, "host back end: ", request.numRanks,
        " ranks in one process, ", plan_.programs.size(), " programs, ",
        Segment::sizeFor(plan_, false), " bytes");
  return status;
}

Status HostBackend::join(const BackendRequest &request) {
  if (request.device != -1)
    return {blinkInvalidArgument,
            "a device is for GPUs: pass -1 to the host back end"};
  const int rank = request.rank, numRanks = request.numRanks;
  origin_.rank = rank;
  Status status = makePlan(request);
  const auto deadline = std::chrono::steady_clock::now() + request.timeout;
  Descriptor memory;
  if (status.ok())
    status = joinRanks({*request.id, rank, plan_.serverOf, plan_.fingerprint,
                        Segment::sizeFor(plan_, true), deadline,
                        request.peerFailure},
                       job_, memory);
  Segment &segment = rings_.segment;
  if (status.ok())
    status = segment.create(plan_, memory.get());
  if (!status.ok())
    return status;
  if (job_.control())
    segment.setBell(job_.control()->bell());
  job_.attach(segment.job());
  rings_.bind(plan_);
  status = makeRank(rank);
  if (status.ok() && job_.control())
    job_.mirror([&segment](int one) { return segment.mirroredWords(one); });
  if (status.ok())
    status = job_.waitForAll(rank, &PeerRecord::process, 1, "join", deadline,
                             request.peerFailure);
  if (!status.ok())
    return status;
  for (int other = 0; other < numRanks; ++other)
    if (other != rank)
      job_.watch(other);
  status = rings_.remote.carriers.connect(job_, deadline, [&] {
    Status why = failure();
    for (int other = 0; other < numRanks && why.ok(); ++other)
      why = job_.peerFailure(other);
    return why;
  });
  if (!status.ok())
    return status;
  rings_.windows.begin(job_, segment.board(), segment.windows(), plan_, rank,
                       [this] { waitUntilQuiet(); });
  probeOthers(rank);
  // All ranks have joined. A rank that is lost from now on may have left after
  // everything was done, so that is no error here.
  status = job_.waitForAll(rank, &PeerRecord::ready, 1, "join", deadline);
  if (!status.ok())
    return status;
  rings_.zeroCopy = chooseZeroCopy();
  rings_.crowded = isCrowded();
  log(LogLevel::info, rank, "host back end: joined ", numRanks, " ranks, ",
      plan_.programs.size(), " programs, ", Segment::sizeFor(plan_, true),
      " bytes shared",
      rings_.zeroCopy == ZeroCopy::none
          ? "; a process may not read another's memory, so large messages "
            "are copied twice"
          : "");
  return {};
}

/// Chooses by what all ranks have found out.
ZeroCopy HostBackend::chooseZeroCopy() const {
  for (int rank = 0; rank < plan_.numRanks; ++rank)
    if (loadRelaxed(&rings_.segment.rank(rank).reads) != kReads)
      return ZeroCopy::none;
  return plan_.numRanks == 1 ? ZeroCopy::direct : ZeroCopy::fetched;
}

/// Chooses by what all ranks of this server have found out: a process that may
/// use only few processors shares them with others, and some of these with it.
bool HostBackend::isCrowded() const {
  for (int rank = 0; rank < plan_.numRanks; ++rank)
    if (job_.isNear(rank) && loadRelaxed(&rings_.segment.rank(rank).crowded))
      return true;
  return false;
}

/// Finds out whether this process may read the memory of the other processes on
/// its server, and whether there is a processor for each of the server's ranks.
void HostBackend::probeOthers(int rank) {
  Segment &segment = rings_.segment;
  uint64_t reads = kReads;
  for (int other = 0; other < plan_.numRanks; ++other)
    if (other != rank && job_.isNear(other) &&
        !MemoryProbe::readable(job_.processOf(other),
                               loadRelaxed(&segment.rank(other).probe)))
      reads = kCannotRead;
  storeRelaxed(&segment.rank(rank).reads, reads);
  storeRelaxed(&segment.rank(rank).crowded,
               uint64_t(numNear() > WorkerPool::get().processors()));
  // Release: what was found out is visible with it.
  job_.publish(&job_.peer(rank).ready, 1);
}

blinkMemoryInfo_t HostBackend::memory(int rank) {
  blinkMemoryInfo_t info = {};
  uint64_t ofRings = 0; // those in the segment
  for (const RingPlan &ring : plan_.rings) {
    const uint64_t slots = ring.bytes + ring.slots * sizeof(SlotHead);
    ofRings += ring.apart || ring.elsewhere ? 0 : slots;
    if (ring.destination == rank || (ring.apart && ring.source == rank))
      info.slots += slots;
    if (ring.source == rank || ring.destination == rank)
      info.control += sizeof(RingEnd);
  }
  info.job = Segment::sizeFor(plan_, origin_.rank >= 0) - ofRings;
  info.registered = rings_.windows.bytes();
  return info;
}

HostBackend::~HostBackend() {
  // The threads of windows and transports use everything below.
  rings_.windows.end();
  if (job_.attached() && job_.failed()) // no rank waits for a goodbye then
    for (size_t rank = 0; rank < ranks_.size(); ++rank)
      rings_.remote.carriers.abandon(int(rank));
  job_.disconnect();
  writeTraces(
      traceFile_, plan_, ranks_.size(), [this](size_t rank, uint32_t lane) {
        return ranks_[rank].run ? &ranks_[rank].run->trace(lane) : nullptr;
      });
}

Status HostBackend::begin(const Call &call, bool together) {
  Rank &rank = ranks_[call.rank];
  if (call.isMessage()) { // first, because it may throw
    std::atomic<RankRun *> &run = rank.messages[size_t(call.queue()) - 1];
    // Relaxed: only threads that have this queue store it, and they take turns.
    if (!run.load(std::memory_order_relaxed))
      run.store(new RankRun(plan_, rings_, call.rank, /*traces=*/false),
                std::memory_order_release);
  }
  // Sequentially consistent, like the failing of the job in abort(), which then
  // waits while a call is in flight: either abort() sees this call, or this
  // call sees that the job has failed.
  rank.inFlight.fetch_add(1, std::memory_order_seq_cst);
  if (job_.failed()) {
    rank.inFlight.fetch_sub(1, std::memory_order_release);
    return failure();
  }
  try {
    runOf(call).start(call, together);
  } catch (const std::bad_alloc &) {
    rank.inFlight.fetch_sub(1, std::memory_order_release);
    throw;
  }
  return {};
}

Status HostBackend::probe(const Call &call, bool &arrived) {
  if (job_.failed())
    return failure();
  if (rings_.remote.carriers.any())
    rings_.remote.carriers.progress(call.rank, /*wait=*/true);
  arrived = RankRun::hasArrived(rings_, call);
  return {};
}

RankRun &HostBackend::runOf(const Call &call) const {
  const Rank &rank = ranks_[call.rank];
  return call.isMessage() ? *rank.messages[size_t(call.queue()) - 1].load(
                                std::memory_order_acquire)
                          : *rank.run;
}

HostBackend::Rank::~Rank() {
  for (std::atomic<RankRun *> &message : messages)
    delete message.load(std::memory_order_acquire);
}

void HostBackend::waitUntilQuiet() const {
  for (const Rank &rank : ranks_) {
    if (rank.run)
      rank.run->waitUntilQuiet();
    for (const std::atomic<RankRun *> &message : rank.messages)
      if (const RankRun *run = message.load(std::memory_order_acquire))
        run->waitUntilQuiet();
  }
}

Status HostBackend::end(const Call &call) {
  Status status = failure();
  if (!status.ok()) {
    waitUntilQuiet();
    rings_.remote.carriers.abandon(call.rank);
    // The picture is taken only after the failure, since a lane found it. The
    // records of calls are still there, also of ranks that have left their
    // calls.
    if (runOf(call).failedJob())
      takePicture().write(call.rank);
  }
  ranks_[call.rank].inFlight.fetch_sub(1, std::memory_order_release);
  return status;
}

bool HostBackend::inFlight(int rank) const {
  return ranks_[rank].inFlight.load(std::memory_order_seq_cst) != 0;
}

void HostBackend::finish(int rank) {
  // Each call ends, at the latest when its time limit is over.
  for (Backoff backoff(true); inFlight(rank); backoff.wait())
    ;
}

void HostBackend::abort(int rank) {
  job_.fail(Job::abortedBy(rank));
  // The progress loop of the call looks at the abort word between any two
  // folds.
  for (Backoff backoff(true); inFlight(rank); backoff.wait())
    ;
}

void HostBackend::cancel(const Status &why) {
  job_.fail(why);
  for (const Rank &rank : ranks_)
    for (Backoff backoff(true);
         rank.inFlight.load(std::memory_order_seq_cst) != 0; backoff.wait())
      ;
}

//===-- Failures ----------------------------------------------------------===//

Status HostBackend::asyncError() const {
  Status why = failure();
  if (why.ok())
    why = job_.lostRank();
  return why.ok() ? rings_.remote.carriers.lostWay(job_) : why;
}

Status HostBackend::missingRank(const Call &call, int &missing) {
  Segment &segment = rings_.segment;
  const uint64_t number = loadRelaxed(&segment.rank(call.rank).calls);
  for (int rank = 0; rank < plan_.numRanks; ++rank) {
    if (call.isMessage() && rank != call.peer)
      continue;
    Status why = job_.peerFailure(rank);
    // A rank that left may have done its part of this call before. So may one
    // that died, but later calls need it. What a rank of another server sent
    // may arrive after the news that it left.
    if (why.ok() ||
        (!call.isMessage() && job_.detached(rank) &&
         loadAcquire(&segment.rank(rank).calls) >= number) ||
        (call.isMessage() && job_.detached(rank) && !job_.isNear(rank) &&
         job_.control()->lost(rank).ok() &&
         !job_.control()->left(rank, /*silences=*/5)))
      continue;
    why.text = call.kind.describe() + ": " + why.text;
    // Name the NICs by which the rank was reached.
    std::set<uint16_t> nics;
    for (const RingPlan &ring : plan_.rings)
      if (ring.source == rank && ring.nics.source != kNoNic)
        nics.insert(ring.nics.source);
      else if (ring.destination == rank && ring.nics.destination != kNoNic)
        nics.insert(ring.nics.destination);
    const char *before = "; its NICs are ";
    for (uint16_t nic : nics)
      why.text += std::exchange(before, ", ") + plan_.nics[nic].name;
    missing = rank;
    return why;
  }
  return {};
}

bool HostBackend::checkRanks(const Call &call, bool again) {
  Carriers &carriers = rings_.remote.carriers;
  RankRun &run = runOf(call);
  int missing = -1;
  Status status = missingRank(call, missing);
  if (status.ok() && !carriers.anyBroken())
    return false;
  const std::optional<Need> need = run.firstNeed([&](uint32_t ring) {
    return missing < 0 ? !carriers.failure(ring).ok()
                       : plan_.rings[ring].source == missing ||
                             plan_.rings[ring].destination == missing;
  });
  if (status.ok()) {
    if (need)
      status = carriers.failure(run.variant().rings[need->channel]);
    if (status.ok())
      return false;
    status.text = call.kind.describe() + ": " + status.text;
  }
  if (need)
    status.text += "; " + describe(call, *need);
  // If the call waits for no rank: what it has given to a transport is on its
  // way, and between servers the news that a rank has left does not tell what
  // is still on its way from there.
  else if (!again || !run.flushed() ||
           (job_.control() && missing >= 0 && job_.detached(missing)))
    return true;
  log(LogLevel::warn, call.rank, status.text);
  const HangReport report = takePicture(); // before the ranks leave their calls
  if (job_.fail(status))
    report.write(call.rank);
  return false;
}

HangReport HostBackend::takePicture() const {
  return HangReport(flight_, [this](int rank) {
    return Hearsay{loadAcquire(&rings_.segment.rank(rank).calls),
                   rings_.segment.lastCall(rank)};
  });
}

/// Returns a text such as "rank 0, lane 0, step 2, channel 1, s1nic0 to s0nic0:
/// no chunk from rank 3: expected 5 written, seen 4".
std::string HostBackend::describe(const Call &call, const Need &need) const {
  const VariantPlan &variant = runOf(call).variant();
  const RingPlan &ring = plan_.rings[variant.rings[need.channel]];
  std::string text =
      textOf("rank ", call.rank, ", lane ", need.lane, ", step ", need.step,
             ", channel ", variant.channelNumber(need.channel));
  if (ring.nics.source != kNoNic && ring.nics.destination != kNoNic)
    text += textOf(", ", plan_.nics[ring.nics.source].name, " to ",
                   plan_.nics[ring.nics.destination].name);
  if (need.reading)
    text += textOf(": no chunk from rank ", ring.source, ": expected ",
                   need.expected, " written");
  else
    text += textOf(": no free slot at rank ", ring.destination, ": expected ",
                   need.expected, " read");
  return text + ", seen " + str(need.seen);
}

void HostBackend::failStuck(const Call &call) {
  // All ranks run out of time together; the first of them explains why.
  std::optional<HangReport> report;
  Segment &segment = rings_.segment;
  if (!job_.failed())
    report = takePicture();
  const uint64_t number = loadRelaxed(&segment.rank(call.rank).calls);
  // Look for calls that differ but exchange no chunks: a chunk's tag would have
  // shown the difference.
  for (int rank = 0; !call.isMessage() && rank < plan_.numRanks; ++rank) {
    const auto differs = [&] {
      return loadAcquire(&segment.rank(rank).calls) == number &&
             segment.lastCall(rank) != call.kind;
    };
    if (!differs())
      continue;
    // A rank that begins a call writes its kind, then its number. Look again
    // when it has written both.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (!differs())
      continue;
    const CallKind other = segment.lastCall(rank);
    const Status differ =
        callsDiffer(call.rank, call.kind, rank, other.describe());
    log(LogLevel::warn, call.rank, differ.text);
    if (job_.fail(differ) && report)
      report->write(call.rank);
    return;
  }
  std::string text = call.kind.describe() + ": ";
  std::optional<Need> need = runOf(call).firstNeed();
  if (!need)
    need = runOf(call).firstUnflushed();
  if (need)
    text += describe(call, *need);
  else
    text += "rank " + std::to_string(call.rank);
  text += "; waited " + str(job_.timeout().count()) + " ms";
  std::vector<int> missing;
  if (call.isMessage())
    text += textOf(" for rank ", call.peer,
                   call.send ? " to receive it" : " to send it");
  for (int rank = 0; !call.isMessage() && rank < plan_.numRanks; ++rank)
    if (loadAcquire(&segment.rank(rank).calls) < number)
      missing.push_back(rank);
  if (!missing.empty())
    text += " for " + ShrinkAgreement::list(missing) + " to call it too";
  else if (!call.isMessage())
    text += "; all ranks have called it: `blinkc verify` tells whether the "
            "schedule can end";
  if (report)
    text += report->sentence();
  log(LogLevel::warn, call.rank, text);
  if (job_.fail({blinkRemoteError, std::move(text)}) && report)
    report->write(call.rank);
}

} // namespace blink::runtime
