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

/// A stream of GPU 0, and clocks. All methods throw std::runtime_error if CUDA
/// fails.
class Device {
public:
  Device();
  ~Device();
  Device(const Device &) = delete;

  /// Returns the microseconds that `work` takes on the device: the median of
  /// `times` measurements after some warm-up runs. Short work runs several
  /// times in a row in each of them, so that launching it does not count.
  double onDevice(int times, const Work &work);
  /// Returns the microseconds from before the caller issues `work` until the
  /// stream is empty: the median of `times` runs, after some warm-up runs.
  double andWait(int times, const Work &work);
  /// The same for launching a graph that captured `work`.
  double graphAndWait(int times, const Work &work);

private:
  /// Returns the microseconds of one run and the wait for it.
  double warmUp(const Work &work);

  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

/// Memory of GPU 0 whose bytes all are `value`. Throws std::runtime_error.
using Memory = std::unique_ptr<void, cudaError_t (*)(void *)>;
Memory allocate(size_t bytes, int value = 1);

/// Microseconds to copy `bytes` on the device.
struct CopyTimes {
  double memcpy = 0;
  double kernel = 0; ///< with the best grid
};
CopyTimes timeCopies(Device &device, size_t bytes);

} // namespace blink::gpubench

#endif // BLINK_TOOLS_GPUCHECK_DEVICE_H
