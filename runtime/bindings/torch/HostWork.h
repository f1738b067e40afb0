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
  /// `queue` has the call or will have it; none: it is not in a queue.
  HostWork(const Operation &operation, int rank, uint64_t sequence,
           std::weak_ptr<CallQueue> queue = {});

  /// Runs what is before it in the queue, and itself, where no thread has begun
  /// to: a thread that waits anyway is there sooner than the queue's.
  bool wait(std::chrono::milliseconds timeout) override;

  std::vector<at::Tensor> result() override { return outputs_; }
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override;
  uint64_t getSequencenumber() const override { return sequence_; }
  int sourceRank() const override { return source_; }

  /// Of a message from any rank: which it was. Before complete().
  void setSource(int rank) { source_ = rank; }
  /// Ends it, with an error or null. Callbacks of its future run in other
  /// threads. Once.
  void complete(std::exception_ptr error);
  /// Waits for complete(), but no longer than that: then its error will say so.
  bool isLate(std::chrono::milliseconds limit);
  /// Calls `listener` in the thread that completes it, or at once. For one.
  void whenDone(std::function<void(std::exception_ptr)> listener);

private:
  const std::vector<at::Tensor> outputs_;
  const uint64_t sequence_;
  const std::weak_ptr<CallQueue> queue_;
  int source_ = -1;
  // By the base class's mutex:
  c10::intrusive_ptr<c10::ivalue::Future> future_; ///< once asked for
  std::function<void(std::exception_ptr)> listener_;
  std::exception_ptr late_;
};

using HostWorkPtr = c10::intrusive_ptr<HostWork>;

/// Completes `whole` when all parts are complete, with the first error.
void join(const HostWorkPtr &whole, const std::vector<HostWorkPtr> &parts);

} // namespace blink::pytorch

#endif // BLINK_RUNTIME_BINDINGS_TORCH_HOSTWORK_H
