//===- Helpers.cpp - idle processors that lend a hand ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Helpers.h"

#include "runtime/job/Idle.h"

#include <algorithm>
#include <sched.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace blink::runtime {
namespace {

int countProcessors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    return std::max(1, CPU_COUNT(&set));
  return std::max(1, int(std::thread::hardware_concurrency()));
}

} // namespace

Helpers &Helpers::get() {
  // Never destroyed: its threads sleep until the process ends.
  static Helpers *helpers = new Helpers;
  return *helpers;
}

Helpers::Helpers() : processors_(countProcessors()) {}

void Helpers::start() {
  if (process_ != getpid()) {
    process_ = getpid();
    threads_ = 0;
  }
  try {
    for (; threads_ < processors_ - 1; ++threads_)
      std::thread([this] { main(); }).detach();
  } catch (const std::system_error &) {
    // The callers do it alone.
  }
}

void Helpers::offer(RankRun &run) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    offers_.push_back({&run, 0});
    numOffers_.fetch_add(1, std::memory_order_relaxed);
    start();
  }
  offered_.notify_all();
}

void Helpers::withdraw(RankRun &run) {
  std::unique_lock<std::mutex> lock(mutex_);
  auto find = [&] {
    return std::find_if(offers_.begin(), offers_.end(),
                        [&](const Offer &offer) { return offer.run == &run; });
  };
  // A helper stays for one pass over the lanes, which ends: bounded.
  left_.wait(lock, [&] { return find()->helpers == 0; });
  offers_.erase(find());
}

/// Steps every offer once, without the lock; whether anything moved.
bool Helpers::stepOffers(std::unique_lock<std::mutex> &lock) {
  bool moved = false;
  for (size_t i = 0; i < offers_.size(); ++i) {
    RankRun *run = offers_[i].run;
    ++offers_[i].helpers;
    lock.unlock();
    moved |= run->progress();
    lock.lock();
    // Others may have come and gone meanwhile, but not this one.
    for (Offer &offer : offers_)
      if (offer.run == run && --offer.helpers == 0)
        left_.notify_all();
  }
  return moved;
}

/// Collectives come in rows: the next one finds its helpers awake if it comes
/// within a few hundred microseconds.
void Helpers::linger() {
  const uint64_t before = numOffers_.load(std::memory_order_relaxed);
  Idle idle(true);
  while (numOffers_.load(std::memory_order_relaxed) == before &&
         idle.turns() < 1000)
    idle.wait();
}

void Helpers::main() {
  std::unique_lock<std::mutex> lock(mutex_);
  Idle idle(true);
  for (;;) {
    if (offers_.empty()) {
      lock.unlock();
      linger();
      lock.lock();
      if (offers_.empty())
        offered_.wait(lock);
      idle.reset();
      continue;
    }
    if (stepOffers(lock)) {
      idle.reset();
      continue;
    }
    lock.unlock();
    idle.wait();
    lock.lock();
  }
}

} // namespace blink::runtime
