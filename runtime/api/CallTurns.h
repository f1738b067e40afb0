//===- CallTurns.h - the queues of a communicator's calls -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_API_CALLTURNS_H
#define BLINK_RUNTIME_API_CALLTURNS_H

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>

namespace blink::runtime {

/// Which queues (Call::queue()) of a rank have a call under way. A thread takes
/// a queue's turn and gives it back after the call; other threads wait. Works
/// like one mutex per queue, but is small: a group of messages from all ranks
/// to all holds hundreds of turns at a time.
class CallTurns {
public:
  /// To be called before any call.
  void resize(int queues) {
    taken_ = std::make_unique<std::atomic<bool>[]>(size_t(queues));
    size_ = queues;
  }
  int size() const { return size_; }

  void take(int queue) {
    if (tryTake(queue))
      return;
    // Either this thread sees that the turn was given back, or giveBack() sees
    // that this thread waits: waiting_ is incremented before the turn is tried
    // again, and giveBack() loads waiting_ after it has stored the turn. All
    // four accesses are sequentially consistent.
    std::unique_lock<std::mutex> lock(mutex_);
    waiting_.fetch_add(1);
    given_.wait(lock, [&] { return tryTake(queue); });
    waiting_.fetch_sub(1);
  }

  void giveBack(int queue) {
    taken_[size_t(queue)].store(false);
    if (waiting_.load() == 0)
      return;
    // Locked, so that a thread that has tried in vain is already waiting and
    // hears the notification.
    {
      const std::lock_guard<std::mutex> lock(mutex_);
    }
    given_.notify_all();
  }

private:
  /// Sequentially consistent, and therefore also acquire: what the previous
  /// call of the queue did happens before this one.
  bool tryTake(int queue) { return !taken_[size_t(queue)].exchange(true); }

  std::unique_ptr<std::atomic<bool>[]> taken_;
  int size_ = 0;
  std::atomic<int> waiting_{0}; ///< threads, for any queue
  std::mutex mutex_;
  std::condition_variable given_;
};

/// Holds one turn for the lifetime of the object.
class CallTurn {
public:
  CallTurn(CallTurns &turns, int queue) : turns_(turns), queue_(queue) {
    turns_.take(queue_);
  }
  ~CallTurn() { turns_.giveBack(queue_); }
  CallTurn(const CallTurn &) = delete;

private:
  CallTurns &turns_;
  int queue_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_API_CALLTURNS_H
