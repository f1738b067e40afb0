//===- JobMemory.cpp - the shared state of a job's ranks ------------------===//
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

// Values of FailureRecord::state.
constexpr uint64_t kNone = 0, kBeingWritten = 1, kComplete = 2;

} // namespace

bool JobMemory::fail(const Status &why) const {
  uint64_t expected = kNone;
  // Relaxed: the exchange only decides which process writes the reason.
  const bool first =
      __atomic_compare_exchange_n(&failure_->state, &expected, kBeingWritten,
                                  false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  if (first) {
    failure_->why.set(why);
    // Release: a process that sees kComplete also sees the reason.
    storeRelease(&failure_->state, kComplete);
  }
  // The abort word is also set by a process that comes second, because the
  // first may have died while writing its sentence. Sequentially consistent, as
  // in failed().
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
  // A rank's proposal is last: it changes when the rank has given up or
  // succeeded, after all the others.
  for (uint64_t *word : {&shrink.described, &shrink.published, &shrink.agreed,
                         &shrink.ready, &shrink.succeeded, &shrink.proposal})
    words.flags.push_back(word);
  PeerRecord &peer = this->peer(rank);
  // `gone` is last: a rank that has left has changed all the others before.
  for (uint64_t *word :
       {&peer.process, &peer.ready, &peer.splits, &peer.exchanges, &peer.gone})
    words.flags.push_back(word);
  return words;
}

bool JobMemory::hasReason() const {
  // acquire: the reason becomes visible, too
  return loadAcquire(&failure_->state) == kComplete;
}

Status JobMemory::failure() const {
  if (!failed())
    return {};
  // The writer only copies a sentence, which is quick; if it was killed
  // meanwhile, do without the reason.
  for (int i = 0; i < 100000; ++i) {
    if (hasReason())
      return failure_->why.get();
    sched_yield();
  }
  return {blinkRemoteError, "another rank failed"};
}

} // namespace blink::runtime
