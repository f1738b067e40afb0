//===- CudaMachineWindows.cpp - registered buffers ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Buffers that the ranks of several processes register, so that writers reach
// them directly.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/CudaMachine.h"

namespace blink::runtime {

Status CudaMachine::registerBuffer(int self, void *buffer, size_t bytes,
                                   uintptr_t &handle) {
  handle = 1;
  if (oneProcess_)
    return {};
  std::lock_guard<std::mutex> lock(mutex_);
  size_t index = 0;
  while (index < windows_.size() && windows_[index].begin)
    ++index;
  if (index == kMaxWindows)
    return {blinkInvalidUsage,
            std::to_string(kMaxWindows) + " buffers are registered already"};
  const char *begin = nullptr;
  {
    DeviceScope scope(ranks_[self].device);
    cudaError_t error = allocationOf(buffer, begin);
    if (error == cudaSuccess)
      error = cudaIpcGetMemHandle(&boards_[self].windows[index],
                                  const_cast<char *>(begin));
    // Without a handle the others would wait: they learn it by an offset that
    // cannot be.
    boards_[self].offsets[index] =
        error == cudaSuccess
            ? uint64_t(static_cast<const char *>(buffer) - begin)
            : ~uint64_t(0);
    boards_[self].localWindows[index] = reinterpret_cast<uint64_t>(buffer);
  }
  Status status = stepTogether(self);
  if (status.ok())
    status = openWindow(self, index);
  // Nobody writes before all have mapped, or given up.
  Status after = stepTogether(self);
  if (status.ok())
    status = after;
  if (!status.ok())
    return status;
  windows_[index].begin = static_cast<const char *>(buffer);
  windows_[index].bytes = bytes;
  handle = index + 1;
  return {};
}

/// Maps the others' windows of number `index`.
Status CudaMachine::openWindow(int self, size_t index) {
  DeviceScope scope(ranks_[self].device);
  if (index == windows_.size())
    windows_.emplace_back();
  Window &window = windows_[index];
  window.others.clear();
  for (size_t other = 0; other < ranks_.size(); ++other) {
    if (boards_[other].offsets[index] == ~uint64_t(0))
      return {blinkInvalidArgument,
              "the buffer of rank " + std::to_string(other) +
                  " is no GPU memory that processes can share (cudaMalloc's "
                  "is)"};
    std::shared_ptr<char> &mapped = window.others.emplace_back();
    if (!reaches(size_t(self), other))
      continue;
    Status status;
    uint64_t address = boards_[other].localWindows[index];
    if (!inThisProcess(other)) {
      status = cudaStatus(mapMemory(boards_[other].windows[index], mapped),
                          "cannot use the registered buffer of rank " +
                              std::to_string(other));
      address = reinterpret_cast<uint64_t>(mapped.get()) +
                boards_[other].offsets[index];
    }
    if (status.ok())
      status = cudaStatus(
          copyToDevice(ranks_[other].windows.get() + index * sizeof(address),
                       &address, sizeof(address)),
          "cannot note the registered buffer of rank " + std::to_string(other));
    if (!status.ok())
      return status;
  }
  return {};
}

Status CudaMachine::deregisterBuffer(int self, uintptr_t handle) {
  if (oneProcess_)
    return {};
  std::lock_guard<std::mutex> lock(mutex_);
  if (handle > windows_.size() || !windows_[handle - 1].begin)
    return {blinkInvalidArgument, "the handle is of no registered buffer"};
  windows_[handle - 1] = Window();
  return stepTogether(self);
}

/// What the rank tells writers of its output.
uint64_t CudaMachine::placeOf(const Call &call) const {
  const char *recv = static_cast<const char *>(call.recv);
  if (oneProcess_)
    return !severalDevices_ || isOpenToPeers(recv)
               ? reinterpret_cast<uint64_t>(recv)
               : 0;
  // The output is at most the whole buffer of the call.
  const uint64_t bytes = call.bytes();
  for (size_t w = 0; w < windows_.size(); ++w) {
    const Window &window = windows_[w];
    if (window.begin && recv >= window.begin &&
        recv + bytes <= window.begin + window.bytes)
      return (w + 1) << kOffsetBits | uint64_t(recv - window.begin);
  }
  return 0;
}

} // namespace blink::runtime
