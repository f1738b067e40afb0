//===- Device.cpp - times of work on the first GPU ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/gpu-check.d/Device.h"

#include "tools/gpu-check.d/Kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace blink::gpubench {
namespace {

/// An idle GPU has low clocks, which rise while it works.
constexpr std::chrono::milliseconds kWarmUp(20);
constexpr double kTimedTogether = 1000; // us

} // namespace

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 ? values[half]
                           : (values[half - 1] + values[half]) / 2;
}

Device::Device() {
  require(cudaSetDevice(0), "cannot use the GPU");
  require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking),
          "cannot make a stream");
  require(cudaEventCreateWithFlags(&begin_, 0), "cannot make an event");
  require(cudaEventCreateWithFlags(&end_, 0), "cannot make an event");
}

Device::~Device() {
  if (end_)
    cudaEventDestroy(end_);
  if (begin_)
    cudaEventDestroy(begin_);
  if (stream_)
    cudaStreamDestroy(stream_);
}

double Device::warmUp(const Work &work) {
  const Clock::time_point begin = Clock::now();
  Clock::duration taken{};
  int runs = 0;
  do {
    work(stream_);
    require(cudaStreamSynchronize(stream_), "the work failed");
    ++runs;
    taken = Clock::now() - begin;
  } while (taken < kWarmUp);
  return std::chrono::duration<double, std::micro>(taken).count() / runs;
}

double Device::onDevice(int times, const Work &work) {
  // The stream is empty when the clock starts, so that the first run waits for
  // its launch. The others are launched while the GPU works.
  const int runs = std::max(1, int(std::ceil(kTimedTogether / warmUp(work))));
  std::vector<double> values;
  for (int i = 0; i < times; ++i) {
    require(cudaEventRecord(begin_, stream_), "cannot take the time");
    for (int run = 0; run < runs; ++run)
      work(stream_);
    require(cudaEventRecord(end_, stream_), "cannot take the time");
    require(cudaStreamSynchronize(stream_), "the work failed");
    float milliseconds = 0;
    require(cudaEventElapsedTime(&milliseconds, begin_, end_),
            "cannot take the time");
    values.push_back(double(milliseconds) * 1e3 / runs);
  }
  return median(values);
}

double Device::andWait(int times, const Work &work) {
  warmUp(work);
  std::vector<double> values;
  for (int i = 0; i < times; ++i) {
    const Clock::time_point begin = Clock::now();
    work(stream_);
    require(cudaStreamSynchronize(stream_), "the work failed");
    const Clock::duration time = Clock::now() - begin;
    values.push_back(std::chrono::duration<double, std::micro>(time).count());
  }
  return median(values);
}

double Device::graphAndWait(int times, const Work &work) {
  const perf::Graph graph = perf::capture(stream_, [&] { work(stream_); });
  return andWait(times, [&](cudaStream_t stream) {
    require(cudaGraphLaunch(graph.get(), stream), "cannot launch the graph");
  });
}

Memory allocate(size_t bytes, int value) {
  void *memory = nullptr;
  require(cudaMalloc(&memory, bytes), "cannot allocate memory of the GPU");
  Memory owner(memory, cudaFree);
  require(cudaMemset(memory, value, bytes), "cannot write memory of the GPU");
  // A Device's stream does not wait for work in the default stream.
  require(cudaStreamSynchronize(nullptr), "cannot write memory of the GPU");
  return owner;
}

CopyTimes timeCopies(Device &device, size_t bytes) {
  constexpr int kTimes = 15;
  const Memory from = allocate(bytes), to = allocate(bytes);
  CopyTimes times;
  times.memcpy = device.onDevice(kTimes, [&](cudaStream_t stream) {
    require(cudaMemcpyAsync(to.get(), from.get(), bytes,
                            cudaMemcpyDeviceToDevice, stream),
            "cannot copy");
  });
  times.kernel = std::numeric_limits<double>::infinity();
  for (uint32_t blocksEach : {1, 2, 4, 8, 16})
    times.kernel = std::min(
        times.kernel, device.onDevice(kTimes, [&](cudaStream_t stream) {
          require(launchCopy(to.get(), from.get(), bytes, blocksEach, stream),
                  "cannot start the copy kernel");
        }));
  return times;
}

} // namespace blink::gpubench
