//===- HostMachine.cpp - the host back end of one job ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/HostMachine.h"

#include "runtime/Log.h"
#include "runtime/core/Memory.h"
#include "runtime/host/Idle.h"
#include "runtime/host/Rendezvous.h"

#include <cerrno>
#include <unistd.h>

namespace blink::runtime {
namespace {

std::string str(uint64_t value) { return std::to_string(value); }

std::string listRanks(const std::vector<int> &ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (size_t i = 0; i < ranks.size(); ++i)
    text += (i ? "," : "") + std::to_string(ranks[i]);
  return text;
}

} // namespace

Status HostMachine::makePlan(const ScheduleSet &files, int numRanks,
                             std::chrono::milliseconds timeout) {
  timeout_ = timeout;
  Status status = Plan::create(files, numRanks, plan_);
  rings_.writers.resize(plan_.rings.size());
  rings_.readers.resize(plan_.rings.size());
  ranks_.resize(numRanks);
  return status;
}

void HostMachine::makeRank(int rank) {
  ranks_[rank].run =
      std::make_unique<RankRun>(plan_, rings_, rank, !traceFile_.empty());
  // Joins: see RankRecord.
  storeRelease(&rings_.segment.rank(rank).process, uint64_t(getpid()));
}

Status HostMachine::createAll(const ScheduleSet &files, int numRanks,
                              std::chrono::milliseconds timeout,
                              std::shared_ptr<HostMachine> &result) {
  std::shared_ptr<HostMachine> machine(new HostMachine);
  Status status = machine->makePlan(files, numRanks, timeout);
  if (status.ok())
    status = machine->rings_.segment.create(machine->plan_);
  if (!status.ok())
    return status;
  for (int rank = 0; rank < numRanks; ++rank)
    machine->makeRank(rank);
  log(LogLevel::info, -1,
      "host back end: " + std::to_string(numRanks) + " ranks in one process, " +
          str(machine->plan_.programs.size()) + " programs, " +
          str(Segment::sizeFor(machine->plan_)) + " bytes");
  result = std::move(machine);
  return {};
}

Status HostMachine::join(const ScheduleSet &files, int numRanks,
                         const blinkUniqueId &id, int rank,
                         std::chrono::milliseconds timeout,
                         std::shared_ptr<HostMachine> &result) {
  std::shared_ptr<HostMachine> machine(new HostMachine);
  Status status = machine->makePlan(files, numRanks, timeout);
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  Admission admission;
  if (status.ok())
    status =
        joinJob(id,
                {uint32_t(numRanks), uint32_t(rank), machine->plan_.fingerprint,
                 Segment::sizeFor(machine->plan_)},
                deadline, admission);
  Segment &segment = machine->rings_.segment;
  if (status.ok())
    status = segment.attach(machine->plan_, admission.memory.get());
  if (!status.ok())
    return status;
  machine->rings_.oneProcess = numRanks == 1;
  machine->makeRank(rank);
  Idle idle(true);
  for (int other = 0; other < numRanks; ++other)
    while (loadAcquire(&segment.rank(other).process) == 0) {
      idle.wait();
      if (idle.sleeping() && std::chrono::steady_clock::now() > deadline) {
        segment.fail(
            {blinkRemoteError, "rank " + std::to_string(rank) + " waited " +
                                   str(timeout.count()) + " ms for rank " +
                                   std::to_string(other) + " to join"});
        break;
      }
      if (segment.failed())
        return segment.failure();
    }
  if (segment.failed())
    return segment.failure();
  for (int other = 0; other < numRanks; ++other)
    if (other != rank)
      machine->ranks_[other].process.start(
          loadAcquire(&segment.rank(other).process));
  log(LogLevel::info, rank,
      "host back end: joined " + std::to_string(numRanks) + " ranks, " +
          str(machine->plan_.programs.size()) + " programs, " +
          str(Segment::sizeFor(machine->plan_)) + " bytes shared");
  result = std::move(machine);
  return {};
}

HostMachine::~HostMachine() {
  if (traceFile_.empty())
    return;
  TraceWriter writer(traceFile_);
  for (size_t rank = 0; rank < ranks_.size(); ++rank)
    for (uint32_t lane = 0;
         ranks_[rank].run && lane < ranks_[rank].run->numTraces(); ++lane)
      writer.add(int(rank), lane, ranks_[rank].run->trace(lane));
}

//===-- Calls -------------------------------------------------------------===//

Status HostMachine::begin(const Call &call) {
  if (rings_.segment.failed())
    return failure();
  Rank &rank = ranks_[call.rank];
  // Paired with abort(): it fails the job and then waits while busy.
  rank.busy.store(true, std::memory_order_seq_cst);
  rank.run->start(call);
  return {};
}

Status HostMachine::end(int index) {
  Status status = failure();
  if (!status.ok())
    for (const Rank &rank : ranks_)
      if (rank.run)
        rank.run->waitUntilQuiet();
  ranks_[index].busy.store(false, std::memory_order_release);
  return status;
}

bool HostMachine::busy(int rank) const {
  return ranks_[rank].busy.load(std::memory_order_acquire);
}

void HostMachine::abort(int rank) {
  rings_.segment.fail(
      {blinkRemoteError,
       "rank " + std::to_string(rank) + " aborted: destroy the communicators"});
  // Whoever drives the call looks at the abort word between any two folds.
  Idle idle(true);
  while (busy(rank))
    idle.wait();
}

void HostMachine::leave(int rank) {
  storeRelease(&rings_.segment.rank(rank).gone, 1);
}

//===-- Failures ----------------------------------------------------------===//

Status HostMachine::missingRank(const Call &call) {
  Segment &segment = rings_.segment;
  const uint64_t number = loadRelaxed(&segment.rank(call.rank).calls);
  for (int rank = 0; rank < plan_.numRanks; ++rank) {
    RankRecord &record = segment.rank(rank);
    if (loadAcquire(&record.gone) && loadAcquire(&record.calls) < number)
      return {blinkRemoteError,
              call.kind.describe() + ": the communicator of rank " +
                  std::to_string(rank) + " has been destroyed"};
    // It may have died after its part was done; but then later calls need it.
    if (ranks_[rank].process.died() && !loadAcquire(&record.gone))
      return {blinkRemoteError,
              call.kind.describe() + ": the process of rank " +
                  std::to_string(rank) + ", number " +
                  str(loadRelaxed(&record.process)) + ", has died"};
  }
  return {};
}

void HostMachine::checkRanks(const Call &call) {
  Status status = missingRank(call);
  if (status.ok())
    return;
  if (std::optional<Need> need = run(call.rank).firstNeed())
    status.text += "; " + describe(call, *need);
  log(LogLevel::warn, call.rank, status.text);
  rings_.segment.fail(status);
}

/// "rank 0, lane 0, step 2, channel 1: a chunk from rank 3 is missing: expected
/// 5 written, seen 4"
std::string HostMachine::describe(const Call &call, const Need &need) const {
  const VariantPlan &variant = run(call.rank).variant();
  const RingPlan &ring = plan_.rings[variant.rings[need.channel]];
  std::string text = "rank " + std::to_string(call.rank) + ", lane " +
                     str(need.lane) + ", step " + str(need.step) +
                     ", channel " + str(need.channel);
  if (need.reading)
    text += ": no chunk from rank " + str(ring.source) + ": expected " +
            str(need.expected) + " written";
  else
    text += ": no free slot at rank " + str(ring.destination) + ": expected " +
            str(need.expected) + " read";
  return text + ", seen " + str(need.seen);
}

void HostMachine::failStuck(const Call &call) {
  Segment &segment = rings_.segment;
  const uint64_t number = loadRelaxed(&segment.rank(call.rank).calls);
  std::string text = call.kind.describe() + ": ";
  if (std::optional<Need> need = run(call.rank).firstNeed())
    text += describe(call, *need);
  else
    text += "rank " + std::to_string(call.rank);
  text += "; waited " + str(timeout_.count()) + " ms";
  std::vector<int> missing;
  for (int rank = 0; rank < plan_.numRanks; ++rank)
    if (loadAcquire(&segment.rank(rank).calls) < number)
      missing.push_back(rank);
  if (!missing.empty())
    text += " for " + listRanks(missing) + " to call it too";
  else
    text += "; all ranks have called it: `blinkc verify` tells whether the "
            "schedule can end";
  log(LogLevel::warn, call.rank, text);
  segment.fail({blinkRemoteError, std::move(text)});
}

} // namespace blink::runtime
