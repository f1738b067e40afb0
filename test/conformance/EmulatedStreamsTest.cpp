//===- EmulatedStreamsTest.cpp - streams, as strict as CUDA's -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Checks that emulated streams are no more lenient than CUDA's, and how the
// back end behaves on them.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/Comm.h"
#include "test/conformance/Floats.h"
#include "test/conformance/Job.h"
#include "test/conformance/Latches.h"
#include "test/emulation/CudaRuntime.h"
#include "test/emulation/Emulation.h"
#include "test/emulation/Failures.h"

#include "doctest/doctest.h"

#include <atomic>
#include <chrono>
#include <deque>
#include <future>
#include <string>
#include <thread>

using namespace blink;
using namespace blink::test;

namespace {

/// Work that ends when the test opens the gate.
class Gate {
public:
  std::function<void()> wait() const {
    return [opened = opened_] { opened.wait(); };
  }
  void open() { open_.set_value(); }

private:
  std::promise<void> open_;
  std::shared_future<void> opened_ = open_.get_future().share();
};

cudaStream_t makeStream(unsigned flags = cudaStreamDefault) {
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, flags) == cudaSuccess);
  return stream;
}

} // namespace

TEST_CASE("the default stream and blocking ones wait for each other") {
  emulatedMachine = {};
  REQUIRE(cudaSetDevice(0) == cudaSuccess);
  const cudaStream_t blocking = makeStream(), other = makeStream(),
                     free = makeStream(cudaStreamNonBlocking);
  std::string order;
  Gate gate;
  enqueue(blocking, gate.wait());
  enqueue(blocking, [&] { order += 'a'; });
  enqueue(nullptr, [&] { order += 'b'; });
  enqueue(other, [&] { order += 'c'; });
  std::promise<void> ran;
  enqueue(free, [&] { ran.set_value(); });
  ran.get_future().wait();
  CHECK(order == "");
  gate.open();
  CHECK(cudaStreamSynchronize(other) == cudaSuccess);
  CHECK(order == "abc");
  for (cudaStream_t stream : {blocking, other, free})
    cudaStreamDestroy(stream);
}

TEST_CASE("a handle is not a stream") {
  emulatedMachine = {};
  REQUIRE(cudaSetDevice(0) == cudaSuccess);
  const cudaStream_t first = makeStream(cudaStreamNonBlocking);
  Gate gate;
  std::promise<void> ran;
  enqueue(first, gate.wait());
  CHECK(cudaStreamDestroy(first) == cudaSuccess); // does not wait
  const cudaStream_t second = makeStream(cudaStreamNonBlocking);
  CHECK(first == second);
  enqueue(second, [&] { ran.set_value(); });
  ran.get_future().wait();
  // Each thread has its own per-thread default stream.
  std::promise<void> here;
  std::thread([&] { enqueue(cudaStreamPerThread, gate.wait()); }).join();
  enqueue(cudaStreamPerThread, [&] { here.set_value(); });
  here.get_future().wait();
  gate.open();
  cudaStreamDestroy(second);
}

TEST_CASE("captures in global mode forbid others unsafe calls") {
  emulatedMachine = {};
  REQUIRE(cudaSetDevice(0) == cudaSuccess);
  const cudaStream_t stream = makeStream(cudaStreamNonBlocking),
                     blocking = makeStream();
  cudaGraph_t graph = nullptr;
  const auto spoils = [&](cudaStream_t captured, cudaStreamCaptureMode mode,
                          const std::function<void()> &call) {
    REQUIRE(cudaStreamBeginCapture(captured, mode) == cudaSuccess);
    std::thread(call).join();
    const cudaError_t error = cudaStreamEndCapture(captured, &graph);
    cudaGraphDestroy(graph);
    return error == cudaErrorStreamCaptureInvalidated;
  };
  const auto allocate = [] {
    void *memory = nullptr;
    cudaMalloc(&memory, 1);
    cudaFree(memory);
  };
  CHECK(spoils(stream, cudaStreamCaptureModeGlobal, allocate));
  CHECK(!spoils(stream, cudaStreamCaptureModeThreadLocal, allocate));
  CHECK(!spoils(stream, cudaStreamCaptureModeRelaxed, allocate));
  for (cudaStreamCaptureMode own :
       {cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed})
    CHECK(!spoils(stream, cudaStreamCaptureModeGlobal, [&] {
      cudaStreamCaptureMode mode = own;
      cudaThreadExchangeStreamCaptureMode(&mode);
      CHECK(mode == cudaStreamCaptureModeGlobal);
      allocate();
    }));
  // The default stream would wait for the captured work, in any mode.
  void *word = nullptr;
  REQUIRE(cudaMalloc(&word, sizeof(int)) == cudaSuccess);
  const auto clear = [&] {
    cudaMemsetAsync(word, 0, sizeof(int), cudaStreamLegacy);
  };
  CHECK(spoils(blocking, cudaStreamCaptureModeRelaxed, clear));
  CHECK(!spoils(stream, cudaStreamCaptureModeRelaxed, clear));
  cudaStreamSynchronize(nullptr);
  cudaFree(word);
  cudaStreamDestroy(stream);
  cudaStreamDestroy(blocking);
}

