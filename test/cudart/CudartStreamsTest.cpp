//===- CudartStreamsTest.cpp - emulated streams, through CUDA's ABI -------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "doctest/doctest.h"

#include <atomic>
#include <cuda_runtime.h>
#include <future>

namespace {

/// Work in a stream that ends when the test opens the gate.
struct Gate {
  std::promise<void> opened;
  std::shared_future<void> wait = opened.get_future().share();

  cudaError_t putInto(cudaStream_t stream) {
    return cudaLaunchHostFunc(
        stream, [](void *gate) { static_cast<Gate *>(gate)->wait.wait(); },
        this);
  }
  void open() { opened.set_value(); }
};

} // namespace

TEST_CASE("streams and events are not ready until they are") {
  cudaStream_t stream = nullptr;
  cudaEvent_t before = nullptr, event = nullptr, silent = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) ==
          cudaSuccess);
  REQUIRE(cudaEventCreate(&before) == cudaSuccess);
  REQUIRE(cudaEventCreate(&event) == cudaSuccess);
  REQUIRE(cudaEventCreateWithFlags(&silent, cudaEventDisableTiming) ==
          cudaSuccess);
  CHECK(cudaEventQuery(event) == cudaSuccess); // it was never recorded
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, before, event) ==
        cudaErrorInvalidResourceHandle);
  CHECK(cudaEventRecord(before, stream) == cudaSuccess);
  Gate gate;
  CHECK(gate.putInto(stream) == cudaSuccess);
  CHECK(cudaEventRecord(event, stream) == cudaSuccess);
  CHECK(cudaEventRecord(silent, stream) == cudaSuccess);
  CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);
  CHECK(cudaEventQuery(event) == cudaErrorNotReady);
  CHECK(cudaEventElapsedTime(&milliseconds, before, event) ==
        cudaErrorNotReady);
  CHECK(cudaStreamQuery(nullptr) == cudaSuccess); // does not wait for it
  gate.open();
  CHECK(cudaEventSynchronize(event) == cudaSuccess);
  CHECK(cudaEventQuery(event) == cudaSuccess);
  CHECK(cudaEventElapsedTime(&milliseconds, before, event) == cudaSuccess);
  CHECK(milliseconds >= 0);
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(cudaStreamQuery(stream) == cudaSuccess);
  CHECK(cudaEventElapsedTime(&milliseconds, before, silent) ==
        cudaErrorInvalidResourceHandle);
  for (cudaEvent_t one : {before, event, silent})
    CHECK(cudaEventDestroy(one) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
  cudaGetLastError();
}

TEST_CASE("a device is done when all of its streams are") {
  std::atomic<int> done{0};
  cudaStream_t streams[3] = {};
  Gate gates[3];
  for (int i = 0; i < 3; ++i) {
    REQUIRE(cudaStreamCreateWithFlags(
                &streams[i], i == 0 ? cudaStreamDefault
                                    : cudaStreamNonBlocking) == cudaSuccess);
    CHECK(gates[i].putInto(streams[i]) == cudaSuccess);
    CHECK(cudaLaunchHostFunc(
              streams[i],
              [](void *number) { ++*static_cast<std::atomic<int> *>(number); },
              &done) == cudaSuccess);
  }
  // The default stream waits for blocking streams.
  CHECK(cudaStreamQuery(nullptr) == cudaErrorNotReady);
  for (Gate &gate : gates)
    gate.open();
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(done == 3);
  for (cudaStream_t stream : streams)
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
  cudaGetLastError();
}

TEST_CASE("functions of the host's may not call CUDA") {
  cudaError_t error = cudaSuccess;
  CHECK(cudaLaunchHostFunc(
            nullptr,
            [](void *result) {
              *static_cast<cudaError_t *>(result) = cudaDeviceSynchronize();
            },
            &error) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(error == cudaErrorNotPermitted);
}

TEST_CASE("a capture forbids what it cannot have, and its graph runs again") {
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) ==
          cudaSuccess);
  cudaGraph_t graph = nullptr;
  for (auto spoil : {+[] { return cudaDeviceSynchronize(); },
                     +[] {
                       void *memory;
                       return cudaMalloc(&memory, 1);
                     }}) {
    REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) ==
            cudaSuccess);
    CHECK(spoil() == cudaErrorStreamCaptureUnsupported);
    CHECK(cudaStreamEndCapture(stream, &graph) ==
          cudaErrorStreamCaptureInvalidated);
  }
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed) ==
          cudaSuccess);
  CHECK(cudaStreamQuery(stream) == cudaErrorStreamCaptureUnsupported);
  CHECK(cudaStreamEndCapture(stream, &graph) ==
        cudaErrorStreamCaptureInvalidated);

  std::atomic<int> runs{0};
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) ==
          cudaSuccess);
  CHECK(cudaLaunchHostFunc(
            stream,
            [](void *number) { ++*static_cast<std::atomic<int> *>(number); },
            &runs) == cudaSuccess);
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  CHECK(runs == 0);
  cudaGraphExec_t exec = nullptr;
  CHECK(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  for (int i = 0; i < 3; ++i)
    CHECK(cudaGraphLaunch(exec, stream) == cudaSuccess);
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(runs == 3);
  CHECK(cudaGraphExecDestroy(exec) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
  cudaGetLastError();
}
