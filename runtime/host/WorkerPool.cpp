//===- WorkerPool.cpp - threads for idle processors -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/WorkerPool.h"

#include "runtime/QuietThread.h"
#include "runtime/job/Backoff.h"

#include <algorithm>
#include <sched.h>
#include <thread>

namespace blink::runtime {
namespace {

int countProcessors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    return std::max(1, CPU_COUNT(&set));
  return std::max(1, int(std::thread::hardware_concurrency()));
}

} // namespace

WorkerPool &WorkerPool::get() {
  // Never destroyed, because its threads sleep until the process ends. Nor is
  // the pool of a parent process, whose threads a forked child does not have.
  // Acquire and release make what the pool consists of visible with the
  // pointer.
  static std::atomic<WorkerPool *> own{new WorkerPool};
  WorkerPool *pool = own.load(std::memory_order_acquire);
  if (pool->generation_ == forkGeneration())
    return *pool;
  WorkerPool *made = new WorkerPool;
  if (own.compare_exchange_strong(pool, made, std::memory_order_acq_rel))
    return *made;
  delete made; // another thread was faster
  return *pool;
}

WorkerPool::WorkerPool() : processors_(countProcessors()) {}

void WorkerPool::start() {
  for (; threads_ < processors_ - 1; ++threads_) {
    std::thread thread;
    if (!startQuietThread(thread, [this] { main(); }).ok())
      return; // the callers do the work alone
    thread.detach();
  }
}

bool WorkerPool::submit(RankRun &run) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    try {
      submissions_.push_back({&run, 0});
    } catch (const std::bad_alloc &) {
      return false;
    }
    numSubmitted_.fetch_add(1, std::memory_order_relaxed);
    start();
  }
  submitted_.notify_all();
  return true;
}

void WorkerPool::remove(RankRun &run) {
  std::unique_lock<std::mutex> lock(mutex_);
  auto find = [&] {
    return std::find_if(submissions_.begin(), submissions_.end(),
                        [&](const Submission &one) { return one.run == &run; });
  };
  // Bounded: a worker stays for one pass over the lanes.
  left_.wait(lock, [&] { return find()->workers == 0; });
  submissions_.erase(find());
}

/// Steps every submitted run once, without the lock. Returns whether anything
/// moved.
bool WorkerPool::stepSubmissions(std::unique_lock<std::mutex> &lock) {
  bool moved = false;
  for (size_t i = 0; i < submissions_.size(); ++i) {
    RankRun *run = submissions_[i].run;
    ++submissions_[i].workers;
    lock.unlock();
    moved |= run->progress();
    lock.lock();
    // Other submissions may have come and gone meanwhile, but not this one.
    for (Submission &one : submissions_)
      if (one.run == run && --one.workers == 0)
        left_.notify_all();
  }
  return moved;
}

/// Spins for a few hundred microseconds, or until there is a new submission.
/// Collectives come in series, so the next one often finds its workers awake.
void WorkerPool::spin() {
  const uint64_t before = numSubmitted_.load(std::memory_order_relaxed);
  Backoff backoff(true);
  while (numSubmitted_.load(std::memory_order_relaxed) == before &&
         backoff.turns() < 1000)
    backoff.wait();
}

void WorkerPool::main() {
  std::unique_lock<std::mutex> lock(mutex_);
  Backoff backoff(true);
  for (;;) {
    if (submissions_.empty()) {
      lock.unlock();
      spin();
      lock.lock();
      if (submissions_.empty())
        submitted_.wait(lock);
      backoff.reset();
      continue;
    }
    if (stepSubmissions(lock)) {
      backoff.reset();
      continue;
    }
    lock.unlock();
    backoff.wait();
    lock.lock();
  }
}

} // namespace blink::runtime
