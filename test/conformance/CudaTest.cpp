//===- CudaTest.cpp - features of the CUDA back end only ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Runs on emulated devices (test/emulation) and on real ones.
//
//===----------------------------------------------------------------------===//

#include "test/common/Contains.h"
#include "test/conformance/Elements.h"
#include "test/conformance/Floats.h"
#include "test/conformance/Places.h"
#include "test/conformance/Workers.h"

#include "doctest/doctest.h"
#include "schedules/Collectives.h"

#include <algorithm>
#include <cuda_runtime_api.h>
#include <string>
#include <thread>
#include <vector>

using namespace blink;
using namespace blink::test;

namespace {

/// Returns buffers for an in-place allreduce of `count` floats, in the memory
/// that the back end needs.
std::vector<RankBuffers> floats(int numRanks, size_t count) {
  Case c;
  c.count = count;
  c.inPlace = true;
  std::vector<RankBuffers> buffers;
  for (int rank = 0; rank < numRanks; ++rank) {
    useDeviceOf(rank);
    buffers.emplace_back(c, numRanks, rank);
  }
  return buffers;
}

/// Starts an in-place allreduce of `count` floats on one rank.
blinkResult_t start(const Job &job, int rank, const RankBuffers &buffers,
                    size_t count) {
  return blinkAllReduce(buffers.send(), buffers.recv(), count, blinkFloat32,
                        blinkSum, job[rank], job.stream(rank));
}

std::string lastError(const Job &job, int rank) {
  // The next call says why the communicator can no longer be used.
  float value = 0;
  blinkAllReduce(&value, &value, 1, blinkFloat32, blinkSum, job[rank], nullptr);
  return blinkGetLastError(job[rank]);
}

} // namespace

TEST_CASE("the low-latency protocol gives the same results") {
  unsigned number = 0;
  for (int ranks : {2, 3, 5}) {
    BuildOptions layout;
    layout.shape = Shape::random;
    layout.treesPerBlock = 2;
    layout.chunkBytes = 256;
    layout.slots = 2;
    layout.seed = uint32_t(ranks);
    Job job(withProtocol(allCollectives(ranks, 1, layout),
                         sched::Protocol::low_latency),
            ranks);
    for (Collective collective : sched::kJointCollectives)
      for (size_t count : {1, 3, 17, 64, 1001}) {
        Case c;
        c.collective = collective;
        c.count = count;
        c.root = 1;
        c.type = kTypes[number % kNumTypes];
        c.op = kOps[number / kNumTypes % 5];
        c.inPlace = number % 2 && sched::hasInPlace(collective);
        c.misaligned = number % 3 == 0;
        c.threads = number % 5 == 0;
        ++number;
        CHECK(runCase(job, c) == "");
      }
  }
}

TEST_CASE("protocols and layouts take turns on the same rings") {
  BuildOptions small, large;
  small.chunkBytes = 64;
  small.slots = 3;
  TestSchedule model =
      withProtocol(makeSchedule(Collective::allreduce, 0, 3, small),
                   sched::Protocol::low_latency);
  TestSchedule other = makeSchedule(Collective::allreduce, 0, 3, large);
  TestVariant variant = other.variant();
  model.variant().maxBytes = variant.minBytes = 400;
  model.programs[0].variants.push_back(variant);
  Job job(model, 3);
  std::mt19937 random(5);
  for (int round = 0; round < 40; ++round) {
    Case c;
    c.count = random() % 2 ? 1000 : 1 + random() % 99;
    c.threads = random() % 2;
    CHECK(runCase(job, c) == "");
  }
}

