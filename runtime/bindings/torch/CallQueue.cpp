//===- CallQueue.cpp - calls of one communicator, in order ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/torch/CallQueue.h"

namespace blink::pytorch {

CallQueue::~CallQueue() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    isEnding_ = true;
  }
  pushed_.notify_all();
  if (thread_.joinable())
    thread_.join();
}

void CallQueue::push(Task task) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    tasks_.push_back(std::move(task));
    if (!thread_.joinable())
      thread_ = std::thread([this] { work(); });
  }
  pushed_.notify_all();
}

bool CallQueue::runHere(const Task &task) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (isRunning_ || !tasks_.empty())
      return false;
    isRunning_ = true;
  }
  task();
  const std::lock_guard<std::mutex> lock(mutex_);
  finished();
  return true;
}

bool CallQueue::help() {
  std::unique_lock<std::mutex> lock(mutex_);
  if (isRunning_ || tasks_.empty())
    return false;
  runFirst(lock);
  return true;
}

/// Runs the first task; the lock is released meanwhile.
void CallQueue::runFirst(std::unique_lock<std::mutex> &lock) {
  Task task = std::move(tasks_.front());
  tasks_.pop_front();
  isRunning_ = true;
  lock.unlock();
  task();
  task = nullptr; // this may free tensors, so not under the lock
  lock.lock();
  finished();
}

/// Requires the lock: a thread in drain() may destroy this object as soon as
/// the lock is released.
void CallQueue::finished() {
  isRunning_ = false;
  drained_.notify_all();
  if (!tasks_.empty() || isEnding_)
    pushed_.notify_all();
}

void CallQueue::drain() {
  std::unique_lock<std::mutex> lock(mutex_);
  drained_.wait(lock, [this] { return !isRunning_ && tasks_.empty(); });
}

void CallQueue::work() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    pushed_.wait(
        lock, [this] { return !isRunning_ && (!tasks_.empty() || isEnding_); });
    if (tasks_.empty())
      return;
    runFirst(lock);
  }
}

} // namespace blink::pytorch
