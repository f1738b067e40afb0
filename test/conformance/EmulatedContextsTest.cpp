//===- EmulatedContextsTest.cpp - side effects on devices -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A context takes half a gigabyte of a GPU's memory, so ranks must create
// contexts on their own devices only. What ranks do there must not invalidate
// captures of others.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/LeftMemory.h"
#include "test/conformance/Floats.h"
#include "test/conformance/Workers.h"
#include "test/emulation/Emulation.h"

#include "doctest/doctest.h"

#include <cuda_runtime_api.h>
#include <functional>
#include <future>
#include <thread>

using namespace blink;
using namespace blink::test;

namespace {

/// Runs `body` on a thread that has not set a device. Its current device is
/// that of a program that leaves devices to the library.
void onFreshThread(const std::function<void()> &body) {
  std::thread(body).join();
}

/// A stream and a buffer of a device, made by a thread that has set it.
struct OnDevice {
  cudaStream_t stream = nullptr;
  std::unique_ptr<Floats> data;

  explicit OnDevice(int device) {
    onFreshThread([&] {
      REQUIRE(cudaSetDevice(device) == cudaSuccess);
      REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
      data = std::make_unique<Floats>(100);
      data->upload();
    });
  }
  /// Frees both, also on such a thread.
  void release(int device) {
    onFreshThread([&] {
      cudaSetDevice(device);
      cudaStreamSynchronize(stream);
      cudaStreamDestroy(stream);
      data.reset();
    });
  }
  blinkResult_t sum(blinkComm_t comm) const {
    return blinkAllReduce(data->memory, data->memory, 100, blinkFloat32,
                          blinkSum, comm, stream);
  }
};

/// Returns true if the current device is still 0 and has no context.
bool untouched() {
  int device = -1;
  return cudaGetDevice(&device) == cudaSuccess && device == 0 && !hasContext(0);
}

struct OpenSchedule {
  blinkSchedule_t schedule = nullptr;
  explicit OpenSchedule(int numRanks) {
    const std::vector<uint8_t> bytes =
        seal(makeSchedule(Collective::allreduce, 0, numRanks, {}));
    REQUIRE(blinkScheduleOpenMemory(bytes.data(), bytes.size(), &schedule) ==
            blinkSuccess);
  }
  ~OpenSchedule() { blinkScheduleClose(schedule); }
};

blinkConfig_t onCuda() {
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  config.backend = blinkBackendCuda;
  return config;
}

} // namespace

TEST_CASE("ranks of one process make contexts on their devices alone") {
  emulatedMachine = {};
  const OpenSchedule file(2);
  const blinkConfig_t config = onCuda();
  const int devices[] = {1, 2};
  forgetContexts();
  OnDevice on[] = {OnDevice(1), OnDevice(2)};
  onFreshThread([&] {
    blinkComm_t comms[2] = {};
    CHECK(blinkCommInitAll(comms, 2, devices, file.schedule, &config) ==
          blinkSuccess);
    CHECK(untouched());
    blinkGroupStart();
    for (int rank : {0, 1})
      CHECK(on[rank].sum(comms[rank]) == blinkSuccess);
    CHECK(blinkGroupEnd() == blinkSuccess);
    CHECK(untouched());
    // A call of one rank alone waits for the time limit or for another rank's
    // abort.
    CHECK(on[0].sum(comms[0]) == blinkSuccess);
    CHECK(blinkCommAbort(comms[1]) == blinkSuccess);
    CHECK(untouched());
    CHECK(on[0].sum(comms[0]) == blinkRemoteError);
    CHECK(blinkCommDestroy(comms[0]) == blinkSuccess);
    CHECK(untouched());
  });
  CHECK(hasContext(1));
  for (int rank : {0, 1})
    on[rank].release(devices[rank]);
}

