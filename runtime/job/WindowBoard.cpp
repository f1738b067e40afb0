//===- WindowBoard.cpp - offering and withdrawing windows -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/WindowBoard.h"

#include "runtime/Log.h"
#include "runtime/QuietThread.h"
#include "runtime/core/Memory.h"
#include "runtime/job/Backoff.h"
#include "runtime/job/Bell.h"

#include <new>

namespace blink::runtime {
namespace {

// Sequentially consistent: WindowBoard.h lists which accesses pair.
uint64_t loadOrdered(const uint64_t *word) {
  return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}
void storeOrdered(uint64_t *word, uint64_t value) {
  __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

} // namespace

void WindowBoard::begin(const Job &job, const BoardMemory &memory, int self,
                        std::vector<int> owners, std::vector<int> readers,
                        Reach reach) {
  job_ = &job;
  memory_ = memory;
  self_ = self;
  owners_ = std::move(owners);
  readers_ = std::move(readers);
  reach_ = std::move(reach);
  unheard_.store(&memory_.record(self).bell, std::memory_order_relaxed);
}

void WindowBoard::end() {
  if (!job_)
    return;
  ending_.store(true, std::memory_order_relaxed); // the bell orders this store
  if (thread_.joinable()) {
    ringBell(&memory_.record(self_).bell);
    thread_.join();
  }
  closeAll();
  bool any = false;
  for (uint32_t number = 0; number < own_.size(); ++number)
    if (isOffered(number)) {
      announce(number);
      any = true;
    }
  if (any)
    for (int reader : readers_)
      ringBell(&memory_.record(reader).bell);
  job_ = nullptr;
}

//===-- The owner ---------------------------------------------------------===//

uint32_t WindowBoard::freeNumber() {
  uint32_t number = 0;
  while (number < own_.size() && own_[number].taken)
    ++number;
  return number;
}

/// Relaxed: the word is this rank's own.
bool WindowBoard::isOffered(uint32_t number) const {
  return loadRelaxed(&memory_.window(self_, number).generation) & 1;
}

/// Advances the generation of a number. Returns the number of this change.
uint64_t WindowBoard::announce(uint32_t number) {
  BoardRecord &record = memory_.record(self_);
  uint64_t &generation = memory_.window(self_, number).generation;
  // Release: when a window is offered, publishes its record; when one is
  // withdrawn after a failure, comes after everything that the failed call did.
  storeRelease(&generation, loadRelaxed(&generation) + 1);
  const uint64_t change = loadRelaxed(&record.changes) + 1;
  storeOrdered(&record.changes, change);
  return change;
}

void WindowBoard::offer(uint32_t number) {
  BoardRecord &record = memory_.record(self_);
  if (number == own_.size())
    own_.emplace_back();
  // Stored before the change, which a reader loads first.
  storeRelaxed(&record.numbers, own_.size());
  Own &own = own_[number];
  own.taken = true;
  own.verdict.store(Verdict::asked, std::memory_order_relaxed);
  own.change = announce(number);
  for (int reader : readers_)
    ringBell(&memory_.record(reader).bell);
}

Status WindowBoard::withdraw(uint32_t number) {
  Own &own = own_[number];
  if (isOffered(number)) {
    own.verdict.store(Verdict::refused, std::memory_order_relaxed);
    own.change = announce(number);
    for (int reader : readers_)
      ringBell(&memory_.record(reader).bell);
  }
  const auto deadline = std::chrono::steady_clock::now() + job_->timeout();
  Backoff backoff(true);
  for (int reader : readers_)
    while (!hasSeen(reader, own.change)) {
      backoff.wait();
      if (backoff.sleeping() && std::chrono::steady_clock::now() > deadline)
        return Status(blinkRemoteError, "rank ", reader,
                      " has not let go of the buffer in ",
                      job_->timeout().count(),
                      " ms: keep the memory, and deregister it again");
    }
  own.taken = false;
  return {};
}

/// Returns true if a window that was withdrawn by this change is not open at
/// the reader any more.
bool WindowBoard::hasSeen(int reader, uint64_t change) const {
  const uint64_t seen = loadOrdered(&memory_.seen(reader, self_));
  return seen == 0 || seen > change || job_->died(reader);
}

bool WindowBoard::isOpen(uint32_t number) {
  Own &own = own_[number];
  Verdict verdict = own.verdict.load(std::memory_order_acquire);
  if (verdict != Verdict::asked)
    return verdict == Verdict::open;
  for (int reader : readers_)
    // Acquire: makes visible whether the reader could open the window, and the
    // reader's mapping of it, which the rings pass on to its lanes.
    if (loadAcquire(&memory_.seen(reader, self_)) <= own.change)
      return false;
  const WindowState &window = memory_.window(self_, number);
  verdict = loadRelaxed(&window.refused) == loadRelaxed(&window.generation)
                ? Verdict::refused
                : Verdict::open;
  own.verdict.store(verdict, std::memory_order_release);
  return verdict == Verdict::open;
}

//===-- The reader --------------------------------------------------------===//

void WindowBoard::startLooking() {
  if (!unheard_.exchange(nullptr, std::memory_order_relaxed))
    return; // another thread's call came first
  others_.resize(owners_.size());
  if (const Status status =
          startQuietThread(thread_, [this] { lookUntilEnd(); });
      !status.ok())
    log(LogLevel::warn, self_,
        "registered buffers are not used: ", status.text);
}

void WindowBoard::lookUntilEnd() {
  for (int owner : owners_)
    storeOrdered(&memory_.seen(self_, owner), 1);
  const uint32_t *bell = &memory_.record(self_).bell;
  for (;;) {
    // Loaded before looking: a change that is announced meanwhile is looked at
    // in the next turn.
    const uint32_t heard = loadBell(bell);
    if (ending_.load(std::memory_order_relaxed))
      return;
    try {
      for (size_t owner = 0; owner < owners_.size(); ++owner)
        lookAt(owner);
    } catch (const std::bad_alloc &) {
      // The next turn tries again.
    }
    waitForBell(bell, heard);
  }
}

void WindowBoard::lookAt(size_t owner) {
  const int rank = owners_[owner];
  std::vector<Others> &others = others_[owner];
  uint64_t &seen = memory_.seen(self_, rank);
  const BoardRecord &record = memory_.record(rank);
  const uint64_t changes = loadOrdered(&record.changes);
  if (loadRelaxed(&seen) == changes + 1)
    return;
  others.resize(loadRelaxed(&record.numbers));
  for (uint32_t number = 0; number < others.size(); ++number) {
    WindowState &window = memory_.window(rank, number);
    Others &known = others[number];
    // Acquire: makes the window's record visible, and a failure that came
    // before the withdrawal.
    const uint64_t generation = loadAcquire(&window.generation);
    if (known.generation == generation)
      continue;
    if (known.open)
      reach_.close(rank, number);
    known = {generation, false};
    if (!(generation & 1))
      continue;
    known.open = reach_.open(rank, number);
    if (!known.open)
      storeRelaxed(&window.refused, generation);
  }
  storeRelease(&seen, changes + 1);
}

/// At the end: closes all windows of others, and notes that none will be opened
/// any more.
void WindowBoard::closeAll() {
  for (size_t owner = 0; owner < others_.size(); ++owner)
    for (uint32_t number = 0; number < others_[owner].size(); ++number)
      if (others_[owner][number].open)
        reach_.close(owners_[owner], number);
  others_.clear();
  for (int owner : owners_)
    storeRelease(&memory_.seen(self_, owner), BoardMemory::kLeft);
}

} // namespace blink::runtime
