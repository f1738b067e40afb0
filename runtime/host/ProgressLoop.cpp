//===- ProgressLoop.cpp - threads that step lanes -------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The calling thread does the work of its ranks itself. Nothing is handed over
// to another thread, so a small collective costs no wake-up. For large ones the
// WorkerPool helps. Calls of one rank run in their order; calls of different
// ranks and jobs run at the same time, and so do messages to or from different
// ranks, and collectives beside them.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/HostBackend.h"

#include "runtime/host/WorkerPool.h"
#include "runtime/job/Backoff.h"

#include <algorithm>
#include <new>
#include <tuple>
#include <utility>

namespace blink::runtime {
namespace {

using Clock = std::chrono::steady_clock;

/// Below this size waking a worker costs more than it gains.
constexpr uint64_t kHelpBytes = 256 << 10;

/// A thread that waits only for transports looks this often before it sleeps:
/// about as long as waking up takes, or more briefly if its last wait was long.
constexpr int kLooks = 60;
constexpr int kLooksBeforeLong = 8;
constexpr std::chrono::microseconds kLongWait{50};

/// In calls of fewer bytes each message waits for the one before it, so every
/// wake-up would add to the time of the call. A thread that has only such a
/// call does not sleep, as the next message comes soon.
constexpr uint64_t kPipelinedBytes = 64 << 10;

/// The longest sleep. After it the thread looks at the other ranks.
constexpr std::chrono::microseconds kMostAwaited{500};

/// After so many turns in a row that moved something, the processor is what
/// limits a call across servers.
constexpr int kBusyTurns = 64;

/// A call of fewer bytes is noted only after its lanes have been stepped once,
/// so that its first chunks are on their way. Its end is the time when the
/// thread last looked at the clock, because another look takes a thirtieth of
/// the call.
constexpr uint64_t kShortBytes = 4 << 10;

/// A call that has begun; later calls of its queue wait for it.
struct Active {
  size_t place = 0; ///< index of the call in sorted order
  PendingCall *pending = nullptr;
  RankRun *run = nullptr;
  FlightRecorder::Begun begun; ///< no record: the call is not noted yet
  bool submitted = false;
  uint64_t foldsRun = 0; ///< folds of its run when it was last looked at
  Clock::time_point since;
  bool mayGoOn = false; ///< what HostBackend::checkRanks returned
  bool shown = false;   ///< the recorder shows what its lanes wait for
  // What the call waits for, and when the thread first and last saw that, in
  // ticks.
  uint32_t wait = 0; ///< result of RankRun::lastWait
  uint64_t waitsSince = 0, waitedUntil = 0;
};

class ProgressLoop {
public:
  ProgressLoop(PendingCall *const *calls, size_t numCalls)
      : calls_(calls), numCalls_(numCalls), kept_(kept()),
        sorted_(std::move(kept_.sorted)), active_(std::move(kept_.active)) {}
  ~ProgressLoop() {
    kept_.sorted = std::move(sorted_);
    kept_.active = std::move(active_);
    kept_.active.clear();
  }

  void run();

private:
  PendingCall &at(size_t place) const { return *calls_[sorted_[place]]; }
  static HostBackend &backendOf(const PendingCall &call) {
    return static_cast<HostBackend &>(*call.backend);
  }
  static FlightRecorder &recorderOf(const Active &active) {
    return backendOf(*active.pending).recorderOf(active.pending->call);
  }
  bool sameRank(size_t a, size_t b) const {
    const PendingCall &x = at(a), &y = at(b);
    return x.call.rank == y.call.rank && x.backend == y.backend;
  }
  /// Whether one of the two calls waits for the other to end.
  bool sameQueue(size_t a, size_t b) const {
    return sameRank(a, b) && at(a).call.queue() == at(b).call.queue();
  }
  void sortByRank();
  bool refuseDifferent();
  bool isOneCollective() const;
  void beginFrom(size_t index);
  void askForHelp(Active &active);
  void sleep(std::chrono::nanoseconds time);
  bool awaitTransports(const Backoff &backoff);
  void note(Active &active);
  void finish(Active &active);
  void noteWait(Active &active, uint64_t now);
  void endWait(Active &active);
  void show(Active &active);
  void hide(Active &active);
  void watch();

