//===- JobMemory.cpp - what ranks tell each other -------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/JobMemory.h"

#include "runtime/core/Memory.h"

#include <sched.h>
#include <unistd.h>

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
  ring();
  return first;
}

void JobMemory::ring() const {
  const uint64_t one = 1;
  if (bell_ >= 0) [[maybe_unused]]
    const ssize_t done = write(bell_, &one, sizeof(one));
}

MirroredWords JobMemory::mirroredWords(int rank) const {
  MirroredWords words;
  const auto add = [](std::vector<uint64_t *> &to, auto &record) {
    static_assert(sizeof(record) % sizeof(uint64_t) == 0);
    auto *first = reinterpret_cast<uint64_t *>(&record);
    for (size_t w = 0; w < sizeof(record) / sizeof(uint64_t); ++w)
      to.push_back(first + w);
  };
  for (size_t t = 0; t < kTransports; ++t)
    add(words.data, address(rank, t));
  for (ExchangeTurn &turn : exchangeRecord(rank).turns)
    add(words.data, turn);
  for (SplitTurn &turn : splitRecord(rank).turns) {
    for (uint64_t *word : {&turn.color, &turn.key, &turn.link})
      words.data.push_back(word);
    for (uint64_t &word : turn.id)
      words.data.push_back(&word);
    words.flags.push_back(&turn.published);
  }
  ShrinkRecord &shrink = shrinkRecord(rank);
  for (uint64_t &word : shrink.id)
    words.data.push_back(&word);
  words.data.push_back(&shrink.numExcluded);
  for (uint64_t &word : shrink.excluded)
    words.data.push_back(&word);
  for (uint64_t &word : shrink.link)
    words.data.push_back(&word);
  // A rank's proposal changes last, when it has given up or succeeded.
  for (uint64_t *word : {&shrink.described, &shrink.published, &shrink.agreed,
                         &shrink.ready, &shrink.succeeded, &shrink.proposal})
    words.flags.push_back(word);
  PeerRecord &peer = this->peer(rank);
  // A rank that has left has done all else before.
  for (uint64_t *word :
       {&peer.process, &peer.ready, &peer.splits, &peer.exchanges, &peer.gone})
    words.flags.push_back(word);
  return words;
}

bool JobMemory::hasReason() const {
  return loadAcquire(&failure_->state) == kComplete; // acquire: with it
}

Status JobMemory::failure() const {
  if (!failed())
    return {};
  // The writer copies a sentence; if it is killed meanwhile, do without.
  for (int i = 0; i < 100000; ++i) {
    if (hasReason())
      return failure_->why.get();
    sched_yield();
  }
  return {blinkRemoteError, "another rank failed"};
}

} // namespace blink::runtime
