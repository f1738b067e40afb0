//===- DeviceWork.h - a call in a stream ------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_TORCH_DEVICEWORK_H
#define BLINK_RUNTIME_BINDINGS_TORCH_DEVICEWORK_H

#include "runtime/bindings/torch/Communicator.h"
#include "runtime/bindings/torch/Operation.h"

#include <c10/core/Event.h>
#include <torch/csrc/distributed/c10d/Work.hpp>

namespace blink::pytorch {

/// Made when the call is in its stream. Waiting for this work makes the current
/// stream wait, not the host.
class DeviceWork final : public c10d::Work {
public:
  /// `stream` has the call, and is the current stream.
  DeviceWork(const Operation &operation, int rank, uint64_t sequence,
             const c10::Stream &stream,
             std::shared_ptr<Communicator> communicator);

  bool isCompleted() override;
  bool isSuccess() const override { return !exception(); }
  std::exception_ptr exception() const override;
  void synchronize() override;
  bool wait(std::chrono::milliseconds timeout) override;
  void blockCurrentStream() override { synchronize(); }
  std::vector<at::Tensor> result() override { return outputs_; }
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override {
    return future_;
  }
  uint64_t getSequencenumber() const override { return sequence_; }

private:
  const std::vector<at::Tensor> outputs_;
  const uint64_t sequence_;
  const std::shared_ptr<Communicator> communicator_;
  c10::Event done_;
  c10::intrusive_ptr<c10::ivalue::Future> future_;
};

} // namespace blink::pytorch

#endif // BLINK_RUNTIME_BINDINGS_TORCH_DEVICEWORK_H
