//===- EmulatedServersTest.cpp - GPUs of several servers ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// All servers are on one host, as in ServersTest, and their GPUs are emulated.
// If all ranks are in one process, the test's transport carries the chunks
// between servers, so that the test can count them.
//
//===----------------------------------------------------------------------===//

#include "test/common/Cluster.h"
#include "test/common/Contains.h"
#include "test/conformance/Floats.h"
#include "test/conformance/Opened.h"
#include "test/conformance/Workers.h"
#include "test/transport/SocketTransport.h"

#include "doctest/doctest.h"

#include <cuda_runtime_api.h>
#include <deque>

using namespace blink;
using namespace blink::test;

namespace {

using Servers = std::vector<int>; ///< of each rank

int ranksOf(const Servers &servers) { return int(servers.size()); }

TestSchedule everything(const Servers &servers, int rails,
                        uint32_t chunkBytes) {
  BuildOptions layout;
  layout.shape = Shape::random;
  layout.treesPerBlock = 2;
  layout.chunkBytes = chunkBytes;
  layout.seed = uint32_t(servers.size());
  TestSchedule model =
      allCollectives(ranksOf(servers), ranksOf(servers) - 1, layout);
  spread(model, servers, rails);
  return model;
}

/// Returns an allreduce and messages, with many chunks per call.
TestSchedule reduceAndSend(const Servers &servers) {
  BuildOptions layout;
  layout.treesPerBlock = 2;
  layout.chunkBytes = 1024;
  TestSchedule model =
      makeSchedule(Collective::allreduce, 0, ranksOf(servers), layout);
  model.programs.push_back(
      makeSchedule(Collective::sendrecv, 0, ranksOf(servers), layout)
          .programs[0]);
  spread(model, servers);
  return model;
}

Case floats(size_t count) {
  Case c;
  c.count = count;
  c.inPlace = true;
  return c;
}

} // namespace

TEST_CASE("GPUs of several servers get right results") {
  for (const Servers &servers :
       std::vector<Servers>{{0, 1}, {0, 0, 1}, {0, 1, 2, 0}, {0, 0, 1, 1, 1}}) {
    if (kSanitized == (servers.size() != 3)) // plain builds run the others
      continue;
    expectGood(everything(servers, 1 + int(servers.size()) % 2, 1024),
               ranksOf(servers), "cases");
  }
}

TEST_CASE("large messages between GPUs of several servers, and within them") {
  if (!kSanitized)
    expectGood(everything({0, 1, 1}, 1, 64 << 10), 3, "large");
}

TEST_CASE("partial sums of GPUs of several servers are float32") {
  if (!kSanitized)
    expectGood(withFloatSums(everything({0, 1, 1}, 1, 1024)), 3, "cases");
}

TEST_CASE("the results of one process over a transport are exact") {
  for (const Servers &servers :
       std::vector<Servers>{{0, 1}, {0, 0, 1, 1}, {0, 1, 2, 0, 1}}) {
    if (kSlow && servers.size() > 2)
      continue;
    const Job job(everything(servers, 1, 1024), ranksOf(servers));
    const uint64_t before = socketChunks();
    unsigned number = 0;
    for (Collective collective : collectives())
      for (size_t count : {1, 17, 1000, 20011}) {
        const Case c =
            variedCase(collective, count, ranksOf(servers) - 1, number++);
        CAPTURE(number);
        CHECK(runCase(job, c) == "");
      }
    CHECK(socketChunks() > before);
  }
}

