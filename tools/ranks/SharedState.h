//===- SharedState.h - what the workers of a run share ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A piece of memory that threads and forked processes share. It contains a
// barrier that reports when the last worker came, the progress of the run, the
// first failure, and room for other data. A failure ends all waits, so no
// worker waits for one that is gone.
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
  /// `roomBytes`: memory for other shared data. Throws std::bad_alloc.
  SharedState(int numWorkers, size_t roomBytes);
  virtual ~SharedState();
  SharedState(const SharedState &) = delete;

  /// Waits for all workers. `seconds`: when the last one came, by an
  /// unspecified clock. Returns false if the run has failed.
  virtual bool barrier(double *seconds = nullptr);

  /// Marks the first `count` parts of the run as done.
  void finish(uint32_t count);
  /// Waits until they are done. Returns false if the run has failed before.
  bool waitFor(uint32_t count);

  /// Keeps the first failure. Thread-safe.
  void fail(const std::string &sentence);
  bool failed() const { return head_->failed.load() == 2; }
  std::string failure() const { return failed() ? head_->failure : ""; }

  /// Passes the job's id from the process that made it to the others.
  void putId(const blinkUniqueId &id);
  bool getId(blinkUniqueId &id); ///< waits; false: the run has failed

  /// The room: initially zero, aligned to a page.
  uint8_t *room() const { return room_; }
  /// Sets a function that a waiting thread of this process calls a few times a
  /// second, to detect failures that no other thread reports; null: none.
  void setPoll(std::function<void()> poll) { poll_ = std::move(poll); }

private:
  struct Head {
    std::atomic<uint32_t> arrived, generation; ///< of the barrier
    std::atomic<double> lastArrival;
    std::atomic<uint32_t> finished; ///< parts that are done
    std::atomic<uint32_t> hasId;
    std::atomic<uint32_t> failed; ///< 1: being written, 2: complete
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