namespace {

/// Two ranks and the values that they sum up in place: 1 and 2.
struct Sum {
  Floats values[2] = {Floats(100), Floats(100)};
  Job job; // waits for its kernels before the values are destroyed

  explicit Sum(int timeoutMs = 0)
      : job(makeSchedule(Collective::allreduce, 0, 2, {}), 2, timeoutMs) {
    for (int rank : {0, 1}) {
      values[rank].host.assign(100, rank + 1.0f);
      values[rank].upload();
    }
  }
  blinkResult_t call(int rank, cudaStream_t stream) {
    float *data = values[rank].memory;
    return blinkAllReduce(data, data, 100, blinkFloat32, blinkSum, job[rank],
                          reinterpret_cast<blinkStream_t>(stream));
  }
  blinkResult_t inGroup(cudaStream_t first, cudaStream_t second) {
    blinkGroupStart();
    call(0, first);
    call(1, second);
    return blinkGroupEnd();
  }
  cudaStream_t stream(int rank) const {
    return reinterpret_cast<cudaStream_t>(job.stream(rank));
  }
  /// Waits for both calls and returns the value of all elements of both ranks.
  float result() {
    for (int rank : {0, 1}) {
      Floats &one = values[rank];
      CHECK(cudaStreamSynchronize(stream(rank)) == cudaSuccess);
      one.download();
      CHECK(one.host == std::vector<float>(100, values[0].host[0]));
    }
    return values[0].host[0];
  }
};

} // namespace

TEST_CASE("kernels follow each other in streams with the same handle") {
  emulatedMachine = {};
  emulatedMachine.devices = 1;
  for (bool destroyed : {false, true}) {
    CAPTURE(destroyed);
    Sum sum;
    // A kernel waits behind a gate. Another kernel follows in a different
    // stream with the same handle; 50 ms would be more than enough for it to
    // run too early.
    Gate gate;
    if (destroyed) {
      const cudaStream_t first = makeStream(cudaStreamNonBlocking);
      enqueue(first, gate.wait());
      CHECK(sum.inGroup(first, first) == blinkSuccess);
      cudaStreamDestroy(first);
      const cudaStream_t second = makeStream(cudaStreamNonBlocking);
      REQUIRE(first == second);
      CHECK(sum.inGroup(second, second) == blinkSuccess);
      std::promise<void> early;
      enqueue(second, [&] { early.set_value(); });
      CHECK(early.get_future().wait_for(std::chrono::milliseconds(50)) ==
            std::future_status::timeout);
      gate.open();
      CHECK(cudaStreamSynchronize(second) == cudaSuccess);
      cudaStreamDestroy(second);
    } else {
      std::thread([&] {
        enqueue(cudaStreamPerThread, gate.wait());
        CHECK(sum.inGroup(cudaStreamPerThread, cudaStreamPerThread) ==
              blinkSuccess);
      }).join();
      CHECK(sum.inGroup(cudaStreamPerThread, cudaStreamPerThread) ==
            blinkSuccess);
      std::promise<void> early;
      enqueue(cudaStreamPerThread, [&] { early.set_value(); });
      CHECK(early.get_future().wait_for(std::chrono::milliseconds(50)) ==
            std::future_status::timeout);
      gate.open();
      CHECK(cudaStreamSynchronize(cudaStreamPerThread) == cudaSuccess);
    }
    CHECK(sum.result() == 6);
  }
  emulatedMachine = {};
}

