//===- TwoCallsTest.cpp - calls that run at the same time -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Calls of a communicator follow each other, in whatever streams they are.
// Captured calls run when the program launches their graphs. If two run at the
// same time, the lanes detect it. Runs on emulated devices, where a test can
// hold a lane.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/Launch.h"
#include "test/conformance/Job.h"
#include "test/emulation/Emulation.h"

#include "doctest/doctest.h"

#include <condition_variable>
#include <cuda_runtime_api.h>
#include <mutex>

using namespace blink;
using namespace blink::test;
using runtime::Launch;

namespace {

/// The first call is held after it has taken its lane, until letGo is set.
std::mutex callMutex;
std::condition_variable changed;
const void *heldOutput;
bool held, letGo;

void holdHook(const Launch &launch, unsigned block, unsigned thread,
              unsigned barrier) {
  // The poster takes the lane before its second barrier.
  if (launch.ranks[0].recv != heldOutput || block != 0 ||
      thread != kEmulatedPoster || barrier != 1)
    return;
  std::unique_lock<std::mutex> lock(callMutex);
  held = true;
  changed.notify_all();
  changed.wait(lock, [] { return letGo; });
}

/// A graph of one call by both ranks, and a stream for it.
struct Graph {
  std::vector<RankBuffers> buffers;
  cudaStream_t stream = nullptr;
  cudaGraphExec_t exec = nullptr;

  Graph(const Job &job, const Case &c) {
    REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
    for (int rank : {0, 1})
      buffers.emplace_back(c, 2, rank);
    REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed) ==
            cudaSuccess);
    CHECK(job.inGroup([&](int rank) {
      return call(c, buffers[size_t(rank)].send(), buffers[size_t(rank)].recv(),
                  job[rank], stream);
    }) == blinkSuccess);
    cudaGraph_t graph = nullptr;
    REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    REQUIRE(cudaGraphInstantiateWithFlags(&exec, graph, 0) == cudaSuccess);
    cudaGraphDestroy(graph);
  }
  ~Graph() {
    cudaGraphExecDestroy(exec);
    cudaStreamDestroy(stream);
  }
};

} // namespace

TEST_CASE("graphs of one communicator that run at the same time are refused") {
  emulatedMachine = {};
  emulatedMachine.devices = 1;
  {
    Job job(makeSchedule(Collective::allreduce, 0, 2, {}), 2, 20000);
    Case c;
    c.count = 100;
    Graph first(job, c), second(job, c);
    // Running the graphs one after the other is allowed.
    for (Graph *graph : {&first, &second}) {
      REQUIRE(cudaGraphLaunch(graph->exec, graph->stream) == cudaSuccess);
      REQUIRE(cudaStreamSynchronize(graph->stream) == cudaSuccess);
      for (RankBuffers &one : graph->buffers)
        CHECK(one.check() == "");
    }
    heldOutput = first.buffers[0].recv();
    held = letGo = false;
    const LaneHookScope hook(holdHook);
    REQUIRE(cudaGraphLaunch(first.exec, first.stream) == cudaSuccess);
    {
      std::unique_lock<std::mutex> lock(callMutex);
      changed.wait(lock, [] { return held; });
    }
    REQUIRE(cudaGraphLaunch(second.exec, second.stream) == cudaSuccess);
    REQUIRE(cudaStreamSynchronize(second.stream) == cudaSuccess);
    {
      std::unique_lock<std::mutex> lock(callMutex);
      letGo = true;
      changed.notify_all();
    }
    REQUIRE(cudaStreamSynchronize(first.stream) == cudaSuccess);
    blinkResult_t state = blinkSuccess;
    CHECK(blinkCommGetAsyncError(job[0], &state) == blinkSuccess);
    CHECK(state == blinkInvalidUsage);
    float value = 0;
    blinkAllReduce(&value, &value, 1, blinkFloat32, blinkSum, job[0], nullptr);
    const std::string text = blinkGetLastError(job[0]);
    CAPTURE(text);
    CHECK(text.find("of the same communicator was running") !=
          std::string::npos);
  }
  emulatedMachine = {};
}
