//===- Machine.cpp - the host back end of one job -------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Machine.h"

#include "runtime/Log.h"
#include "schedules/ScheduleFile.h"

#include <cstdlib>
#include <system_error>
#include <unistd.h>

namespace blink::runtime {
namespace {

using Clock = Parker::Clock;

// What a lane may wait for: its next collective, or one end of a channel.
constexpr uint64_t kLaunch = Parker::kNothing - 1;
constexpr uint64_t channelEnd(uint32_t channel, bool reading) {
  return uint64_t(channel) * 2 + reading;
}

std::string str(uint64_t value) { return std::to_string(value); }

std::string listRanks(const std::vector<int> &ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (size_t i = 0; i < ranks.size(); ++i)
    text += (i ? "," : "") + std::to_string(ranks[i]);
  return text;
}

const char *name(blinkDataType_t type) {
  switch (type) {
  case blinkInt8:
    return "int8";
  case blinkUint8:
    return "uint8";
  case blinkInt32:
    return "int32";
  case blinkUint32:
    return "uint32";
  case blinkInt64:
    return "int64";
  case blinkUint64:
    return "uint64";
  case blinkFloat16:
    return "float16";
  case blinkFloat32:
    return "float32";
  case blinkFloat64:
    return "float64";
  case blinkBfloat16:
    return "bfloat16";
  }
  return "?";
}

const char *name(blinkRedOp_t op) {
  switch (op) {
  case blinkSum:
    return "sum";
  case blinkProd:
    return "prod";
  case blinkMax:
    return "max";
  case blinkMin:
    return "min";
  case blinkAvg:
    return "avg";
  }
  return "?";
}

bool reduces(sched::Collective collective) {
  return collective == sched::Collective::allreduce ||
         collective == sched::Collective::reduce ||
         collective == sched::Collective::reducescatter;
}

} // namespace

bool Call::matches(const Call &other) const {
  return collective == other.collective && root == other.root &&
         count == other.count && type == other.type && op == other.op;
}

std::string Call::describe() const {
  std::string text = std::string(sched::EnumNameCollective(collective)) +
                     " of " + str(count) + " " + name(type);
  if (reduces(collective))
    text += std::string(" with ") + name(op);
  if (sched::isRooted(collective))
    text += " and root " + std::to_string(root);
  return text;
}

Status Machine::create(const ScheduleSet &files, int numRanks,
                       std::chrono::milliseconds timeout,
                       std::shared_ptr<Machine> &result) {
  std::shared_ptr<Machine> machine(new Machine);
  machine->timeout_ = timeout;
  Status status = Plan::create(files, numRanks, machine->plan_);
  if (status.ok())
    status = machine->start();
  if (status.ok())
    result = std::move(machine);
  return status;
}

Status Machine::start() {
  // Asking for more than there is might succeed and kill the process later.
  uint64_t memory =
      uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE));
  constexpr size_t kLine = 64;
  uint64_t bytes = (plan_.poolBytes + kLine) / kLine * kLine;
  if (bytes <= memory)
    pool_.reset(static_cast<char *>(std::aligned_alloc(kLine, bytes)));
  if (!pool_)
    return {blinkSystemError,
            "the schedule's channels need " + str(plan_.poolBytes) +
                " bytes, more than there are: compile with smaller chunks"};
  channels_ = std::vector<Channel>(plan_.numChannels);
  launch_.channels = channels_.data();
  launch_.pool = pool_.get();
  // No call allocates: there is room for the largest variant.
  launch_.buffers.resize(plan_.numRanks);
  launch_.ranges.reserve(plan_.numTrees);
  launch_.chunkCounts.reserve(plan_.numTrees);
  toRun_.reserve(plan_.firstLane.back());

  for (int rank = 0; rank < plan_.numRanks; ++rank) {
    ranks_.emplace_back();
    for (uint32_t i = plan_.firstLane[rank]; i < plan_.firstLane[rank + 1];
         ++i) {
      Lane &lane = lanes_.emplace_back();
      lane.rank = uint32_t(rank);
      lane.index = i - plan_.firstLane[rank];
      lane.stepper.reserve(plan_.numOperands);
    }
  }
  try {
    for (Lane &lane : lanes_)
      lane.thread = std::thread([this, &lane] { laneMain(lane); });
  } catch (const std::system_error &error) {
    return {blinkSystemError, "cannot start a thread for each of " +
                                  str(lanes_.size()) +
                                  " lanes: " + error.what()};
  }
  log(LogLevel::info, -1,
      "host back end: " + std::to_string(plan_.numRanks) + " ranks, " +
          str(lanes_.size()) + " lanes, " + str(plan_.programs.size()) +
          " programs, " + str(plan_.poolBytes) + " bytes of channels");
  return {};
}

