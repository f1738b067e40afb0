//===- DeviceMemory.h - owners of CUDA's resources --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_DEVICEMEMORY_H
#define BLINK_RUNTIME_CUDA_DEVICEMEMORY_H

#include "runtime/Mapping.h"
#include "runtime/Status.h"

#include <cuda_runtime_api.h>
#include <memory>
#include <utility>

namespace blink::runtime {

/// Returns success, or "doing what: CUDA's words". The parts of the text before
/// the colon are `what`.
template <typename... Parts>
Status cudaStatus(cudaError_t error, const Parts &...what) {
  if (error == cudaSuccess)
    return {};
  cudaGetLastError(); // a failed call must not fail the next one
  return {error == cudaErrorMemoryAllocation ? blinkSystemError
                                             : blinkUnhandledCudaError,
          what..., ": ", cudaGetErrorString(error)};
}

/// Returns true if every device with access to the memory of the device that
/// `address` is on can use this address. cudaMalloc's memory is open like that.
/// Memory of pools (cudaMallocAsync) and mapped memory (cuMemMap; PyTorch's
/// expandable segments) is opened per allocation, so the answer is no.
/// DeviceMemory.cpp.
bool isOpenToPeers(const void *address);

/// Makes a device current for this thread with its primary context, and keeps
/// the previous context below it; popDevice() restores that. cudaSetDevice()
/// cannot restore it: since CUDA 12 it would create a context on the former
/// device, which takes half a gigabyte there although the thread may never have
/// used it. DeviceMemory.cpp.
cudaError_t pushDevice(int device);
void popDevice();

/// Makes a device current in a scope, for the library's own work. That work is
/// neither forbidden by a stream capture of the program, in whatever thread and
/// mode, nor does it invalidate the capture.
class DeviceScope {
public:
  explicit DeviceScope(int device) {
    int before = -1;
    error_ = cudaGetDevice(&before);
    if (error_ == cudaSuccess && before != device) {
      error_ = pushDevice(device);
      pushed_ = error_ == cudaSuccess;
    }
    cudaThreadExchangeStreamCaptureMode(&mode_);
  }
  ~DeviceScope() {
    cudaThreadExchangeStreamCaptureMode(&mode_);
    if (pushed_)
      popDevice();
  }
  DeviceScope(const DeviceScope &) = delete;
  cudaError_t error() const { return error_; }

private:
  bool pushed_ = false;
  cudaError_t error_;
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

/// Calls `work` with a new stream of the current device, and returns when what
/// `work` has put there is done. The default stream is unsuitable: it waits for
/// the program's streams, and must not be used while one of them is captured.
template <typename Work> cudaError_t onOwnStream(const Work &work) {
  cudaStream_t stream = nullptr;
  cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  if (error != cudaSuccess)
    return error;
  error = work(stream);
  if (error == cudaSuccess)
    error = cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  return error;
}

/// Copies from this process's ordinary memory to the current device. Returns
/// when kernels in all streams can see the bytes.
inline cudaError_t copyToDevice(void *to, const void *from, size_t bytes) {
  return onOwnStream([=](cudaStream_t stream) {
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream);
  });
}

/// Calls `make(address)` to get memory through the current device. When the
/// last owner of `memory` is gone, `free(address)` is called with that device
/// current again.
template <typename Make, typename Free>
cudaError_t makeMemory(const Make &make, const Free &free,
                       std::shared_ptr<char> &memory) {
  int device = 0;
  void *address = nullptr;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = make(&address);
  if (error == cudaSuccess)
    memory.reset(static_cast<char *>(address), [device, free](char *made) {
      const DeviceScope scope(device);
      free(made);
    });
  return error;
}

/// Allocates memory of the current device, zeroed.
inline cudaError_t allocateOnCurrent(size_t bytes,
                                     std::shared_ptr<char> &memory) {
  const cudaError_t error = makeMemory(
      [=](void **address) { return cudaMalloc(address, bytes ? bytes : 1); },
      cudaFree, memory);
  if (error != cudaSuccess)
    return error;
  return onOwnStream([&](cudaStream_t stream) {
    return cudaMemsetAsync(memory.get(), 0, bytes, stream);
  });
}

/// Allocates zeroed pinned host memory. All devices use it at the same address,
/// thanks to unified addressing.
inline cudaError_t allocatePinned(size_t bytes, std::shared_ptr<char> &memory) {
  const cudaError_t error = makeMemory(
      [=](void **address) {
        return cudaHostAlloc(address, bytes ? bytes : 1,
                             cudaHostAllocPortable | cudaHostAllocMapped);
      },
      cudaFreeHost, memory);
  if (error == cudaSuccess)
    __builtin_memset(memory.get(), 0, bytes);
  return error;
}

/// Lets all devices use host memory that has a mapping of its own, for as long
/// as `memory` is kept.
inline Status registerForDevices(const std::shared_ptr<char> &mapping,
                                 size_t bytes, std::shared_ptr<char> &memory) {
  cudaError_t error = makeMemory(
      [&](void **address) {
        *address = mapping.get();
        return cudaHostRegister(
            *address, bytes, cudaHostRegisterPortable | cudaHostRegisterMapped);
      },
      [mapping](char *address) { cudaHostUnregister(address); }, memory);
  void *there = nullptr;
  if (error == cudaSuccess)
    error = cudaHostGetDevicePointer(&there, mapping.get(), 0);
  if (error == cudaSuccess && there != mapping.get())
    return {blinkInvalidUsage,
            "GPUs of this system see registered host memory at other "
            "addresses than the host: run all ranks in one process"};
  return cudaStatus(error, "cannot give GPUs the job's memory");
}

/// Does the same with memory behind a file that processes share.
inline Status mapForDevices(int file, size_t bytes,
                            std::shared_ptr<char> &memory) {
  const std::shared_ptr<char> mapping =
      mapFile(bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file);
  if (!mapping)
    return {blinkSystemError, "cannot map the job's memory"};
  return registerForDevices(mapping, bytes, memory);
}

/// Maps memory of another process's device for the current device.
inline cudaError_t mapMemory(const cudaIpcMemHandle_t &handle,
                             std::shared_ptr<char> &memory) {
  return makeMemory(
      [&](void **address) {
        return cudaIpcOpenMemHandle(address, handle,
                                    cudaIpcMemLazyEnablePeerAccess);
      },
      cudaIpcCloseMemHandle, memory);
}

/// An event without timing, on the device that is current at first use.
class Event {
public:
  Event() = default;
  Event(Event &&other) noexcept
      : event_(std::exchange(other.event_, nullptr)), device_(other.device_) {}
  ~Event() {
    if (!event_)
      return;
    const DeviceScope scope(device_);
    cudaEventDestroy(event_);
  }
  cudaError_t record(cudaStream_t stream) {
    cudaError_t error = event_ ? cudaSuccess : cudaGetDevice(&device_);
    if (error == cudaSuccess && !event_)
      error = cudaEventCreateWithFlags(&event_, cudaEventDisableTiming);
    return error == cudaSuccess ? cudaEventRecord(event_, stream) : error;
  }
  /// Makes work that is put into `stream` from now on wait for this event.
  cudaError_t waitOn(cudaStream_t stream) const {
    return event_ ? cudaStreamWaitEvent(stream, event_, 0) : cudaSuccess;
  }
  cudaError_t synchronize() const {
    if (!event_)
      return cudaSuccess;
    const DeviceScope scope(device_);
    return cudaEventSynchronize(event_);
  }

private:
  cudaEvent_t event_ = nullptr;
  int device_ = 0;
};

/// A stream on the device that is current at the first call of get().
class OwnStream {
public:
  OwnStream() = default;
  OwnStream(const OwnStream &) = delete;
  ~OwnStream() {
    if (!stream_)
      return;
    const DeviceScope scope(device_);
    cudaStreamDestroy(stream_);
  }
  cudaError_t get(cudaStream_t &stream) {
    cudaError_t error = stream_ ? cudaSuccess : cudaGetDevice(&device_);
    if (error == cudaSuccess && !stream_)
      error = cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    stream = stream_;
    return error;
  }

private:
  cudaStream_t stream_ = nullptr;
  int device_ = 0;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_DEVICEMEMORY_H