TEST_CASE("ranks that join make contexts on their devices alone") {
  emulatedMachine = {};
  const OpenSchedule file(2);
  const blinkConfig_t config = onCuda();
  const blinkUniqueId id = makeId();
  forgetContexts();
  OnDevice on[] = {OnDevice(1), OnDevice(2)};
  std::promise<void> alone;
  std::vector<std::thread> threads;
  for (int rank : {0, 1})
    threads.emplace_back([&, rank] {
      blinkComm_t comm = nullptr;
      void *handle = nullptr;
      CHECK(blinkCommInitRank(&comm, 2, id, rank, rank + 1, file.schedule,
                              &config) == blinkSuccess);
      CHECK(blinkCommRegister(comm, on[rank].data->memory,
                              on[rank].data->bytes(), &handle) == blinkSuccess);
      CHECK(on[rank].sum(comm) == blinkSuccess);
      CHECK(blinkCommDeregister(comm, handle) == blinkSuccess);
      if (rank == 0) { // its call fails, and its watcher cleans up
        CHECK(on[rank].sum(comm) == blinkSuccess);
        alone.set_value();
        blinkResult_t state = blinkSuccess;
        while (state == blinkSuccess)
          blinkCommGetAsyncError(comm, &state);
        CHECK(blinkCommDestroy(comm) == blinkSuccess);
      } else {
        alone.get_future().wait();
        CHECK(blinkCommAbort(comm) == blinkSuccess);
      }
      CHECK(untouched());
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int rank : {0, 1})
    on[rank].release(rank + 1);
}

TEST_CASE("communicators come and go while another thread captures") {
  emulatedMachine = {};
  const OpenSchedule file(2);
  const blinkConfig_t config = onCuda();
  const blinkUniqueId id = makeId();
  OnDevice captured(0), on[] = {OnDevice(0), OnDevice(1)};
  useDeviceOf(0);
  REQUIRE(cudaStreamBeginCapture(captured.stream,
                                 cudaStreamCaptureModeGlobal) == cudaSuccess);
  onFreshThread([&] {
    const int devices[] = {0, 1};
    blinkComm_t comms[2] = {};
    CHECK(blinkCommInitAll(comms, 2, devices, file.schedule, &config) ==
          blinkSuccess);
    blinkGroupStart();
    for (int rank : {0, 1})
      CHECK(on[rank].sum(comms[rank]) == blinkSuccess);
    CHECK(blinkGroupEnd() == blinkSuccess);
    for (blinkComm_t comm : comms)
      CHECK(blinkCommDestroy(comm) == blinkSuccess);
  });
  blinkComm_t comms[2] = {};
  std::vector<std::thread> threads;
  for (int rank : {0, 1})
    threads.emplace_back([&, rank] {
      blinkComm_t &comm = comms[rank];
      void *handle = nullptr;
      CHECK(blinkCommInitRank(&comm, 2, id, rank, rank, file.schedule,
                              &config) == blinkSuccess);
      CHECK(blinkCommRegister(comm, on[rank].data->memory,
                              on[rank].data->bytes(), &handle) == blinkSuccess);
      CHECK(on[rank].sum(comm) == blinkSuccess);
    });
  for (std::thread &thread : threads)
    thread.join();
  onFreshThread([&] {
    for (blinkComm_t comm : comms)
      CHECK(blinkCommDestroy(comm) == blinkSuccess);
  });
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(captured.stream, &graph) == cudaSuccess);
  cudaGraphDestroy(graph);
  captured.release(0);
  for (int rank : {0, 1})
    on[rank].release(rank);
}

TEST_CASE("memory is kept while another process has it mapped") {
  const auto memory = std::make_shared<int>();
  const auto mapped = std::make_shared<bool>(true);
  const auto keep = [&] {
    runtime::keepWhile([memory, mapped] { return *mapped; });
  };
  keep(); // returns although the memory is in use
  CHECK(memory.use_count() == 2);
  runtime::freeLeftMemory();
  CHECK(memory.use_count() == 2);
  *mapped = false;
  keep(); // releases both
  CHECK(memory.use_count() == 1);
  // A rank that leaves while the others stay frees nothing that they use.
  const std::vector<Outcome> outcomes =
      runAll(makeSchedule(Collective::allreduce, 0, 3, {}), 3, "leave", 3000);
  for (int rank : {0, 1}) {
    CAPTURE(outcomes[rank].line);
    CHECK(WIFEXITED(outcomes[rank].status));
    // A rank that called before rank 2 left waits for a chunk that never comes;
    // one that calls late may find the other rank gone, too.
    CHECK((outcomes[rank].has("the communicator of rank 2") ||
           outcomes[rank].has(rank ? "the communicator of rank 0"
                                   : "the communicator of rank 1") ||
           outcomes[rank].has("no chunk")));
  }
  CHECK(outcomes[2].good());
}
