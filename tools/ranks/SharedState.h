//===- SharedState.h - what the workers of a run share ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// One piece of memory that threads and forked processes see alike: a barrier
// that tells when the last one came, how far they are, the first failure, and
// room for more. Nobody waits for a worker that is gone: a failure ends all
// waits.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_RANKS_SHAREDSTATE_H
#define BLINK_TOOLS_RANKS_SHAREDSTATE_H

#include "runtime/blink.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace blink {

class SharedState {
public:
  /// `roomBytes`: of memory for whatever else is shared. Throws std::bad_alloc.
  SharedState(int numWorkers, size_t roomBytes);
  virtual ~SharedState();
  SharedState(const SharedState &) = delete;

  /// Waits for all workers. `seconds`: when the last one came, of some clock.
  /// False: the run has failed.
  virtual bool barrier(double *seconds = nullptr);

  /// Says that the first `count` parts of the run are done.
  void finish(uint32_t count);
  /// Waits until they are. False: the run has failed before.
  bool waitFor(uint32_t count);

  /// The first failure is kept. Thread-safe.
  void fail(const std::string &sentence);
  bool failed() const { return head_->failed.load() == 2; }
  std::string failure() const { return failed() ? head_->failure : ""; }

  /// The job's id, from the one process that made it to the others.
  void putId(const blinkUniqueId &id);
  bool getId(blinkUniqueId &id); ///< waits; false: the run has failed

  /// The room: zero at first, aligned to a page.
  uint8_t *room() const { return room_; }
  /// What a waiting thread of this process calls a few times a second, to find
  /// failures that nobody else reports; null: nothing.
  void setPoll(std::function<void()> poll) { poll_ = std::move(poll); }

private:
  struct Head {
    std::atomic<uint32_t> arrived, generation; ///< of the barrier
    std::atomic<double> lastArrival;
    std::atomic<uint32_t> finished; ///< parts
    std::atomic<uint32_t> hasId;
    std::atomic<uint32_t> failed; ///< 1: being written, 2: yes
    blinkUniqueId id;
    char failure[1024];
  };
  bool waitWhile(std::atomic<uint32_t> &word, uint32_t value);

  int numWorkers_;
  size_t size_;
  Head *head_;
  uint8_t *room_;
  std::function<void()> poll_;
};

} // namespace blink

#endif // BLINK_TOOLS_RANKS_SHAREDSTATE_H