Machine::~Machine() {
  stopping_.store(true, std::memory_order_seq_cst);
  for (Lane &lane : lanes_)
    lane.parker.wakeAlways();
  for (Lane &lane : lanes_)
    if (lane.thread.joinable())
      lane.thread.join();
}

//===-- Calls -------------------------------------------------------------===//

void Machine::submit(Call &call) {
  std::lock_guard<std::mutex> lock(mutex_);
  Rank &rank = ranks_[call.rank];
  ++rank.waiters;
  try {
    Status status = failure_.ok() ? missingRank() : failure_;
    if (!status.ok())
      return finish(call, status);
    if (rank.calls.empty())
      call.since = Clock::now();
    rank.calls.push_back(&call);
  } catch (const std::bad_alloc &) {
    return finish(call, {blinkSystemError, "out of memory"});
  }
  launchWhatIsReady();
}

Status Machine::wait(Call &call) {
  std::unique_lock<std::mutex> lock(mutex_);
  Rank &rank = ranks_[call.rank];
  while (!call.done) {
    // Once launched it ends by itself: lanes wait no longer than they may. A
    // call that is not the next one waits for one that somebody waits for.
    if (call.launched || rank.calls.front() != &call)
      rank.changed.wait(lock);
    else if (rank.changed.wait_until(lock, call.since + timeout_) ==
                 std::cv_status::timeout &&
             !call.launched && !call.done)
      fail(timedOut(call));
  }
  Status status = std::move(call.status);
  if (--rank.waiters == 0)
    rank.changed.notify_all(); // abort() may be waiting for this
  return status;
}

void Machine::abort(int rank) {
  std::unique_lock<std::mutex> lock(mutex_);
  fail({blinkRemoteError, "rank " + std::to_string(rank) +
                              " aborted: destroy the communicators"});
  while (ranks_[rank].waiters != 0)
    ranks_[rank].changed.wait(lock);
}

void Machine::leave(int rank) {
  std::lock_guard<std::mutex> lock(mutex_);
  ranks_[rank].gone = true;
  dropCalls(missingRank());
}

Status Machine::failure() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return failure_;
}

bool Machine::busy(int rank) const {
  std::lock_guard<std::mutex> lock(mutex_);
  return ranks_[rank].waiters != 0;
}

std::string Machine::lastError(int rank) const {
  std::lock_guard<std::mutex> lock(mutex_);
  return ranks_[rank].lastError;
}

void Machine::setLastError(int rank, const std::string &text) {
  std::lock_guard<std::mutex> lock(mutex_);
  ranks_[rank].lastError = text;
}

Status Machine::missingRank() const {
  for (size_t rank = 0; rank < ranks_.size(); ++rank)
    if (ranks_[rank].gone)
      return {blinkRemoteError,
              "the communicator of rank " + str(rank) + " has been destroyed"};
  return {};
}

Status Machine::timedOut(const Call &call) const {
  std::vector<int> missing;
  for (size_t rank = 0; rank < ranks_.size(); ++rank)
    if (ranks_[rank].calls.empty() || ranks_[rank].calls.front()->launched)
      missing.push_back(int(rank));
  return {blinkRemoteError, call.describe() + ": rank " +
                                std::to_string(call.rank) + " waited " +
                                str(timeout_.count()) + " ms for " +
                                listRanks(missing) + " to call it too"};
}

