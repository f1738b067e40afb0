//===- DeviceWork.cpp - a call in a stream --------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/torch/DeviceWork.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include <thread>

namespace blink::pytorch {

DeviceWork::DeviceWork(const Operation &operation, int rank, uint64_t sequence,
                       const c10::Stream &stream,
                       std::shared_ptr<Communicator> communicator)
    : Work(rank, operation.type, operation.event(), operation.shown()),
      outputs_(operation.outputs), sequence_(sequence),
      communicator_(std::move(communicator)), done_(stream.device_type()),
      future_(c10::make_intrusive<c10::ivalue::Future>(
          c10::ListType::create(c10::TensorType::get()),
          std::vector<c10::Device>{stream.device()})) {
  done_.record(stream);
  // The future refers to the current stream: callbacks run at once, in streams
  // that wait for it.
  future_->markCompleted(c10::IValue(outputs_));
  if (recordFunctionEndCallback_) {
    recordFunctionEndCallback_();
    recordFunctionEndCallback_ = nullptr;
  }
}

std::exception_ptr DeviceWork::exception() const {
  return communicator_ ? communicator_->failure() : nullptr;
}

bool DeviceWork::isCompleted() { return done_.query() || exception(); }

void DeviceWork::synchronize() {
  const c10::impl::VirtualGuardImpl device(done_.device_type());
  done_.block(device.getStream(done_.device()));
}

bool DeviceWork::wait(std::chrono::milliseconds timeout) {
  synchronize();
  // With a time limit the host waits, too, and after a barrier, behind which
  // programs read what other ranks have written to files. The call itself ends
  // within its own limit.
  const bool isLimited = timeout != kNoTimeout;
  const bool hostWaits = isLimited || retrieveOpType() == c10d::OpType::BARRIER;
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (hostWaits && !isCompleted()) {
    TORCH_CHECK_WITH(DistBackendError,
                     !isLimited || std::chrono::steady_clock::now() < deadline,
                     "Blink: Timed out waiting ", timeout.count(),
                     " ms for a call in its stream");
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  if (const std::exception_ptr error = exception())
    std::rethrow_exception(error);
  return true;
}

} // namespace blink::pytorch