TEST_CASE("large messages go straight into the readers' outputs") {
  for (int ranks : {2, 3, 5}) {
    if (kSlow && ranks > 3)
      continue;
    BuildOptions layout;
    layout.shape = Shape::random;
    layout.treesPerBlock = 3;
    layout.chunkBytes = 16 << 10;
    layout.seed = uint32_t(10 + ranks);
    Job job(allCollectives(ranks, 1, layout), ranks);
    unsigned number = 0;
    for (Collective collective : sched::kJointCollectives)
      for (bool inPlace : {false, true}) {
        Case c;
        c.collective = collective;
        c.count = 70001; // more than 256 KiB
        c.root = 1;
        c.inPlace = inPlace && sched::hasInPlace(collective);
        c.misaligned = number++ % 2;
        c.threads = inPlace;
        CHECK(runCase(job, c) == "");
      }
  }
}

TEST_CASE("channels through pinned host memory") {
  BuildOptions layout;
  layout.chunkBytes = 1024;
  Job job(withKind(allCollectives(3, 2, layout), sched::ChannelKind::staged),
          3);
  for (Collective collective : sched::kJointCollectives)
    for (size_t count : {5, 5000, 100000}) {
      Case c;
      c.collective = collective;
      c.count = count;
      c.root = 2;
      CHECK(runCase(job, c) == "");
    }
}

TEST_CASE("calls captured in a graph run whenever it is launched") {
  constexpr int kRanks = 3, kCalls = 2, kLaunches = 3;
  BuildOptions layout;
  layout.chunkBytes = 1024;
  for (sched::Protocol protocol :
       {sched::Protocol::simple, sched::Protocol::low_latency}) {
    Job job(withProtocol(makeSchedule(Collective::allreduce, 0, kRanks, layout),
                         protocol),
            kRanks);
    const size_t count = 1001;
    std::vector<RankBuffers> data = floats(kRanks, count);
    std::vector<cudaEvent_t> marks(kRanks);
    std::vector<cudaStream_t> streams(kRanks);
    for (int rank = 0; rank < kRanks; ++rank) {
      data[rank].fill(std::vector<uint64_t>(count, 0x3f800000)); // 1.0f
      useDeviceOf(rank);
      streams[rank] = reinterpret_cast<cudaStream_t>(job.stream(rank));
      REQUIRE(cudaEventCreateWithFlags(&marks[rank], cudaEventDisableTiming) ==
              cudaSuccess);
    }
    // The capture spreads from rank 0's stream to the others and joins again.
    useDeviceOf(0);
    REQUIRE(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeRelaxed) ==
            cudaSuccess);
    REQUIRE(cudaEventRecord(marks[0], streams[0]) == cudaSuccess);
    for (int rank = 1; rank < kRanks; ++rank)
      REQUIRE(cudaStreamWaitEvent(streams[rank], marks[0], 0) == cudaSuccess);
    for (int call = 0; call < kCalls; ++call) {
      CHECK(blinkGroupStart() == blinkSuccess);
      for (int rank = 0; rank < kRanks; ++rank)
        CHECK(start(job, rank, data[rank], count) == blinkSuccess);
      CHECK(blinkGroupEnd() == blinkSuccess);
    }
    for (int rank = 1; rank < kRanks; ++rank) {
      useDeviceOf(rank);
      REQUIRE(cudaEventRecord(marks[rank], streams[rank]) == cudaSuccess);
      REQUIRE(cudaStreamWaitEvent(streams[0], marks[rank], 0) == cudaSuccess);
    }
    useDeviceOf(0);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    REQUIRE(cudaStreamEndCapture(streams[0], &graph) == cudaSuccess);
    REQUIRE(cudaGraphInstantiateWithFlags(&exec, graph, 0) == cudaSuccess);
    CHECK(cudaGraphDestroy(graph) == cudaSuccess);
    for (int launch = 0; launch < kLaunches; ++launch)
      CHECK(cudaGraphLaunch(exec, streams[0]) == cudaSuccess);
    CHECK(cudaStreamSynchronize(streams[0]) == cudaSuccess);
    CHECK(cudaGraphExecDestroy(exec) == cudaSuccess);
    // Each of the six calls multiplies the values by three: 3^6 is 729.
    for (int rank = 0; rank < kRanks; ++rank) {
      CHECK(data[rank].result() ==
            std::vector<uint64_t>(count, 0x44364000)); // 729.0f
      CHECK(cudaEventDestroy(marks[rank]) == cudaSuccess);
    }
    Case c;
    c.count = 100;
    CHECK(runCase(job, c) == "");
  }
}