TEST_CASE("nothing waits for what the default streams are busy with") {
  emulatedMachine = {};
  Floats values[2] = {Floats(100), Floats(100)};
  cudaStream_t streams[2];
  Gate gate;
  for (int rank : {0, 1}) {
    useDeviceOf(rank);
    values[rank].host.assign(100, rank + 1.0f);
    values[rank].upload();
    streams[rank] = makeStream(cudaStreamNonBlocking);
    enqueue(nullptr, gate.wait());
  }
  std::unique_ptr<Job> job;
  std::promise<void> done;
  std::thread program([&] {
    job =
        std::make_unique<Job>(makeSchedule(Collective::allreduce, 0, 2, {}), 2);
    for (int rank : {0, 1}) {
      void *handle = nullptr;
      useDeviceOf(rank);
      CHECK(blinkCommRegister((*job)[rank], values[rank].memory,
                              values[rank].bytes(), &handle) == blinkSuccess);
    }
    blinkGroupStart();
    for (int rank : {0, 1})
      CHECK(blinkAllReduce(values[rank].memory, values[rank].memory, 100,
                           blinkFloat32, blinkSum, (*job)[rank],
                           reinterpret_cast<blinkStream_t>(streams[rank])) ==
            blinkSuccess);
    CHECK(blinkGroupEnd() == blinkSuccess);
    for (cudaStream_t stream : streams)
      CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    done.set_value();
  });
  // If the job waited for the gate, no time would be enough.
  CHECK(done.get_future().wait_for(std::chrono::seconds(60)) ==
        std::future_status::ready);
  gate.open();
  program.join();
  for (int rank : {0, 1}) {
    values[rank].download();
    CHECK(values[rank].host == std::vector<float>(100, 3));
    cudaStreamDestroy(streams[rank]);
  }
}

TEST_CASE("a launch that fails on one device ends those of others at once") {
  emulatedMachine = {};
  const auto state = [](const Sum &sum) {
    blinkResult_t state = blinkSuccess;
    blinkCommGetAsyncError(sum.job[0], &state);
    return state;
  };
  for (const char *call : {"cudaLaunchKernel", "cudaEventRecord"}) {
    CAPTURE(call);
    Sum sum(20000);
    CHECK(sum.inGroup(sum.stream(0), sum.stream(1)) == blinkSuccess);
    CHECK(sum.result() == 3);
    const auto begin = std::chrono::steady_clock::now();
    failCall(call, 0, cudaErrorLaunchFailure, 1);
    CHECK(sum.inGroup(sum.stream(0), sum.stream(1)) == blinkUnhandledCudaError);
    CHECK(failuresLeft() == 0);
    CHECK(state(sum) == blinkUnhandledCudaError);
    useDeviceOf(0);
    CHECK(cudaStreamSynchronize(sum.stream(0)) == cudaSuccess);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
  }
  // Each rank's own call launches its kernel: the other kernel may be running
  // already, so the job fails.
  Sum sum(20000);
  CHECK(sum.call(0, sum.stream(0)) == blinkSuccess);
  failCall("cudaLaunchKernel", 0, cudaErrorLaunchFailure, 1);
  CHECK(sum.call(1, sum.stream(1)) == blinkUnhandledCudaError);
  CHECK(state(sum) == blinkUnhandledCudaError);
  // In a group nothing has started yet, so the job can still be used.
  Sum other;
  failCall("cudaLaunchKernel", 0, cudaErrorLaunchFailure, 0);
  CHECK(other.inGroup(other.stream(0), other.stream(1)) ==
        blinkUnhandledCudaError);
  CHECK(state(other) == blinkSuccess);
  CHECK(other.inGroup(other.stream(0), other.stream(1)) == blinkSuccess);
  CHECK(other.result() == 3);
}

TEST_CASE("a launch of messages that fails on one device does, too") {
  emulatedMachine = {};
  Floats sent(100), received(100);
  for (int device : {0, 1}) {
    CAPTURE(device);
    const Job job(makeSchedule(Collective::sendrecv, 0, 2, {}), 2, 20000);
    const auto exchange = [&] {
      blinkGroupStart();
      useDeviceOf(0);
      blinkSend(sent.memory, 100, blinkFloat32, 1, job[0], job.stream(0));
      useDeviceOf(1);
      blinkRecv(received.memory, 100, blinkFloat32, 0, job[1], job.stream(1));
      return blinkGroupEnd();
    };
    failCall("cudaLaunchKernel", 0, cudaErrorLaunchFailure, device);
    CHECK(exchange() == blinkUnhandledCudaError);
    CHECK(failuresLeft() == 0);
    // Unless a kernel waits for the one that has failed, the job goes on.
    CHECK(exchange() == (device == 0 ? blinkSuccess : blinkUnhandledCudaError));
    for (int rank : {0, 1}) {
      useDeviceOf(rank);
      CHECK(cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(
                job.stream(rank))) == cudaSuccess);
    }
  }
}

