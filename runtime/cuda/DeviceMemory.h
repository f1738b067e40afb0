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

/// Success, or "doing what: CUDA's words", where `what` are a text's parts.
template <typename... Parts>
Status cudaStatus(cudaError_t error, const Parts &...what) {
  if (error == cudaSuccess)
    return {};
  cudaGetLastError(); // a failed call must not fail the next one
  return {error == cudaErrorMemoryAllocation ? blinkSystemError
                                             : blinkUnhandledCudaError,
          what..., ": ", cudaGetErrorString(error)};
}

/// Whether all devices with access to the memory of the one that `address` is
/// on can use it. cudaMalloc's they can; of memory pools (cudaMallocAsync) and
/// of mapped memory (cuMemMap; PyTorch's expandable segments) that is a matter
/// of each allocation, so the answer is no. DeviceMemory.cpp.
bool isOpenToPeers(const void *address);

/// Makes a device current for this thread by its primary context, over what was
/// current before; popDevice() brings that back. cudaSetDevice() could not:
/// since CUDA 12 it gives the former device a context, which takes half a
/// gigabyte there, though the thread may never have used it. DeviceMemory.cpp.
cudaError_t pushDevice(int device);
void popDevice();

/// A device is current, for work of the library's own: the program's captures,
/// whatever thread and mode they are in, neither forbid it nor are spoilt.
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

/// Calls `work` with a stream of its own of the current device, and returns
/// when what it has put there is done. The default stream would wait for the
/// program's streams, and must not be used while one of them is captured.
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

/// Copies from this process's ordinary memory to the current device, and
/// returns when the bytes are there for kernels in all streams.
inline cudaError_t copyToDevice(void *to, const void *from, size_t bytes) {
  return onOwnStream([=](cudaStream_t stream) {
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream);
  });
}

/// Calls `make(address)` for memory by way of the current device, which is
/// current again when its last owner has gone and `free(address)` is called.
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

/// Memory of the current device, zero at first.
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

/// Pinned host memory that all devices can use, at the same address, as
/// unified addressing has it; zero at first.
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

/// Host memory that has a mapping of its own, for all devices to use as long as
/// `memory` is kept.
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

/// Likewise memory behind a file that processes share.
inline Status mapForDevices(int file, size_t bytes,
                            std::shared_ptr<char> &memory) {
  const std::shared_ptr<char> mapping =
      mapFile(bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file);
  if (!mapping)
    return {blinkSystemError, "cannot map the job's memory"};
  return registerForDevices(mapping, bytes, memory);
}

/// Maps memory of another process's device for the device that is current.
inline cudaError_t mapMemory(const cudaIpcMemHandle_t &handle,
                             std::shared_ptr<char> &memory) {
  return makeMemory(
      [&](void **address) {
        return cudaIpcOpenMemHandle(address, handle,
                                    cudaIpcMemLazyEnablePeerAccess);
      },
      cudaIpcCloseMemHandle, memory);
}

/// An event without timing, of the device that is current at first use.
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
  /// What is put into `stream` from now on waits for the event.
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

/// A stream of the device that is current when it is first asked for.
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
