//===- Device.h - times of work on the first GPU ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_GPUCHECK_DEVICE_H
#define BLINK_TOOLS_GPUCHECK_DEVICE_H

#include "tools/blink-perf/Cuda.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace blink::gpubench {

using Work = std::function<void(cudaStream_t)>;

using perf::require;
using Clock = std::chrono::steady_clock;

double median(std::vector<double> values);

/// A stream of GPU 0, and clocks. Everything throws std::runtime_error where
/// CUDA fails.
class Device {
public:
  Device();
  ~Device();
  Device(const Device &) = delete;

  /// Microseconds on the device between begin and end of `work`: the median of
  /// `times`, after some that do not count.
  double onDevice(int times, const Work &work);
  /// Microseconds that the caller spends from before `work` until the stream is
  /// empty: the median of `times`, after some that do not count.
  double andWait(int times, const Work &work);
  /// Likewise of launching a graph that `work` was captured in.
  double graphAndWait(int times, const Work &work);

private:
  void warmUp(const Work &work);

  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

/// Memory of GPU 0, of which every byte is `value`. Throws std::runtime_error.
using Memory = std::unique_ptr<void, cudaError_t (*)(void *)>;
Memory allocate(size_t bytes, int value = 1);

/// Microseconds to copy `bytes` on the device.
struct CopyTimes {
  double memcpy = 0;
  double kernel = 0; ///< of the best grid
};
CopyTimes timeCopies(Device &device, size_t bytes);

} // namespace blink::gpubench

#endif // BLINK_TOOLS_GPUCHECK_DEVICE_H
