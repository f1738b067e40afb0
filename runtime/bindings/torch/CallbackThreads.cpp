//===- CallbackThreads.cpp - threads for callbacks of futures -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/torch/CallbackThreads.h"

#include <pthread.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace blink::pytorch {
namespace {

class Threads {
public:
  void run(std::function<void()> task) {
    std::unique_lock<std::mutex> lock(mutex_);
    // First, because it may throw: the task would never end.
    if (tasks_.size() >= idle_)
      std::thread([this] { work(); }).detach();
    tasks_.push_back(std::move(task));
    ++unfinished_;
    changed_.notify_one();
  }

  void finish(std::chrono::milliseconds most) {
    std::unique_lock<std::mutex> lock(mutex_);
    done_.wait_for(lock, most, [this] { return unfinished_ == 0; });
  }

private:
  void work() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      ++idle_;
      changed_.wait(lock, [this] { return !tasks_.empty(); });
      --idle_;
      std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      task = nullptr; // frees the captured objects in this thread, too
      lock.lock();
      if (--unfinished_ == 0)
        done_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_, done_;
  std::deque<std::function<void()>> tasks_;
  size_t idle_ = 0;       ///< threads that wait for a task
  size_t unfinished_ = 0; ///< tasks
};

// Never destroyed, because threads may still be in callbacks at exit. A child
// of fork() gets a new object, because it has none of its parent's threads.
Threads *threads = nullptr;
void renew() { threads = new Threads; }

} // namespace

void finishCallbacks(std::chrono::milliseconds most) {
  if (threads)
    threads->finish(most);
}

void runCallback(std::function<void()> task) {
  static std::once_flag once;
  std::call_once(once, [] {
    renew();
    pthread_atfork(nullptr, nullptr, renew);
  });
  threads->run(std::move(task));
}

} // namespace blink::pytorch
