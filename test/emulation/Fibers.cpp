//===- Fibers.cpp - threads of a block that take turns --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/emulation/Fibers.h"

#include "test/emulation/Emulation.h"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <sched.h>
#include <thread>

#if BLINK_TSAN_FIBERS
#include <sanitizer/tsan_interface.h>
#elif defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace blink::test {

namespace {

thread_local Fibers *fibersHere = nullptr;
std::atomic<uint32_t> numMade{0};

} // namespace

struct Fibers::Places {
  std::mutex mutex; // never held for long
  std::vector<Place> places;

#if BLINK_TSAN_FIBERS
  ~Places() {
    for (Place &place : places)
      __tsan_destroy_fiber(place.sanitizer);
  }
#endif

  Place take() {
    Place place;
    std::unique_lock<std::mutex> lock(mutex);
    if (places.empty()) {
      lock.unlock();
      place.stack.reset(new char[kStackBytes]);
#if BLINK_TSAN_FIBERS
      place.sanitizer = __tsan_create_fiber(0);
#endif
    } else {
      place = std::move(places.back());
      places.pop_back();
#if defined(__SANITIZE_ADDRESS__)
      // The last fiber never returned from its first frames; all others have
      // unpoisoned theirs. Unpoisoning the whole stack took a quarter of a
      // test's time.
      __asan_unpoison_memory_region(
          place.stack.get() + kStackBytes - kFirstFrames, kFirstFrames);
#endif
    }
    return place;
  }
  void putBack(Place place) {
    std::lock_guard<std::mutex> lock(mutex);
    places.push_back(std::move(place));
  }
};

Fibers::Places &Fibers::spare() {
#if BLINK_TSAN_FIBERS
  // Each thread has its own: passing places on would order the threads.
  static thread_local Places places;
#else
  static auto &places = *new Places; // threads may outlive main()
#endif
  return places;
}

Fibers::Fibers(uint32_t number)
    : fibers_(number + 1), current_(number),
      // Each object has a different order of turns.
      random_(numMade.fetch_add(1, std::memory_order_relaxed) * 2654435761u) {
  for (uint32_t f = 0; f < number; ++f)
    fibers_[f].place = spare().take();
}

Fibers::~Fibers() {
  fibers_.pop_back(); // the entry of run()'s caller
  for (Fiber &fiber : fibers_)
    spare().putBack(std::move(fiber.place));
}

/// Begins a fiber's first turn. makecontext passes numbers of 32 bits.
void Fibers::enter(uint32_t low, uint32_t high) {
  auto &all =
      *reinterpret_cast<Fibers *>(uintptr_t(low) | uintptr_t(high) << 32);
#if defined(__SANITIZE_ADDRESS__)
  const void *stack = nullptr;
  size_t bytes = 0;
  __sanitizer_finish_switch_fiber(nullptr, &stack, &bytes);
  if (!all.callerStack_) { // the first fiber comes from the caller
    all.callerStack_ = stack;
    all.callerStackBytes_ = bytes;
  }
#endif
#if BLINK_TSAN_FIBERS
  __tsan_acquire(&all.begun_);
#endif
  (*all.body_)(all.current_);
#if BLINK_TSAN_FIBERS
  __tsan_release(&all.ended_);
#endif
  all.fibers_[all.current_].done = true;
  all.switchTo(all.choose()); // does not return
}

void Fibers::prepare(Fiber &fiber) {
  const auto self = reinterpret_cast<uintptr_t>(this);
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = fiber.place.stack.get();
  fiber.context.uc_stack.ss_size = kStackBytes;
  fiber.context.uc_link = nullptr;
  makecontext(&fiber.context, reinterpret_cast<void (*)()>(enter), 2,
              uint32_t(self), uint32_t(self >> 32));
  // From now on only AddressSanitizer's swapcontext would read this field; it
  // would clear its records of the whole stack at each turn.
  fiber.context.uc_stack = {};
}

