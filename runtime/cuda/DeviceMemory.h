//===- DeviceMemory.h - owners of CUDA's resources --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_DEVICEMEMORY_H
#define BLINK_RUNTIME_CUDA_DEVICEMEMORY_H

#include "runtime/Status.h"

#include <cuda_runtime_api.h>
#include <memory>
#include <sys/mman.h>
#include <utility>

namespace blink::runtime {

/// Success, or "doing what: CUDA's words".
inline Status cudaStatus(cudaError_t error, const std::string &what) {
  if (error == cudaSuccess)
    return {};
  cudaGetLastError(); // a failed call must not fail the next one
  return {error == cudaErrorMemoryAllocation ? blinkSystemError
                                             : blinkUnhandledCudaError,
          what + ": " + cudaGetErrorString(error)};
}

/// The begin of the allocation that `address` is in, which is what CUDA shares
/// between processes. DeviceMemory.cpp.
cudaError_t allocationOf(const void *address, const char *&begin);

/// Whether all devices with access to the memory of the one that `address` is
/// on can use it. cudaMalloc's they can; of memory pools (cudaMallocAsync) and
/// of mapped memory (cuMemMap; PyTorch's expandable segments) that is a matter
/// of each allocation, so the answer is no. DeviceMemory.cpp.
bool isOpenToPeers(const void *address);

/// Makes a device current, and the former one again at the end.
class DeviceScope {
public:
  explicit DeviceScope(int device) {
    cudaGetDevice(&before_);
    changed_ = device != before_;
    error_ = changed_ ? cudaSetDevice(device) : cudaSuccess;
  }
  ~DeviceScope() {
    if (changed_)
      cudaSetDevice(before_);
  }
  DeviceScope(const DeviceScope &) = delete;
  cudaError_t error() const { return error_; }

private:
  int before_ = 0;
  bool changed_;
  cudaError_t error_;
};

/// Copies from this process's ordinary memory to the current device, and
/// returns when the bytes, and all zeros written before, are there: cudaMemcpy
/// may return while the last of them are still on their way, and kernels in
/// streams of PyTorch's kind (cudaStreamNonBlocking) would not wait for them.
inline cudaError_t copyToDevice(void *to, const void *from, size_t bytes) {
  const cudaError_t error = cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice);
  return error == cudaSuccess ? cudaStreamSynchronize(nullptr) : error;
}

/// Memory of the device that is current when it is made, zero at first: for
/// kernels once copyToDevice() has returned.
class DeviceMemory {
public:
  cudaError_t allocate(size_t bytes) {
    void *address = nullptr;
    cudaError_t error = cudaMalloc(&address, bytes ? bytes : 1);
    if (error != cudaSuccess)
      return error;
    memory_.reset(static_cast<char *>(address), cudaFree);
    return cudaMemset(address, 0, bytes);
  }
  char *get() const { return memory_.get(); }
  const std::shared_ptr<char> &shared() const { return memory_; }

private:
  std::shared_ptr<char> memory_;
};

/// Pinned host memory that all devices can use, at the same address; zero at
/// first.
class HostMemory {
public:
  HostMemory() = default;
  HostMemory(HostMemory &&other) noexcept
      : address_(std::exchange(other.address_, nullptr)) {}
  HostMemory &operator=(HostMemory &&other) noexcept {
    std::swap(address_, other.address_);
    return *this;
  }
  ~HostMemory() { cudaFreeHost(address_); }

  cudaError_t allocate(size_t bytes) {
    cudaError_t error =
        cudaHostAlloc(&address_, bytes ? bytes : 1,
                      cudaHostAllocPortable | cudaHostAllocMapped);
    if (error == cudaSuccess)
      __builtin_memset(address_, 0, bytes);
    return error;
  }
  char *get() const { return static_cast<char *>(address_); }

private:
  void *address_ = nullptr;
};

/// Host memory behind a file that processes share, for all devices to use.
class SharedHostMemory {
public:
  SharedHostMemory() = default;
  SharedHostMemory(const SharedHostMemory &) = delete;
  ~SharedHostMemory() {
    if (!address_)
      return;
    cudaHostUnregister(address_);
    munmap(address_, bytes_);
  }

  Status map(int file, size_t bytes) {
    void *address =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (address == MAP_FAILED)
      return {blinkSystemError, "cannot map the job's memory"};
    const cudaError_t error = cudaHostRegister(
        address, bytes, cudaHostRegisterPortable | cudaHostRegisterMapped);
    if (error != cudaSuccess) {
      munmap(address, bytes);
      return cudaStatus(error, "cannot give GPUs the job's memory");
    }
    address_ = address;
    bytes_ = bytes;
    return {};
  }
  char *get() const { return static_cast<char *>(address_); }

private:
  void *address_ = nullptr;
  size_t bytes_ = 0;
};

/// Maps memory of another process's device for the device that is current.
inline cudaError_t mapMemory(const cudaIpcMemHandle_t &handle,
                             std::shared_ptr<char> &memory) {
  int device = 0;
  void *address = nullptr;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error =
        cudaIpcOpenMemHandle(&address, handle, cudaIpcMemLazyEnablePeerAccess);
  if (error == cudaSuccess)
    memory.reset(static_cast<char *>(address), [device](char *mapped) {
      const DeviceScope scope(device);
      cudaIpcCloseMemHandle(mapped);
    });
  return error;
}

/// An event without timing, of the device that is current at first use.
class Event {
public:
  Event() = default;
  Event(Event &&other) noexcept
      : event_(std::exchange(other.event_, nullptr)) {}
  ~Event() {
    if (event_)
      cudaEventDestroy(event_);
  }
  cudaError_t record(cudaStream_t stream) {
    cudaError_t error = cudaSuccess;
    if (!event_)
      error = cudaEventCreateWithFlags(&event_, cudaEventDisableTiming);
    return error == cudaSuccess ? cudaEventRecord(event_, stream) : error;
  }
  cudaError_t holdBack(cudaStream_t stream) const {
    return event_ ? cudaStreamWaitEvent(stream, event_, 0) : cudaSuccess;
  }
  cudaError_t synchronize() const {
    return event_ ? cudaEventSynchronize(event_) : cudaSuccess;
  }

private:
  cudaEvent_t event_ = nullptr;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_DEVICEMEMORY_H
