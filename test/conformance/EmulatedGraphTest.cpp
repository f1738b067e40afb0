//===- EmulatedGraphTest.cpp - graphs of emulated streams -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The emulation's graphs behave like CUDA's as far as the back end relies on
// them: each stream is captured on its own, and their branches run in parallel.
//
//===----------------------------------------------------------------------===//

#include "test/emulation/CudaRuntime.h"

#include "doctest/doctest.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

using namespace blink::test;

namespace {

struct Streams {
  cudaStream_t first = nullptr, second = nullptr;
  cudaEvent_t fork = nullptr, join = nullptr;

  Streams() {
    for (cudaStream_t *stream : {&first, &second})
      REQUIRE(cudaStreamCreate(stream) == cudaSuccess);
    for (cudaEvent_t *event : {&fork, &join})
      REQUIRE(cudaEventCreateWithFlags(event, 0) == cudaSuccess);
  }
  ~Streams() {
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    cudaEventDestroy(fork);
    cudaEventDestroy(join);
  }

  void begin() const {
    REQUIRE(cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed) ==
            cudaSuccess);
  }
  /// Makes `to` wait for the work now in `from`.
  void order(cudaEvent_t event, cudaStream_t from, cudaStream_t to) const {
    REQUIRE(cudaEventRecord(event, from) == cudaSuccess);
    REQUIRE(cudaStreamWaitEvent(to, event, 0) == cudaSuccess);
  }
  /// Ends the capture and runs the captured graph `times` times.
  void finish(int times) const {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    REQUIRE(cudaStreamEndCapture(first, &graph) == cudaSuccess);
    REQUIRE(cudaGraphInstantiateWithFlags(&exec, graph, 0) == cudaSuccess);
    cudaGraphDestroy(graph);
    for (int i = 0; i < times; ++i)
      REQUIRE(cudaGraphLaunch(exec, first) == cudaSuccess);
    REQUIRE(cudaStreamSynchronize(first) == cudaSuccess);
    cudaGraphExecDestroy(exec);
  }
};

/// A meeting point of two: come() returns when two callers have come.
class Meeting {
public:
  void come() {
    std::unique_lock<std::mutex> lock(mutex_);
    const int round = come_++ / 2;
    changed_.notify_all();
    changed_.wait(lock, [&] { return come_ >= 2 * (round + 1); });
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int come_ = 0;
};

} // namespace

TEST_CASE("branches of a graph may wait for each other") {
  Streams streams;
  Meeting meeting;
  streams.begin();
  streams.order(streams.fork, streams.first, streams.second);
  for (int call = 0; call < 3; ++call) {
    // Launches kernels as a thread that drives several ranks does.
    enqueue(streams.first, [&] { meeting.come(); });
    enqueue(streams.second, [&] { meeting.come(); });
  }
  streams.order(streams.join, streams.second, streams.first);
  streams.finish(4);
}

TEST_CASE("events order the branches of a graph, each time it is launched") {
  Streams streams;
  std::mutex mutex;
  std::string order;
  auto note = [&](char letter) {
    return [&, letter] {
      std::lock_guard<std::mutex> lock(mutex);
      order += letter;
    };
  };
  streams.begin();
  enqueue(streams.first, note('a'));
  streams.order(streams.fork, streams.first, streams.second);
  enqueue(streams.second, note('b'));
  enqueue(streams.second, note('c'));
  streams.order(streams.join, streams.second, streams.first);
  enqueue(streams.first, note('d'));
  CHECK(order.empty());
  streams.finish(3);
  CHECK(order == "abcdabcdabcd");
  // The streams no longer capture.
  enqueue(streams.second, note('e'));
  CHECK(cudaStreamSynchronize(streams.second) == cudaSuccess);
  CHECK(order.back() == 'e');
}

TEST_CASE("captures that CUDA refuses are refused") {
  Streams streams;
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeRelaxed) ==
        cudaErrorStreamCaptureUnsupported);
  // A stream that does not rejoin the capture's first stream.
  streams.begin();
  streams.order(streams.fork, streams.first, streams.second);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  CHECK(cudaStreamIsCapturing(streams.second, &status) == cudaSuccess);
  CHECK(status == cudaStreamCaptureStatusActive);
  CHECK(cudaStreamSynchronize(streams.second) ==
        cudaErrorStreamCaptureUnsupported);
  enqueue(streams.second, [] {});
  CHECK(cudaStreamEndCapture(streams.first, &graph) ==
        cudaErrorStreamCaptureUnjoined);
  CHECK(graph == nullptr);
  CHECK(cudaStreamIsCapturing(streams.second, &status) == cudaSuccess);
  CHECK(status == cudaStreamCaptureStatusNone);
  // An event of the invalid capture cannot be waited for, nor can an event of
  // no capture in the next one.
  CHECK(cudaStreamWaitEvent(streams.second, streams.fork, 0) ==
        cudaErrorStreamCaptureIsolation);
  CHECK(cudaEventRecord(streams.fork, streams.second) == cudaSuccess);
  streams.begin();
  CHECK(cudaStreamWaitEvent(streams.first, streams.fork, 0) ==
        cudaErrorStreamCaptureIsolation);
  streams.finish(1);
}

TEST_CASE("who waits for an event waits for the record of then") {
  Streams streams;
  cudaStream_t third = nullptr;
  REQUIRE(cudaStreamCreate(&third) == cudaSuccess);
  std::atomic<bool> firstIsDone{false}, thirdRan{false};
  bool early = false;
  enqueue(streams.first, [&] {
    // This gives the other streams every chance to run too early.
    for (int turn = 0; turn < 2000 && !thirdRan; ++turn)
      std::this_thread::yield();
    firstIsDone = true;
  });
  CHECK(cudaEventRecord(streams.fork, streams.first) == cudaSuccess);
  CHECK(cudaStreamWaitEvent(third, streams.fork, 0) == cudaSuccess);
  enqueue(third, [&] {
    early = !firstIsDone;
    thirdRan = true;
  });
  // The second stream has nothing to do, so this record is reached at once.
  CHECK(cudaEventRecord(streams.fork, streams.second) == cudaSuccess);
  CHECK(cudaStreamSynchronize(third) == cudaSuccess);
  CHECK(!early);
  CHECK(cudaStreamDestroy(third) == cudaSuccess);
}