  /// Kept for this thread's next calls: the memory of both vectors, and whether
  /// its last wait for transports was long.
  struct Kept {
    std::vector<size_t> sorted;
    std::vector<Active> active;
    bool waitsLong = false;
  };
  static Kept &kept();

  PendingCall *const *calls_;
  size_t numCalls_;
  Kept &kept_;
  /// The calls sorted by job and rank; those of a rank are in their order.
  std::vector<size_t> sorted_;
  std::vector<Active> active_;
  /// When the thread last looked at the clock, in ticks; 0: not yet.
  uint64_t looked_ = 0;
  bool waits_ = false; ///< some of active_ may have a wait
  /// Whether the threads that run the first job's ranks leave processors idle.
  bool spare_ = false;
  /// Whether a transport had something, but nothing has moved since.
  bool cameInVain_ = false;
  /// Whether the calls are one collective of one job, by all of its ranks.
  bool together_ = false;
};

/// Not inlined: otherwise each use would look up the thread's storage again.
[[gnu::noinline]] ProgressLoop::Kept &ProgressLoop::kept() {
  thread_local Kept kept;
  return kept;
}

void ProgressLoop::sortByRank() {
  sorted_.resize(numCalls_);
  for (size_t i = 0; i < numCalls_; ++i)
    sorted_[i] = i;
  if (numCalls_ == 1)
    return;
  std::sort(sorted_.begin(), sorted_.end(), [this](size_t a, size_t b) {
    const PendingCall &x = *calls_[a], &y = *calls_[b];
    return std::make_tuple(x.backend, x.call.rank, x.call.queue(), a) <
           std::make_tuple(y.backend, y.call.rank, y.call.queue(), b);
  });
}

/// The n-th collective of every rank of a job must be the same one.
bool ProgressLoop::refuseDifferent() {
  size_t first = 0, begin = 0; // of the job's calls, and of the rank's
  for (size_t i = 0; i < numCalls_; ++i) {
    if (at(i).backend != at(first).backend)
      first = i;
    if (!sameRank(i, begin))
      begin = i;
    if (at(i).call.isMessage()) // those come after the rank's collectives
      continue;
    const size_t other = first + (i - begin);
    const CallKind &a = at(other).call.kind, &b = at(i).call.kind;
    if (!sameRank(other, first) || at(other).call.isMessage() || a == b)
      continue;
    const Status status =
        callsDiffer(at(other).call.rank, a, at(i).call.rank, b.describe());
    for (size_t k = 0; k < numCalls_; ++k)
      calls_[k]->result = status;
    return true;
  }
  return false;
}

/// Returns true if the calls are exactly one collective of each rank of the
/// first job.
bool ProgressLoop::isOneCollective() const {
  if (numCalls_ != size_t(backendOf(at(0)).plan().numRanks))
    return false;
  for (size_t i = 0; i < numCalls_; ++i)
    if (at(i).call.isMessage() || at(i).backend != at(0).backend ||
        at(i).call.rank != int(i))
      return false;
  return true;
}

/// Begins the call at `place`, or the first one after it in its queue that can
/// begin.
void ProgressLoop::beginFrom(size_t place) {
  const size_t first = place;
  for (; place < numCalls_ && sameQueue(place, first); ++place) {
    PendingCall &next = at(place);
    if (next.call.kind.count == 0)
      continue;
    try {
      next.result = backendOf(next).begin(next.call, together_);
    } catch (const std::bad_alloc &) { // others have begun, and must go on
      next.result = {blinkSystemError, "out of memory"};
    }
    if (!next.result.ok())
      continue;
    Active &active = active_.emplace_back();
    active.place = place;
    active.pending = &next;
    active.run = &backendOf(next).runOf(next.call);
    if (next.call.bytes() >= kShortBytes) {
      looked_ = ticks();
      note(active);
    }
    if (backendOf(next).plan().numServers == 1)
      askForHelp(active);
    return;
  }
}

/// Lets workers step the call's lanes, too, if that is worthwhile.
void ProgressLoop::askForHelp(Active &active) {
  if (!spare_ || active.submitted || active.pending->call.bytes() < kHelpBytes)
    return;
  active.run->expectWorkers(true);
  active.submitted = WorkerPool::get().submit(*active.run);
}

/// Sleeps until a transport has something, if nothing else can end the wait of
/// the thread's only rank. Returns false if it did not sleep.
bool ProgressLoop::awaitTransports(const Backoff &backoff) {
  const PendingCall &first = *active_.front().pending;
  if (active_.size() == 1 && first.call.bytes() < kPipelinedBytes)
    return false;
  if (backoff.turns() < (kept_.waitsLong ? kLooksBeforeLong : kLooks) ||
      std::exchange(cameInVain_, false))
    return false;
  for (const Active &active : active_)
    if (!active.run->awaitsTransports())
      return false;
  const Clock::time_point began = Clock::now();
  const Awaited awaited =
      backendOf(first).awaitTransports(first.call.rank, kMostAwaited);
  if (awaited == Awaited::no)
    return false;
  kept_.waitsLong = Clock::now() - began >= kLongWait;
  cameInVain_ = awaited == Awaited::something; // reset when anything moves
  if (awaited == Awaited::nothing)
    watch();
  return true;
}

/// Sleeps for `time`, or until a transport has something for the thread's first
/// rank.
void ProgressLoop::sleep(std::chrono::nanoseconds time) {
  if (backendOf(at(0)).awaitTransports(at(0).call.rank, time) == Awaited::no)
    Backoff::sleep(time);
}

/// Notes that the call has begun.
inline void ProgressLoop::note(Active &active) {
  if (looked_ == 0)
    looked_ = ticks();
  active.begun = recorderOf(active).begin(
      active.pending->call, active.run->variant().number, looked_, looked_);
}

void ProgressLoop::finish(Active &active) {
  PendingCall &done = *active.pending;
  if (done.call.bytes() >= kShortBytes)
    looked_ = ticks();
  if (active.submitted)
    WorkerPool::get().remove(*active.run);
  if (active.wait != 0)
    endWait(active);
  done.result = backendOf(done).end(done.call);
  FlightRecorder::end(active.begun, done.result.code, looked_);
}

/// Notes that nothing has moved until `now`, and the thread had nothing else to
/// do.
void ProgressLoop::noteWait(Active &active, uint64_t now) {
  const uint32_t wait = active.run->lastWait();
  if (wait != active.wait) {
    if (active.wait != 0)
      endWait(active);
    active.wait = wait;
    waits_ |= wait != 0;
    active.waitsSince = now;
  }
  active.waitedUntil = now;
}

/// Notes that something has moved after the call had waited.
void ProgressLoop::endWait(Active &active) {
  recorderOf(active).addWait(active.pending->call.isMessage(),
                             active.run->waitedFor(active.wait),
                             active.waitedUntil - active.waitsSince);
  active.wait = 0;
  if (active.shown)
    hide(active);
}

/// Shows to observers what the call's lanes wait for: once, when that has not
/// changed for a moment.
void ProgressLoop::show(Active &active) {
  const Call &call = active.pending->call;
  FlightRecorder &recorder = recorderOf(active);
  RankRun &run = *active.run;
  run.eachNeed([&](size_t place, const Need &need) {
    if (call.isMessage() && active.shown)
      return; // a queue has only one place
    active.shown = true;
    recorder.show(call, place,
                  {active.begun.number, need.lane | uint64_t(need.step) << 32,
                   run.variant().channelNumber(need.channel),
                   uint64_t(run.peerOf(need)), need.reading, need.expected,
                   need.seen, active.waitsSince});
  });
}

void ProgressLoop::hide(Active &active) {
  const Call &call = active.pending->call;
  FlightRecorder &recorder = recorderOf(active);
  const uint32_t places = call.isMessage() ? 1 : active.run->numActive();
  for (uint32_t place = 0; place < std::max(places, 1u); ++place)
    recorder.hide(call, place);
  active.shown = false;
}

/// Looks at the clock and at the other ranks; called when nothing has moved for
/// a while.
void ProgressLoop::watch() {
  const Clock::time_point now = Clock::now();
  for (Active &active : active_) {
    PendingCall &waiting = *active.pending;
    const uint64_t foldsRun = active.run->foldsRun();
    if (active.since == Clock::time_point() || foldsRun != active.foldsRun) {
      active.foldsRun = foldsRun;
      active.since = now;
      active.mayGoOn = false;
    } else if (!active.shown && active.wait != 0) {
      show(active);
    }
    active.mayGoOn =
        backendOf(waiting).checkRanks(waiting.call, active.mayGoOn);
    if (now - active.since > backendOf(waiting).job().timeout())
      backendOf(waiting).failStuck(waiting.call);
  }
}

void ProgressLoop::run() {
  sortByRank();
  if (refuseDifferent())
    return;
  int ranksHere = 0;
  for (size_t i = 0; i < numCalls_; ++i)
    ranksHere += i == 0 || !sameRank(i, i - 1);
  // Each rank that another thread runs, in whatever process, needs a processor.
  const int threads = backendOf(at(0)).numNear() - ranksHere + 1;
  const int processors = WorkerPool::get().processors();
  spare_ = threads < processors;
  const bool crowded = threads > processors;
  together_ = isOneCollective();
  active_.reserve(numCalls_); // nothing may throw once a call has begun
  for (size_t i = 0; i < numCalls_; ++i)
    if (i == 0 || !sameQueue(i, i - 1))
      beginFrom(i);
  const bool spins =
      !crowded &&
      !(ranksHere == 1 && backendOf(at(0)).sharesProcessor(at(0).call.rank));
  Backoff backoff(/*crowded=*/!spins, backendOf(at(0)).plan().numServers == 1);
  int busyTurns = 0;
  while (!active_.empty()) {
    bool moved = false;
    for (size_t a = 0; a < active_.size();) {
      Active &current = active_[a];
      moved |= current.run->progress();
      if (!current.begun.record)
        note(current);
      if (!current.run->finished() &&
          !backendOf(*current.pending).job().failed()) {
        ++a;
        continue;
      }
      finish(current);
      const size_t next = current.place + 1;
      const bool more = next < numCalls_ && sameQueue(next, next - 1);
      active_.erase(active_.begin() + ptrdiff_t(a));
      if (more)
        beginFrom(next);
      moved = true;
    }
    if (moved) {
      if (waits_)
        for (Active &active : active_)
          if (active.wait != 0)
            endWait(active);
      waits_ = false;
      backoff.reset();
      cameInVain_ = false;
      if (++busyTurns == kBusyTurns)
        for (Active &active : active_)
          askForHelp(active);
      continue;
    }
    busyTurns = 0;
    // The clock is read now, because there is nothing else to do.
    looked_ = ticks();
    for (Active &active : active_)
      noteWait(active, looked_);
    if (!crowded && ranksHere == 1 && backoff.spun()) {
      if (backendOf(at(0)).leaveSharedProcessor(at(0).call.rank))
        backoff.share();
      else
        backoff.spinOn();
    }
    if (ranksHere == 1 && awaitTransports(backoff))
      continue;
    backoff.wait([&](std::chrono::nanoseconds time) { sleep(time); });
    if (backoff.sleeping())
      watch();
  }
}

} // namespace

void HostBackend::run(PendingCall *const *calls, size_t numCalls) {
  ProgressLoop(calls, numCalls).run();
}

} // namespace blink::runtime
