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

/// Runs tasks one after another, in the order in which they came from any
/// threads. They run in a thread of the queue's own, which is started for the
/// first task. If the caller waits anyway and no task is before its own, the
/// task runs in the caller's thread. Tasks do not throw.
class CallQueue {
public:
  using Task = std::function<void()>;

  /// Waits for the remaining tasks.
  ~CallQueue();

  /// Adds a task, for the queue's thread. If one thread calls this and another
  /// runHere() at the same time, the order of their tasks is undefined.
  void push(Task task);
  /// Runs `task` in the calling thread if no other task is waiting or running;
  /// returns whether it did.
  bool runHere(const Task &task);
  /// Runs the next task in the calling thread, which waits for this task or a
  /// later one. Returns false if there is none, or one is running.
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
  bool isRunning_ = false; ///< a task, in any thread
  bool isEnding_ = false;
  std::thread thread_;
};

} // namespace blink::pytorch

#endif // BLINK_RUNTIME_BINDINGS_TORCH_CALLQUEUE_H