TEST_CASE(
    "a rank that does not call ends the others' kernels, and is reported") {
  for (sched::Protocol protocol :
       {sched::Protocol::simple, sched::Protocol::low_latency}) {
    Job job(
        withProtocol(makeSchedule(Collective::allreduce, 0, 3, {}), protocol),
        3, 200);
    std::vector<RankBuffers> data = floats(3, 1);
    for (int rank : {0, 1})
      CHECK(start(job, rank, data[rank], 1) == blinkSuccess);
    for (int rank : {0, 1})
      CHECK(cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(
                job.stream(rank))) == cudaSuccess);
    blinkResult_t state = blinkSuccess;
    CHECK(blinkCommGetAsyncError(job[0], &state) == blinkSuccess);
    CHECK(state == blinkRemoteError);
    std::string text = lastError(job, 1);
    CAPTURE(text);
    CHECK(contains(text, "rank "));
    CHECK(contains(text, ", step 0, channel "));
    CHECK(contains(text, "no chunk: expected 1 written, seen 0"));
    CHECK(contains(text, "waited 200 ms"));
    CHECK(contains(text, "; rank 2 has made 0 calls, the others 1: it has not "
                         "called allreduce of"));
    CHECK(namesAWait(text, makeSchedule(Collective::allreduce, 0, 3, {})));
    CHECK(freshJobFails() == "");
  }
}

TEST_CASE("calls that differ are found by the data") {
  for (sched::Protocol protocol :
       {sched::Protocol::simple, sched::Protocol::low_latency}) {
    Job job(
        withProtocol(makeSchedule(Collective::allreduce, 0, 2, {}), protocol),
        2, 5000);
    std::vector<RankBuffers> data = floats(2, 11);
    job.onThreads([&](int rank) {
      return start(job, rank, data[rank], rank == 0 ? 10 : 11);
    });
    std::string text = lastError(job, 0);
    CAPTURE(text);
    CHECK(contains(text, "the ranks' calls differ: rank "));
    CHECK(freshJobFails() == "");
    // In one group the difference is found before anything is launched, so the
    // job can still be used.
    Job other(makeSchedule(Collective::allreduce, 0, 2, {}), 2);
    CHECK(other.inGroup([&](int rank) {
      return start(other, rank, data[rank], rank == 0 ? 10 : 11);
    }) == blinkInvalidUsage);
    Case c;
    c.count = 10;
    CHECK(runCase(other, c) == "");
  }
}

TEST_CASE("abort ends kernels that wait") {
  Job job(makeSchedule(Collective::allreduce, 0, 2, {}), 2, 20000);
  std::vector<RankBuffers> data = floats(2, 1);
  CHECK(start(job, 0, data[0], 1) == blinkSuccess);
  CHECK(blinkCommAbort(job.release(0)) == blinkSuccess); // waits for the kernel
  CHECK(contains(lastError(job, 1), "rank 0 aborted"));
  CHECK(freshJobFails() == "");
}

TEST_CASE("ranks in processes of their own share GPU memory") {
  for (int ranks : {1, 2, 3}) {
    if (kSlow && ranks != 2) // ThreadSanitizer sees one process
      continue;
    BuildOptions layout;
    layout.shape = Shape::random;
    layout.treesPerBlock = 2;
    layout.chunkBytes = 1024;
    layout.seed = uint32_t(ranks);
    TestSchedule model = allCollectives(ranks, ranks - 1, layout);
    if (ranks == 3)
      model = withKind(model, sched::ChannelKind::staged);
    expectGood(model, ranks, "cases");
  }
}