void Fibers::run(const std::function<void(uint32_t)> &body) {
  body_ = &body;
  const uint32_t caller = uint32_t(fibers_.size()) - 1;
  fibers_[caller].begun = true;
  for (uint32_t f = 0; f < caller; ++f)
    prepare(fibers_[f]);
#if BLINK_TSAN_FIBERS
  fibers_[caller].place.sanitizer = __tsan_get_current_fiber();
  __tsan_release(&begun_);
#endif
  fibersHere = this;
  switchTo(choose());
  fibersHere = nullptr;
#if BLINK_TSAN_FIBERS
  __tsan_acquire(&ended_);
#endif
}

bool Fibers::canRun(const Fiber &fiber) const {
  // Relaxed: the fiber itself loads with acquire when it has its turn.
  return !fiber.done &&
         (!fiber.word ||
          fiber.word->load(std::memory_order_relaxed) != fiber.value);
}

/// Returns a fiber that can go on, if possible not the current one; or the
/// caller of run() if all fibers have ended.
uint32_t Fibers::choose() {
  const auto number = uint32_t(fibers_.size()) - 1;
  random_ = random_ * 1664525 + 1013904223;
  uint32_t left = 0;
  for (uint32_t i = 0; i < number; ++i) {
    const uint32_t f = ((random_ >> 16) + i) % number;
    left += !fibers_[f].done;
    if (f != current_ && canRun(fibers_[f]))
      return f;
  }
  if (current_ != number && canRun(fibers_[current_]))
    return current_;
  if (left == 0)
    return number;
  std::fprintf(stderr,
               "emulation: %u threads of a block wait at barriers that "
               "the others do not come to\n",
               left);
  std::abort();
}

/// Continues a fiber where it left off, or starts it. The compiler's builtin
/// saves three registers. swapcontext makes two system calls per turn for
/// signal masks that are all the same, which took a sixth of the tests' time.
/// The builtin must be called in a function of its own.
__attribute__((noinline, no_sanitize("address"))) void
Fibers::goOn(Fiber &fiber) {
  if (fiber.begun)
    __builtin_longjmp(fiber.left, 1);
  fiber.begun = true;
  setcontext(&fiber.context);
  std::abort(); // not reached
}

__attribute__((noinline)) void Fibers::switchTo(uint32_t next) {
  if (next == current_)
    return;
  Fiber &from = fibers_[current_], &to = fibers_[next];
  current_ = next;
#if BLINK_TSAN_FIBERS
  __tsan_switch_to_fiber(to.place.sanitizer, __tsan_switch_to_fiber_no_sync);
#elif defined(__SANITIZE_ADDRESS__)
  const bool back = next + 1 == fibers_.size();
  __sanitizer_start_switch_fiber(from.done ? nullptr : &from.fakeStack,
                                 back ? callerStack_ : to.place.stack.get(),
                                 back ? callerStackBytes_ : kStackBytes);
#endif
  if (__builtin_setjmp(from.left) == 0)
    goOn(to);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(from.fakeStack, nullptr, nullptr);
#endif
}

void Fibers::yield() {
  // After about one turn of each fiber, let other host threads run, since the
  // fibers may be waiting for one of them. If that takes long, this thread
  // sleeps.
  const uint32_t turns = uint32_t(fibers_.size()) / 2;
  if (++yields_ % turns == 0) {
    if (yields_ / turns > kPatience) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    } else {
      const auto began = std::chrono::steady_clock::now();
      sched_yield();
      if (std::chrono::steady_clock::now() - began > kLongYield)
        yields_ += kPatience / 2 * turns;
    }
  }
  switchTo(choose());
}

void pauseThread(std::chrono::microseconds duration) {
  if (!fibersHere) {
    std::this_thread::sleep_for(duration);
    return;
  }
  const auto end = std::chrono::steady_clock::now() + duration;
  while (std::chrono::steady_clock::now() < end)
    fibersHere->yield();
}

void Fibers::waitWhile(const std::atomic<uint32_t> &word, uint32_t value) {
  Fiber &self = fibers_[current_];
  self.word = &word;
  self.value = value;
  switchTo(choose());
  self.word = nullptr;
  yields_ = 0;
}

} // namespace blink::test