void Machine::finish(Call &call, const Status &status) {
  Rank &rank = ranks_[call.rank];
  call.done = true;
  call.status.code = status.code;
  try {
    call.status.text = status.text;
    if (!status.ok())
      rank.lastError = status.text;
  } catch (const std::bad_alloc &) {
    // Lanes come here too, and nobody would catch it there: the code will do.
  }
  rank.changed.notify_all();
}

/// Ends every call that does not run yet.
void Machine::dropCalls(const Status &status) {
  for (Rank &rank : ranks_) {
    while (!rank.calls.empty() && !rank.calls.back()->launched) {
      finish(*rank.calls.back(), status);
      rank.calls.pop_back();
    }
  }
}

void Machine::fail(Status status) {
  if (!failure_.ok())
    return;
  log(LogLevel::warn, -1, status.text);
  failure_ = std::move(status);
  failed_.store(true, std::memory_order_seq_cst);
  dropCalls(failure_);
  for (Lane &lane : lanes_)
    lane.parker.wakeAlways();
}

//===-- Launching ---------------------------------------------------------===//

void Machine::launchWhatIsReady() {
  for (;;) {
    for (const Rank &rank : ranks_)
      if (rank.calls.empty() || rank.calls.front()->launched)
        return;
    const Call &first = *ranks_[0].calls.front();
    Status status;
    for (Rank &rank : ranks_) {
      const Call &call = *rank.calls.front();
      if (!call.matches(first) && status.ok())
        status = {blinkInvalidUsage, "the ranks' calls differ: rank 0 has " +
                                         first.describe() + ", rank " +
                                         std::to_string(call.rank) + " has " +
                                         call.describe()};
    }
    if (status.ok() && first.count != 0) {
      launch();
      continue; // the next calls of ranks that had nothing to do
    }
    for (Rank &rank : ranks_) {
      rank.calls.front()->status = status;
      rankDone(rank.calls.front()->rank);
    }
  }
}

void Machine::launch() {
  const Call &call = *ranks_[0].calls.front();
  launch_.program = call.program;
  launch_.fold = foldFunction(call.type, call.op);
  launch_.elementBytes = uint32_t(elementBytes(call.type));
  const uint32_t numRanks = call.program->program->allocation()->size();
  launch_.divisor = call.op == blinkAvg ? numRanks : 0;
  launch_.blockBytes = call.count * launch_.elementBytes;
  // S as for algbw: all blocks.
  uint64_t blocks = std::max(sched::inputBlocks(call.collective, numRanks),
                             sched::outputBlocks(call.collective, numRanks));
  uint64_t bytes = launch_.blockBytes * blocks;
  for (const VariantPlan &variant : call.program->variants) {
    launch_.variant = &variant;
    if (bytes < variant.variant->max_bytes())
      break;
  }

  const sched::Variant &variant = *launch_.variant->variant;
  launch_.ranges.clear();
  launch_.chunkCounts.clear();
  uint32_t before = 0;
  for (const sched::Tree *tree : *variant.trees()) {
    ElementRange range = treeRange(call.count, launch_.elementBytes, before,
                                   tree->numerator(), tree->denominator());
    before += tree->numerator();
    if (before == tree->denominator()) // the block's last tree
      before = 0;
    launch_.ranges.push_back(range);
    launch_.chunkCounts.push_back(
        chunkCount(range, launch_.elementBytes, variant.chunk_bytes()));
  }
  for (Rank &rank : ranks_) {
    Call &own = *rank.calls.front();
    own.launched = true;
    launch_.buffers[own.rank] = {static_cast<const char *>(own.send),
                                 static_cast<char *>(own.recv)};
  }

  // Count first: a lane that is told to run may be done before the next is.
  toRun_.clear();
  for (int rank = 0; rank < plan_.numRanks; ++rank) {
    size_t before = toRun_.size();
    for (uint32_t i = 0; i < variant.ranks()->Get(rank)->lanes()->size(); ++i)
      if (laneHasWork(launch_, uint32_t(rank), i))
        toRun_.push_back(&lanes_[plan_.firstLane[rank] + i]);
    ranks_[rank].lanesRunning.store(uint32_t(toRun_.size() - before),
                                    std::memory_order_relaxed);
    if (toRun_.size() == before)
      rankDone(rank);
  }
  for (Lane *lane : toRun_) {
    // Publishes launch_ to the lane.
    lane->launches.fetch_add(1, std::memory_order_seq_cst);
    lane->parker.wake(kLaunch);
  }
}

