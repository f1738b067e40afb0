//===- Fork.cpp - what a forked child may use -----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/Fork.h"

#include <atomic>
#include <pthread.h>

namespace blink::runtime {

struct ForkHandlers {
  /// Changed in a child when it has no other thread yet.
  std::atomic<uint64_t> generation{0};
  /// The last of a list. Release when a lock is added: fork() then follows the
  /// list that it has got.
  std::atomic<ForkSafeMutex *> last{nullptr};

  /// Never destroyed: threads may use it while the process exits.
  static ForkHandlers &get() {
    static ForkHandlers &handlers = *new ForkHandlers;
    return handlers;
  }

  void add(ForkSafeMutex *mutex) {
    mutex->next_ = last.load(std::memory_order_relaxed);
    while (!last.compare_exchange_weak(mutex->next_, mutex,
                                       std::memory_order_release,
                                       std::memory_order_relaxed))
      ;
  }

private:
  ForkHandlers() { pthread_atfork(prepare, inParent, inChild); }

  static void prepare() {
    locked = get().last.load(std::memory_order_acquire);
    for (ForkSafeMutex *mutex = locked; mutex; mutex = mutex->next_)
      mutex->lock();
  }
  static void inParent() {
    for (ForkSafeMutex *mutex = locked; mutex; mutex = mutex->next_)
      mutex->unlock();
  }
  static void inChild() {
    get().generation.fetch_add(1, std::memory_order_relaxed);
    inParent();
  }

  /// The first that this thread's fork() has locked: more may be made during
  /// it.
  static thread_local ForkSafeMutex *locked;
};

thread_local ForkSafeMutex *ForkHandlers::locked = nullptr;

uint64_t forkGeneration() {
  return ForkHandlers::get().generation.load(std::memory_order_relaxed);
}

ForkSafeMutex::ForkSafeMutex() { ForkHandlers::get().add(this); }

} // namespace blink::runtime