TEST_CASE("a process that dies is named by the others, long before the limit") {
  std::vector<Outcome> outcomes =
      runAll(makeSchedule(Collective::allreduce, 0, 3, {}), 3, "vanish");
  for (int rank : {0, 1}) {
    CAPTURE(outcomes[rank].line);
    CHECK(outcomes[rank].has("the process of rank 2, number "));
    CHECK(outcomes[rank].has("has died"));
  }
}

TEST_CASE("processes whose GPUs do not reach each other use the host") {
  for (int ranks : twoRanksOr(3)) {
    BuildOptions layout;
    layout.shape = Shape::random;
    layout.treesPerBlock = 2;
    layout.chunkBytes = 16 << 10;
    TestSchedule model = allCollectives(ranks, ranks - 1, layout);
    // The workers use two GPUs in turn, if there are two.
    for (TestProgram &program : model.programs)
      for (TestVariant &variant : program.variants)
        for (TestChannel &channel : variant.channels)
          if (channel.source % 2 != channel.destination % 2)
            channel.kind = sched::ChannelKind::staged;
    for (const char *scenario : {"cases:apart", "registered:apart"})
      expectGood(model, ranks, scenario);
  }
}

TEST_CASE("ranks of one process may join by id, too") {
  constexpr int kRanks = 3;
  constexpr size_t kCount = 100000; // more than 256 KiB
  int devices = 0;
  REQUIRE(cudaGetDeviceCount(&devices) == cudaSuccess);
  if (devices < kRanks)
    return; // kernels of ranks on one GPU may run one after the other
  const ScheduleOnDisk file(makeSchedule(Collective::allreduce, 0, kRanks, {}));
  const blinkUniqueId id = makeId();
  std::vector<std::string> said(kRanks);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < kRanks; ++rank)
    threads.emplace_back([&, rank] {
      const auto must = [&](bool good) {
        if (!good && said[rank].empty())
          said[rank] = blinkGetLastError(nullptr);
        return good;
      };
      blinkSchedule_t schedule;
      blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
      config.backend = blinkBackendCuda;
      blinkComm_t comm = nullptr;
      if (!must(blinkScheduleOpen(file.path(), &schedule) == blinkSuccess) ||
          !must(blinkCommInitRank(&comm, kRanks, id, rank, rank, schedule,
                                  &config) == blinkSuccess))
        return;
      cudaSetDevice(rank);
      Floats values(kCount);
      void *handle = nullptr;
      for (int round = 0; round < 4; ++round) {
        // Rounds 0 and 3 use slots, rounds 1 and 2 registered buffers.
        if (round == 1)
          must(blinkCommRegister(comm, values.memory, values.bytes(),
                                 &handle) == blinkSuccess);
        if (round == 3)
          must(blinkCommDeregister(comm, handle) == blinkSuccess);
        std::fill(values.host.begin(), values.host.end(),
                  float(rank + 1 + round));
        values.upload();
        must(blinkAllReduce(values.memory, values.memory, kCount, blinkFloat32,
                            blinkSum, comm, nullptr) == blinkSuccess);
        must(cudaStreamSynchronize(nullptr) == cudaSuccess);
        values.download();
        if (values.host != std::vector<float>(kCount, float(6 + 3 * round)) &&
            said[rank].empty())
          said[rank] = "wrong in round " + std::to_string(round);
      }
      // Each rank destroys its communicator when it is done; the others may
      // still be returning credits.
      blinkCommDestroy(comm);
      blinkScheduleClose(schedule);
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(said == std::vector<std::string>(kRanks));
}

TEST_CASE("registered buffers are written by other processes") {
  for (int ranks : twoRanksOr(3)) {
    BuildOptions layout;
    layout.treesPerBlock = 2;
    layout.chunkBytes = 16 << 10;
    const TestSchedule model =
        makeSchedule(Collective::allreduce, 0, ranks, layout);
    expectGood(model, ranks, "registered");
  }
}