TEST_CASE("a message waits for the one before, whatever NICs that one uses") {
  // Short messages from rank 1 to rank 0 use the second rail, long ones both.
  BuildOptions layout;
  layout.chunkBytes = 1024;
  TestSchedule model = makeSchedule(Collective::sendrecv, 0, 2, layout);
  layout.treesPerBlock = 2;
  TestVariant &small = model.variant();
  TestVariant large =
      makeSchedule(Collective::sendrecv, 0, 2, layout).variant();
  constexpr size_t kShort = 1000, kLong = 20000; // floats
  small.maxBytes = large.minBytes = kLong;
  model.programs[0].variants.push_back(large);
  spread(model, {0, 1}, 2);
  const Job job(model, 2, 20000);
  for (int round = 0; round < (kSlow ? 3 : 20); ++round) {
    std::deque<Floats> sent, got;
    for (size_t count : {kShort, kLong, kShort, kLong}) {
      useDeviceOf(1);
      sent.emplace_back(count);
      sent.back().host.assign(count, float(round + int(sent.size())));
      sent.back().upload();
      useDeviceOf(0);
      got.emplace_back(count);
    }
    blinkGroupStart();
    for (size_t i = 0; i < sent.size(); ++i) {
      const size_t count = sent[i].host.size();
      useDeviceOf(1);
      CHECK(blinkSend(sent[i].memory, count, blinkFloat32, 0, job[1],
                      job.stream(1)) == blinkSuccess);
      useDeviceOf(0);
      CHECK(blinkRecv(got[i].memory, count, blinkFloat32, 1, job[0],
                      job.stream(0)) == blinkSuccess);
    }
    REQUIRE(blinkGroupEnd() == blinkSuccess);
    for (int rank : {0, 1}) {
      useDeviceOf(rank);
      REQUIRE(cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(
                  job.stream(rank))) == cudaSuccess);
    }
    for (size_t i = 0; i < sent.size(); ++i) {
      got[i].download();
      CHECK(got[i].host == sent[i].host);
    }
  }
}

TEST_CASE("slots of carried rings are at both ends, in pinned memory") {
  constexpr uint64_t kSlots = 4, kChunk = 64 << 10;
  BuildOptions layout;
  layout.slots = kSlots;
  layout.chunkBytes = kChunk;
  TestSchedule model = makeSchedule(Collective::broadcast, 0, 2, layout);
  spread(model, {0, 1});
  const Job job(model, 2);
  for (int rank : {0, 1}) {
    blinkMemoryInfo_t info = BLINK_MEMORY_INFO_INITIALIZER;
    REQUIRE(blinkCommMemory(job[rank], &info) == blinkSuccess);
    CHECK(info.staging >= kSlots * kChunk);
    CHECK(info.staging <= kSlots * kChunk + 4096);
    CHECK(info.slots == 0);
  }
}

TEST_CASE("ranks of one process reach all servers through the host's memory") {
  // Unless a transport claims these channels, as the tests' transport does.
  useMemory();
  {
    const Job job(everything({0, 0, 1}, 1, 1024), 3);
    const uint64_t before = socketChunks();
    for (Collective collective : collectives())
      CHECK(runCase(job, variedCase(collective, 5000, 2, 0)) == "");
    CHECK(socketChunks() == before);
  }
  useSockets(sched::ChannelKind::network);
}

TEST_CASE("a graph captures calls and messages between servers") {
  const Job job(reduceAndSend({0, 1}), 2);
  constexpr size_t kCount = 5001;
  constexpr uint64_t kOne = 0x3f800000, kEight = 0x41000000; // floats
  std::vector<RankBuffers> sum, message;
  cudaGraphExec_t graphs[2] = {};
  const auto stream = [&](int rank) {
    return reinterpret_cast<cudaStream_t>(job.stream(rank));
  };
  for (int rank : {0, 1}) {
    for (std::vector<RankBuffers> *buffers : {&sum, &message}) {
      buffers->emplace_back(floats(kCount), 2, rank);
      buffers->back().fill(std::vector<uint64_t>(kCount, kOne));
    }
    useDeviceOf(rank);
    REQUIRE(cudaStreamBeginCapture(
                stream(rank), cudaStreamCaptureModeRelaxed) == cudaSuccess);
    CHECK(blinkAllReduce(sum[rank].send(), sum[rank].recv(), kCount,
                         blinkFloat32, blinkSum, job[rank],
                         job.stream(rank)) == blinkSuccess);
    // Rank 0 sends the sum to the other rank.
    if (rank == 0)
      CHECK(blinkSend(sum[0].recv(), kCount, blinkFloat32, 1, job[0],
                      job.stream(0)) == blinkSuccess);
    else
      CHECK(blinkRecv(message[1].recv(), kCount, blinkFloat32, 0, job[1],
                      job.stream(1)) == blinkSuccess);
    cudaGraph_t graph = nullptr;
    REQUIRE(cudaStreamEndCapture(stream(rank), &graph) == cudaSuccess);
    REQUIRE(cudaGraphInstantiateWithFlags(&graphs[rank], graph, 0) ==
            cudaSuccess);
    cudaGraphDestroy(graph);
  }
  for (int round = 0; round < 3; ++round)
    for (int rank : {0, 1}) {
      useDeviceOf(rank);
      REQUIRE(cudaGraphLaunch(graphs[rank], stream(rank)) == cudaSuccess);
    }
  for (int rank : {0, 1}) {
    useDeviceOf(rank);
    CHECK(cudaStreamSynchronize(stream(rank)) == cudaSuccess);
    CHECK(sum[rank].result() == std::vector<uint64_t>(kCount, kEight));
    cudaGraphExecDestroy(graphs[rank]);
  }
  CHECK(message[1].result() == std::vector<uint64_t>(kCount, kEight));
  // Calls outside the graph work, too.
  CHECK(runCase(job, floats(3000)) == "");
}