TEST_CASE("a device that is lost ends the job, and destroying returns") {
  emulatedMachine = {};
  {
    Sum sum(20000);
    CHECK(sum.inGroup(sum.stream(0), sum.stream(1)) == blinkSuccess);
    CHECK(sum.result() == 3);
    breakDevice(1);
    CHECK(sum.inGroup(sum.stream(0), sum.stream(1)) == blinkUnhandledCudaError);
    CHECK(sum.call(0, sum.stream(0)) == blinkUnhandledCudaError);
    for (int rank : {0, 1})
      CHECK(blinkCommDestroy(sum.job.release(rank)) == blinkSuccess);
    mendDevice(1);
  }
}

TEST_CASE("streams of ranks on one device are ordered with few calls") {
  emulatedMachine = {};
  emulatedMachine.devices = 1;
  constexpr int kRanks = 8;
  Job job(makeSchedule(Collective::allreduce, 0, kRanks, {}), kRanks);
  Case c;
  c.count = 100;
  REQUIRE(runCase(job, c) == ""); // now there is a previous launch
  const auto calls = [] {
    return numCalls("cudaEventRecord") + numCalls("cudaStreamWaitEvent");
  };
  const uint64_t before = calls();
  REQUIRE(runCase(job, c) == "");
  // Seven other streams: into the launch's stream, each needs a record and a
  // wait; out of it, a wait. The launch adds its own record and a wait for the
  // last launch.
  CHECK(calls() - before == 7 * 2 + 7 + 1 + 1);
  emulatedMachine = {};
}

TEST_CASE("a kernel whose blocks have no room together does not end") {
  emulatedMachine = {};
  emulatedMachine.devices = 1;
  {
    Sum sum(300);
    emulatedMachine.residentLanes = 1; // the back end believes in more
    CHECK(sum.inGroup(sum.stream(0), sum.stream(1)) == blinkSuccess);
    CHECK(cudaStreamSynchronize(sum.stream(0)) == cudaSuccess);
    blinkResult_t state = blinkSuccess;
    blinkCommGetAsyncError(sum.job[0], &state);
    CHECK(state == blinkRemoteError);
  }
  emulatedMachine = {};
}

TEST_CASE("a communicator is destroyed when its calls in streams are done") {
  Job job(makeSchedule(Collective::allreduce, 0, 2, {}), 2, 20000);
  Case c;
  c.count = 1000;
  const RankBuffers first(c, 2, 0), second(c, 2, 1);
  const auto sum = [&](int rank, const RankBuffers &buffers) {
    useDeviceOf(rank);
    return blinkAllReduce(buffers.send(), buffers.recv(), c.count, blinkFloat32,
                          blinkSum, job[rank], job.stream(rank));
  };
  REQUIRE(sum(0, first) == blinkSuccess);
  blinkResult_t destroyed = blinkInProgress;
  std::thread ending([&] { destroyed = blinkCommDestroy(job.release(0)); });
  // If rank 0 left now, rank 1 could not call any more.
  CHECK_FALSE(waitUntil([&] { return job[1]->backend->job().detached(0); },
                        std::chrono::milliseconds(50)));
  CHECK(sum(1, second) == blinkSuccess);
  ending.join();
  CHECK(destroyed == blinkSuccess);
  CHECK(blinkCommFinalize(job[1]) == blinkSuccess);
}

TEST_CASE("deregistering waits for the rank's calls in streams") {
  emulatedMachine = {};
  emulatedMachine.devices = 2;
  const Job job(makeSchedule(Collective::allreduce, 0, 2, {}), 2, 20000);
  Case c;
  c.count = 1000;
  const RankBuffers buffers[] = {{c, 2, 0}, {c, 2, 1}};
  void *handle = nullptr;
  useDeviceOf(0);
  REQUIRE(blinkCommRegister(job[0], buffers[0].recv(), 4000, &handle) ==
          blinkSuccess);
  Gate gate;
  useDeviceOf(1);
  enqueue(reinterpret_cast<cudaStream_t>(job.stream(1)), gate.wait());
  blinkGroupStart();
  for (int rank : {0, 1})
    blinkAllReduce(buffers[rank].send(), buffers[rank].recv(), c.count,
                   blinkFloat32, blinkSum, job[rank], job.stream(rank));
  REQUIRE(blinkGroupEnd() == blinkSuccess);
  std::atomic<bool> isOver{false};
  std::thread deregistering([&] {
    CHECK(blinkCommDeregister(job[0], handle) == blinkSuccess);
    isOver = true;
  });
  CHECK_FALSE(
      waitUntil([&] { return isOver.load(); }, std::chrono::milliseconds(50)));
  gate.open();
  deregistering.join();
  emulatedMachine = {};
}

