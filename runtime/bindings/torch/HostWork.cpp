//===- HostWork.cpp - a call with tensors of the host ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/torch/HostWork.h"

#include "runtime/bindings/torch/CallbackThreads.h"
#include "runtime/bindings/torch/Errors.h"

namespace blink::pytorch {
namespace {

using FuturePtr = c10::intrusive_ptr<c10::ivalue::Future>;

void settle(const FuturePtr &future, const std::vector<at::Tensor> &outputs,
            const std::exception_ptr &error) {
  if (error)
    future->setError(error);
  else
    future->markCompleted(c10::IValue(outputs));
}

} // namespace

HostWork::HostWork(const Operation &operation, int rank, uint64_t sequence,
                   std::weak_ptr<CallQueue> queue)
    : Work(rank, operation.type, operation.event(), operation.shown()),
      outputs_(operation.outputs), sequence_(sequence),
      queue_(std::move(queue)) {}

bool HostWork::wait(std::chrono::milliseconds timeout) {
  if (timeout == kNoTimeout && !isCompleted())
    if (const std::shared_ptr<CallQueue> queue = queue_.lock())
      while (!isCompleted() && queue->help())
        ;
  return Work::wait(timeout);
}

FuturePtr HostWork::getFuture() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!future_) {
    future_ = c10::make_intrusive<c10::ivalue::Future>(
        c10::ListType::create(c10::TensorType::get()));
    if (completed_) // no other thread knows the future yet
      settle(future_, outputs_, exception_);
  }
  return future_;
}

bool HostWork::isLate(std::chrono::milliseconds limit) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (cv_.wait_for(lock, limit, [this] { return completed_; }))
    return false;
  late_ = makeError("Timed out after " + std::to_string(limit.count()) +
                    " ms: not all ranks have called it");
  return true;
}

void HostWork::complete(std::exception_ptr error) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (error && late_)
      error = late_;
  }
  finish(error);
  // A thread that asks for the future after finish() finds it settled; a future
  // that was asked for before is seen here.
  FuturePtr future;
  std::function<void(std::exception_ptr)> listener;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    future = future_;
    std::swap(listener, listener_);
  }
  if (listener)
    listener(error);
  if (future && !future->completed())
    runCallback([future, outputs = outputs_, error] {
      settle(future, outputs, error);
    });
}

void HostWork::whenDone(std::function<void(std::exception_ptr)> listener) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!completed_) {
      listener_ = std::move(listener);
      return;
    }
  }
  listener(exception_);
}

void join(const HostWorkPtr &whole, const std::vector<HostWorkPtr> &parts) {
  struct Countdown {
    std::mutex mutex;
    size_t left;
    std::exception_ptr error;
  };
  const auto countdown = std::make_shared<Countdown>();
  countdown->left = parts.size();
  if (parts.empty())
    return whole->complete(nullptr);
  for (const HostWorkPtr &part : parts)
    part->whenDone([whole, countdown](const std::exception_ptr &error) {
      std::unique_lock<std::mutex> lock(countdown->mutex);
      if (!countdown->error)
        countdown->error = error;
      if (--countdown->left != 0)
        return;
      lock.unlock();
      whole->complete(countdown->error);
    });
}

} // namespace blink::pytorch