TEST_CASE("a process that is killed is named on all servers") {
  TestSchedule model = makeSchedule(Collective::allreduce, 0, 4, {});
  spread(model, {0, 0, 1, 1});
  for (int victim : {0, 3}) {
    const std::vector<Outcome> outcomes =
        runAll(model, 4, "kill:" + std::to_string(victim) + ":0:0:20");
    for (int rank = 0; rank < 4; ++rank) {
      CAPTURE(victim);
      CAPTURE(outcomes[size_t(rank)].line);
      if (rank == victim)
        continue;
      const std::string name = "rank " + std::to_string(victim);
      CHECK(outcomes[size_t(rank)].has(name.c_str()));
      CHECK(outcomes[size_t(rank)].has("has died"));
    }
  }
}

TEST_CASE("a process that leaves, aborts or vanishes ends all servers' calls") {
  TestSchedule model = makeSchedule(Collective::allreduce, 0, 3, {});
  spread(model, {0, 1, 1});
  const std::vector<Outcome> left = runAll(model, 3, "leave", 3000);
  const std::vector<Outcome> aborted = runAll(model, 3, "abort");
  const std::vector<Outcome> vanished = runAll(model, 3, "vanish");
  for (size_t rank : {0, 1}) {
    CAPTURE(left[rank].line);
    // Kernels do not notice that rank 2 left: a rank that has called before
    // waits until the time limit. A rank that calls late may find the other one
    // gone, too.
    const char *const other = rank ? "the communicator of rank 0 has"
                                   : "the communicator of rank 1 has";
    CHECK((left[rank].has("the communicator of rank 2 has been destroyed") ||
           left[rank].has("the connection of ranks ") ||
           left[rank].has(other)));
    CAPTURE(aborted[rank].line);
    CHECK(aborted[rank].has("rank 2 aborted"));
    CAPTURE(vanished[rank].line);
    CHECK(vanished[rank].has("rank 2"));
    CHECK(vanished[rank].has("has died"));
  }
}

TEST_CASE("what a lane finds out the other servers are told") {
  TestSchedule model = makeSchedule(Collective::allreduce, 0, 3, {});
  spread(model, {0, 0, 1});
  for (const Outcome &outcome : runAll(model, 3, "differ")) {
    CAPTURE(outcome.line);
    CHECK(outcome.has("invalid usage: the ranks' calls differ: rank "));
    CHECK(outcome.has(", lane 0, step "));
    CHECK(outcome.has(", channel "));
  }
}

TEST_CASE("a connection that breaks ends the calls that need it") {
  const Job job(reduceAndSend({0, 1}), 2, 20000);
  CHECK(runCase(job, floats(1000)) == "");
  breakSockets(0, 1);
  const std::string wrong = runCase(job, floats(1000));
  CHECK(wrong != "");
  const std::string error = blinkGetLastError(job[0]);
  CAPTURE(error);
  CHECK(contains(error, "the connection of ranks "));
  CHECK(contains(error, "is broken: "));
  CHECK(contains(error, ": no "));
}

TEST_CASE("low_latency channels between servers are refused for GPUs") {
  TestSchedule model =
      withProtocol(makeSchedule(Collective::allreduce, 0, 2, {}),
                   sched::Protocol::low_latency);
  spread(model, {0, 1});
  const Opened opened(seal(model));
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  config.backend = blinkBackendCuda;
  const int devices[] = {0, 0};
  blinkComm_t comms[2];
  CHECK(blinkCommInitAll(comms, 2, devices, opened.schedule, &config) ==
        blinkInvalidUsage);
  CHECK(contains(blinkGetLastError(nullptr),
                 "a low_latency channel from rank 0 to rank 1"));
}
