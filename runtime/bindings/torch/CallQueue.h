//===- CallQueue.h - calls of one communicator, in order --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_TORCH_CALLQUEUE_H
#define BLINK_RUNTIME_BINDINGS_TORCH_CALLQUEUE_H

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace blink::pytorch {

/// Runs tasks one after another in the order in which they came, from whatever
/// threads: in a thread of its own, which is started for the first, or where
/// the caller waits anyway and nothing is before it, right there. Tasks do not
/// throw.
class CallQueue {
public:
  using Task = std::function<void()>;

  /// Waits for the tasks that it has.
  ~CallQueue();

  /// Adds one, for the thread. Not from two threads at once with runHere()
  /// unless their order does not matter.
  void push(Task task);
  /// Runs `task` in the calling thread if no other is there or under way.
  bool runHere(const Task &task);
  /// Runs the next task in the calling thread, which waits for it or a later
  /// one. False if there is none, or one is under way.
  bool help();
  /// Returns when no task is left.
  void drain();

private:
  void work();
  void runFirst(std::unique_lock<std::mutex> &lock);
  void finished();

  std::mutex mutex_;
  std::condition_variable pushed_, drained_;
  std::deque<Task> tasks_;
  bool isRunning_ = false; ///< a task, in whatever thread
  bool isEnding_ = false;
  std::thread thread_;
};

} // namespace blink::pytorch

#endif // BLINK_RUNTIME_BINDINGS_TORCH_CALLQUEUE_H
