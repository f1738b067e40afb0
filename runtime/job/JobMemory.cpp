//===- JobMemory.cpp - what ranks tell each other -------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/JobMemory.h"

#include "runtime/core/Memory.h"

#include <sched.h>

namespace blink::runtime {
namespace {

// FailureRecord::state.
constexpr uint64_t kNone = 0, kBeingWritten = 1, kComplete = 2;

} // namespace

bool JobMemory::fail(const Status &why) const {
  uint64_t expected = kNone;
  // Relaxed: it only decides which process writes.
  const bool first =
      __atomic_compare_exchange_n(&failure_->state, &expected, kBeingWritten,
                                  false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  if (first) {
    failure_->why.set(why);
    // A process that sees it complete sees the reason.
    storeRelease(&failure_->state, kComplete);
  }
  // Also of a process that comes second: the first may have died over its
  // sentence. Sequentially consistent, as in failed().
  __atomic_store_n(&failure_->aborted, uint64_t(1), __ATOMIC_SEQ_CST);
  return first;
}

Status JobMemory::failure() const {
  if (!failed())
    return {};
  // The writer copies a sentence; if it is killed meanwhile, do without.
  for (int i = 0; i < 100000; ++i) {
    if (loadAcquire(&failure_->state) == kComplete)
      return failure_->why.get();
    sched_yield();
  }
  return {blinkRemoteError, "another rank failed"};
}

} // namespace blink::runtime