TEST_CASE("one captured stream of several takes the launch into its graph") {
  emulatedMachine = {};
  emulatedMachine.devices = 1;
  const Job job(makeSchedule(Collective::allreduce, 0, 2, {}), 2, 20000);
  Case c;
  c.count = 100;
  const RankBuffers buffers[] = {{c, 2, 0}, {c, 2, 1}};
  const auto sum = [&] {
    return job.inGroup([&](int rank) {
      return blinkAllReduce(buffers[rank].send(), buffers[rank].recv(), c.count,
                            blinkFloat32, blinkSum, job[rank],
                            job.stream(rank));
    });
  };
  useDeviceOf(0);
  CHECK(sum() == blinkSuccess);
  const auto second = reinterpret_cast<cudaStream_t>(job.stream(1));
  REQUIRE(cudaStreamBeginCapture(second, cudaStreamCaptureModeRelaxed) ==
          cudaSuccess);
  // It joins the first stream to the capture, which therefore does not end.
  static_cast<void>(sum());
  cudaGraph_t graph = nullptr;
  cudaStreamEndCapture(second, &graph);
  cudaGraphDestroy(graph);
  CHECK(sum() == blinkSuccess);
  for (int rank : {0, 1})
    CHECK(cudaStreamSynchronize(
              reinterpret_cast<cudaStream_t>(job.stream(rank))) == cudaSuccess);
  emulatedMachine = {};
}

TEST_CASE("messages beside collectives work while others are captured") {
  emulatedMachine = {};
  emulatedMachine.devices = 2;
  TestSchedule model = makeSchedule(Collective::allreduce, 0, 2, {});
  model.programs.push_back(
      makeSchedule(Collective::sendrecv, 0, 2, {}).programs[0]);
  const Job job(model, 2, 20000);
  std::deque<Floats> mine;
  for (int buffer = 0; buffer < 6; ++buffer) {
    useDeviceOf(buffer % 2);
    mine.emplace_back(100);
    mine.back().host.assign(100, float(1 + buffer % 2));
    mine.back().upload();
  }
  // Buffers of a rank: what it gives, its sum, what it receives.
  const auto group = [&](int rank, cudaStream_t stream) {
    const auto own = reinterpret_cast<blinkStream_t>(stream);
    float *const memory[] = {mine[size_t(rank)].memory,
                             mine[size_t(2 + rank)].memory,
                             mine[size_t(4 + rank)].memory};
    useDeviceOf(rank);
    blinkGroupStart();
    blinkSend(memory[0], 100, blinkFloat32, 1 - rank, job[rank], own);
    blinkAllReduce(memory[0], memory[1], 100, blinkFloat32, blinkSum, job[rank],
                   own);
    blinkRecv(memory[2], 100, blinkFloat32, 1 - rank, job[rank], own);
    return blinkGroupEnd();
  };
  useDeviceOf(0);
  const cudaStream_t captured = makeStream(cudaStreamNonBlocking);
  REQUIRE(cudaStreamBeginCapture(captured, cudaStreamCaptureModeRelaxed) ==
          cudaSuccess);
  CHECK(group(0, captured) == blinkSuccess);
  const auto streamOf = [&](int rank) {
    return reinterpret_cast<cudaStream_t>(job.stream(rank));
  };
  CHECK(group(0, streamOf(0)) == blinkSuccess);
  CHECK(group(1, streamOf(1)) == blinkSuccess);
  cudaGraph_t graph = nullptr;
  useDeviceOf(0);
  CHECK(cudaStreamEndCapture(captured, &graph) == cudaSuccess);
  cudaGraphDestroy(graph);
  for (int rank : {0, 1}) {
    useDeviceOf(rank);
    CHECK(cudaStreamSynchronize(streamOf(rank)) == cudaSuccess);
    mine[size_t(2 + rank)].download();
    mine[size_t(4 + rank)].download();
    CHECK(mine[size_t(2 + rank)].host == std::vector<float>(100, 3));
    CHECK(mine[size_t(4 + rank)].host ==
          std::vector<float>(100, float(2 - rank)));
  }
  useDeviceOf(0);
  cudaStreamDestroy(captured);
  emulatedMachine = {};
}
