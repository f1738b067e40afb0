//===- Run.cpp - how operations are run -----------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// On the host: in the order of the calls, in the thread of a queue, or at once
// in the caller's thread if that waits anyway and nothing is under way. On a
// GPU: in a stream of the group, or in the caller's stream if the caller waits.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/torch/Backend.h"
#include "runtime/bindings/torch/CallbackThreads.h"
#include "runtime/bindings/torch/DeviceWork.h"
#include "runtime/bindings/torch/Errors.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace blink::pytorch {

using WorkPtr = Backend::WorkPtr;

void Backend::checkUsable() const {
  if (isEnded_)
    raise("the group has been destroyed or aborted");
}

WorkPtr Backend::run(Operation operation) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (estimated_ || coalesced_) {
      (estimated_ ? *estimated_ : coalesced_->operations)
          .push_back(std::move(operation));
      return {};
    }
  }
  std::vector<Operation> operations;
  operations.push_back(std::move(operation));
  return runAll(std::move(operations));
}

/// Runs one operation, or several of one device as a group.
WorkPtr Backend::runAll(std::vector<Operation> operations) {
  checkUsable();
  for (const Operation &operation : operations)
    TORCH_CHECK(operation.device == operations[0].device,
                "Blink: a coalesced group has tensors of ",
                operations[0].device, " and of ", operation.device);
  return operations[0].device.is_cpu() ? runOnHost(std::move(operations))
                                       : runOnGpu(std::move(operations));
}

WorkPtr Backend::runOnHost(std::vector<Operation> operations) {
  const Operation &first = operations[0];
  const auto work =
      c10::make_intrusive<HostWork>(first, rank_, sequence_++, host_->calls);
  const auto limit = first.limit;
  const bool waits = !first.isAsync && limit.count() == 0;
  const CallQueue::Task task = [work, communicator = host_->communicator,
                                operations = std::move(operations)] {
    std::exception_ptr error;
    try {
      Site site;
      if (communicator)
        site.comm = communicator->get();
      runOperations(operations, site);
    } catch (...) {
      error = std::current_exception();
    }
    work->complete(error);
  };
  if (!waits || !host_->calls->runHere(task))
    host_->calls->push(task);
  if (limit.count() != 0)
    runCallback([work, limit, communicator = host_->communicator] {
      if (work->isLate(limit) && communicator)
        communicator->revoke();
    });
  return work;
}

WorkPtr Backend::runOnGpu(std::vector<Operation> operations,
                          std::optional<int> messageStream) {
  Operation &first = operations[0];
  const c10::Device device = first.device;
  const c10::impl::VirtualGuardImpl guard(device.type());
  const c10::OptionalDeviceGuard onDevice(device);

  const std::lock_guard<std::mutex> calls(gpuCalls_);
  Gpu &here = gpu(device, !messageStream);
  Site site;
  if (here.communicator)
    site.comm = here.communicator->get();

  const c10::Stream current = guard.getStream(device);
  c10::Stream stream = first.isAsync ? here.calls : current;
  if (messageStream) {
    // The pool has few streams and hands them out in turn, so one is taken only
    // for a new key.
    auto known = here.messages.find(*messageStream);
    if (known == here.messages.end())
      known = here.messages
                  .emplace(*messageStream,
                           guard.getStreamFromGlobalPool(device, false))
                  .first;
    stream = known->second;
  }
  if (stream != current) {
    // The stream waits for what made the tensors, and their memory is kept
    // until the stream has used it.
    c10::Event made(device.type());
    made.record(current);
    made.block(stream);
    for (const Operation &operation : operations)
      for (const Tensors *tensors : {&operation.inputs, &operation.outputs})
        for (const at::Tensor &tensor : *tensors)
          if (tensor.defined() && tensor.has_storage())
            guard.recordDataPtrOnStream(tensor.storage().data_ptr(), stream);
  }
  const c10::StreamGuard inStream(stream);
  site.stream = static_cast<blinkStream_t>(stream.native_handle());
  runOperations(operations, site);
  // The result of a group is all of its outputs.
  for (size_t i = 1; i < operations.size(); ++i)
    first.outputs.insert(first.outputs.end(), operations[i].outputs.begin(),
                         operations[i].outputs.end());
  return c10::make_intrusive<DeviceWork>(first, rank_, sequence_++, stream,
                                         here.communicator);
}

void Backend::startCoalescing() {
  const std::lock_guard<std::mutex> lock(mutex_);
  TORCH_CHECK(!coalesced_, "Blink: the group is coalescing already");
  coalesced_.emplace();
}

WorkPtr Backend::endCoalescing() {
  Coalesced coalesced;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    TORCH_CHECK(coalesced_, "Blink: the group is not coalescing");
    std::swap(coalesced, *coalesced_);
    coalesced_.reset();
  }
  WorkPtr last;
  if (!coalesced.operations.empty()) {
    coalesced.operations[0].isAsync = true;
    last = runAll(std::move(coalesced.operations));
  }
  std::vector<HostWorkPtr> &parts = coalesced.messages;
  if (parts.empty())
    return last;
  // Messages of the host are already under way; the last work waits for all of
  // them.
  if (last) {
    auto collectives = c10::dynamic_intrusive_pointer_cast<HostWork>(last);
    TORCH_CHECK(collectives, "Blink: a coalesced group has tensors of the host "
                             "and of GPUs");
    parts.push_back(std::move(collectives));
  }
  const auto whole = c10::make_intrusive<HostWork>(
      Operation{c10d::OpType::COALESCED, nullptr, true, at::kCPU, {}, {}, {}},
      rank_, sequence_++);
  join(whole, parts);
  return whole;
}

bool Backend::keepForEstimate(const Operation &operation) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (estimated_)
    estimated_->push_back(operation);
  return estimated_.has_value();
}

void Backend::startTimeEstimate() {
  const std::lock_guard<std::mutex> lock(mutex_);
  TORCH_CHECK(!estimated_, "Blink: an estimate has begun already");
  estimated_.emplace();
}

/// Returns the time that the schedules estimate, in microseconds. No other
/// rank takes part.
float Backend::endTimeEstimate() {
  std::vector<Operation> operations;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    TORCH_CHECK(estimated_, "Blink: no estimate has begun");
    std::swap(operations, *estimated_);
    estimated_.reset();
  }
  if (operations.empty() || size_ == 1)
    return 0;
  Site site;
  if (operations[0].device.is_cpu()) {
    site.comm = host_->communicator->get();
  } else {
    const std::lock_guard<std::mutex> calls(gpuCalls_);
    site.comm =
        gpu(operations[0].device, /*mayMeet=*/false).communicator->get();
  }
  const at::AutoDispatchBelowADInplaceOrView noHistory;
  std::vector<After> kept;
  double microseconds = 0;
  CallGroup group;
  for (const Operation &operation : operations)
    kept.push_back(operation.calls(site));
  group.simulate(microseconds);
  return float(microseconds);
}

} // namespace blink::pytorch
