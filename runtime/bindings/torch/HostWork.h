//===- HostWork.h - a call with tensors of the host -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_TORCH_HOSTWORK_H
#define BLINK_RUNTIME_BINDINGS_TORCH_HOSTWORK_H

#include "runtime/bindings/torch/CallQueue.h"
#include "runtime/bindings/torch/Operation.h"

#include <torch/csrc/distributed/c10d/Work.hpp>

namespace blink::pytorch {

class HostWork final : public c10d::Work {
public:
  /// `queue` has the call, or will have it; unset: the call is in no queue.
  HostWork(const Operation &operation, int rank, uint64_t sequence,
           std::weak_ptr<CallQueue> queue = {});

  /// Runs the tasks before this one in the queue, and this one, unless a thread
  /// has begun to: a thread that waits anyway can begin sooner than the queue's
  /// thread.
  bool wait(std::chrono::milliseconds timeout) override;

  std::vector<at::Tensor> result() override { return outputs_; }
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override;
  uint64_t getSequencenumber() const override { return sequence_; }
  int sourceRank() const override { return source_; }

  /// Sets the sender of a message from any rank. To be called before
  /// complete().
  void setSource(int rank) { source_ = rank; }
  /// Ends the work, with an error or null. Callbacks of its future run in other
  /// threads. To be called once.
  void complete(std::exception_ptr error);
  /// Waits for complete(), but no longer than `limit`. Returns true if the time
  /// is up; the work's error will then say so.
  bool isLate(std::chrono::milliseconds limit);
  /// Calls `listener` in the thread that completes the work, or at once if it
  /// is complete. For one listener only.
  void whenDone(std::function<void(std::exception_ptr)> listener);

private:
  const std::vector<at::Tensor> outputs_;
  const uint64_t sequence_;
  const std::weak_ptr<CallQueue> queue_;
  int source_ = -1;
  // Guarded by the base class's mutex:
  c10::intrusive_ptr<c10::ivalue::Future> future_; ///< once it was asked for
  std::function<void(std::exception_ptr)> listener_;
  std::exception_ptr late_;
};

using HostWorkPtr = c10::intrusive_ptr<HostWork>;

/// Completes `whole` when all parts are complete, with the first error.
void join(const HostWorkPtr &whole, const std::vector<HostWorkPtr> &parts);

} // namespace blink::pytorch

#endif // BLINK_RUNTIME_BINDINGS_TORCH_HOSTWORK_H