/// The rank's first call has run.
void Machine::rankDone(int index) {
  Rank &rank = ranks_[index];
  Call &call = *rank.calls.front();
  rank.calls.pop_front();
  if (!rank.calls.empty())
    rank.calls.front()->since = Clock::now();
  finish(call, call.launched ? failure_ : call.status);
}

//===-- Lanes -------------------------------------------------------------===//

void Machine::laneMain(Lane &lane) {
  uint64_t run = 0; // launches
  for (;;) {
    auto ready = [&] {
      return lane.launches.load(std::memory_order_seq_cst) != run ||
             stopping_.load(std::memory_order_seq_cst);
    };
    while (
        !lane.parker.park(kLaunch, ready, Clock::now() + std::chrono::hours(1)))
      ;
    if (stopping_.load(std::memory_order_seq_cst))
      return;
    ++run;
    runLane(lane);
    // Acquire and release: what all lanes of the rank wrote is there for the
    // one that finds itself the last, and through the mutex for the caller.
    Rank &rank = ranks_[lane.rank];
    if (rank.lanesRunning.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      std::lock_guard<std::mutex> lock(mutex_);
      rankDone(int(lane.rank));
      launchWhatIsReady();
    }
  }
}

void Machine::runLane(Lane &lane) {
  const std::vector<VariantPlan::Ends> &ends = launch_.variant->ends;
  lane.stepper.start(launch_, lane.rank, lane.index);
  while (!lane.stepper.done()) {
    if (failed_.load(std::memory_order_relaxed))
      return;
    if (std::optional<LaneStepper::Need> need = lane.stepper.blocked()) {
      if (!waitFor(lane, *need))
        return failLane(lane, *need);
      continue;
    }
    lane.stepper.run([&](uint32_t channel, bool reading) {
      uint32_t other = reading ? ends[channel].writer : ends[channel].reader;
      lanes_[other].parker.wake(channelEnd(channel, !reading));
    });
  }
}

/// False if the need is not met in time.
bool Machine::waitFor(Lane &lane, const LaneStepper::Need &need) {
  return lane.parker.park(
      channelEnd(need.channel, need.reading),
      [&] {
        return lane.stepper.met(need) ||
               failed_.load(std::memory_order_seq_cst);
      },
      Clock::now() + timeout_);
}

void Machine::failLane(const Lane &lane, const LaneStepper::Need &need) {
  Status status;
  try {
    status = stuck(lane, need);
  } catch (const std::bad_alloc &) {
    status = {blinkRemoteError, "out of memory"}; // fits without allocating
  }
  std::lock_guard<std::mutex> lock(mutex_);
  fail(std::move(status));
}

Status Machine::stuck(const Lane &lane, const LaneStepper::Need &need) const {
  const sched::Channel &channel =
      *launch_.variant->variant->channels()->Get(need.channel);
  std::string text =
      sched::EnumNameCollective(launch_.program->program->collective());
  text += ": rank " + str(lane.rank) + ", lane " + str(lane.index) + ", step " +
          str(lane.stepper.stepNumber()) + ", channel " + str(need.channel) +
          ": waited " + str(timeout_.count()) + " ms for ";
  if (need.reading)
    text += "a chunk from rank " + str(channel.source()) + ": expected " +
            str(need.expected) + " written";
  else
    text += "a free slot at rank " + str(channel.destination()) +
            ": expected " + str(need.expected) + " read";
  text += ", seen " + str(need.seen) +
          "; `blinkc verify` tells whether the schedule can end";
  return {blinkRemoteError, std::move(text)};
}

} // namespace blink::runtime
