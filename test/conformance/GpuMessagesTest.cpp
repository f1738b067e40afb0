//===- GpuMessagesTest.cpp - messages between GPUs ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The differences from the host: streams, graphs, kernels that hold a limited
// number of messages, and errors.
//
//===----------------------------------------------------------------------===//

#include "test/common/Contains.h"
#include "test/conformance/Job.h"

#include "doctest/doctest.h"

#include <cuda_runtime_api.h>
#include <deque>

using namespace blink;
using namespace blink::test;

namespace {

TestSchedule messages(int numRanks) {
  BuildOptions options;
  options.chunkBytes = 1024;
  options.treesPerBlock = 2;
  TestSchedule schedule =
      makeSchedule(Collective::allreduce, 0, numRanks, options);
  schedule.programs.push_back(
      makeSchedule(Collective::sendrecv, 0, numRanks, options).programs[0]);
  return schedule;
}

/// Integers in the memory of a rank's device.
class DeviceInts {
public:
  DeviceInts(int rank, size_t count, int value) : rank_(rank), count_(count) {
    useDeviceOf(rank);
    REQUIRE(cudaMalloc(&memory_, count * sizeof(int)) == cudaSuccess);
    const std::vector<int> values(count, value);
    REQUIRE(cudaMemcpy(memory_, values.data(), count * sizeof(int),
                       cudaMemcpyHostToDevice) == cudaSuccess);
  }
  ~DeviceInts() {
    useDeviceOf(rank_);
    cudaFree(memory_);
  }
  DeviceInts(const DeviceInts &) = delete;
  int *get() const { return static_cast<int *>(memory_); }
  bool are(int value) const {
    std::vector<int> values(count_);
    useDeviceOf(rank_);
    REQUIRE(cudaMemcpy(values.data(), memory_, count_ * sizeof(int),
                       cudaMemcpyDeviceToHost) == cudaSuccess);
    return values == std::vector<int>(count_, value);
  }

private:
  int rank_;
  size_t count_;
  void *memory_ = nullptr;
};

void await(const Job &job, int rank) {
  useDeviceOf(rank);
  cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(job.stream(rank)));
}

std::string asyncError(const Job &job, int rank, blinkResult_t expected) {
  blinkResult_t result = blinkSuccess;
  CHECK(blinkCommGetAsyncError(job[rank], &result) == blinkSuccess);
  CHECK(result == expected);
  blinkAllReduce(nullptr, nullptr, 0, blinkInt32, blinkSum, job[rank], nullptr);
  int there = 0; // without access a call reports the error
  blinkRecv(&there, 1, blinkInt32, 1 - rank, job[rank], nullptr);
  return blinkGetLastError(job[rank]);
}

} // namespace

TEST_CASE("more messages than a kernel holds, of one queue and of many") {
  constexpr int kRanks = 4, kTimes = 20;
  const Job job(messages(kRanks), kRanks);
  // Message i of a turn goes to rank i; both ends compute its length from the
  // same numbers.
  const auto countOf = [](int from, int to, int turn) {
    return size_t(100 + 37 * from + 11 * to + 300 * (turn % 3));
  };
  const auto valueOf = [](int from, int to, int turn) {
    return 10000 * from + 1000 * to + turn;
  };
  struct End {
    std::unique_ptr<DeviceInts> numbers;
    int value;
  };
  std::vector<End> received, sent;
  blinkGroupStart();
  for (int rank = 0; rank < kRanks; ++rank)
    for (int turn = 0; turn < kTimes; ++turn)
      for (int peer = 0; peer < kRanks; ++peer) {
        const size_t out = countOf(rank, peer, turn);
        const size_t in = countOf(peer, rank, turn);
        const int value = valueOf(rank, peer, turn);
        sent.push_back({std::make_unique<DeviceInts>(rank, out, value), value});
        received.push_back({std::make_unique<DeviceInts>(rank, in, -1),
                            valueOf(peer, rank, turn)});
        useDeviceOf(rank);
        blinkSend(sent.back().numbers->get(), out, blinkInt32, peer, job[rank],
                  job.stream(rank));
        blinkRecv(received.back().numbers->get(), in, blinkInt32, peer,
                  job[rank], job.stream(rank));
      }
  CHECK(blinkGroupEnd() == blinkSuccess);
  for (int rank = 0; rank < kRanks; ++rank)
    await(job, rank);
  for (const End &end : received)
    CHECK(end.numbers->are(end.value));
}

TEST_CASE("a rank that sends nothing in time is named by its GPU's kernel") {
  const Job job(messages(2), 2, 100);
  const DeviceInts there(0, 8, -1);
  CHECK(blinkRecv(there.get(), 8, blinkInt32, 1, job[0], job.stream(0)) ==
        blinkSuccess);
  await(job, 0);
  const std::string why = asyncError(job, 0, blinkRemoteError);
  CHECK(contains(why, "a message from rank 1: rank 0 waited 100 ms for rank 1 "
                      "to send it"));
}

TEST_CASE("a rank that receives nothing in time is, too") {
  const Job job(messages(2), 2, 100);
  const DeviceInts there(0, 1 << 16, 5);
  CHECK(blinkSend(there.get(), 1 << 16, blinkInt32, 1, job[0], job.stream(0)) ==
        blinkSuccess);
  await(job, 0);
  const std::string why = asyncError(job, 0, blinkRemoteError);
  CHECK(contains(why, "waited 100 ms for rank 1 to receive it"));
}

TEST_CASE("a receiver's kernel finds out that its sender's call differs") {
  const Job job(messages(2), 2, 20000);
  const DeviceInts sent(0, 8, 5), received(1, 8, -1);
  blinkGroupStart();
  blinkSend(sent.get(), 7, blinkInt32, 1, job[0], job.stream(0));
  blinkRecv(received.get(), 8, blinkInt32, 0, job[1], job.stream(1));
  CHECK(blinkGroupEnd() == blinkSuccess); // they are queued in streams
  for (int rank : {0, 1})
    await(job, rank);
  const std::string why = asyncError(job, 1, blinkInvalidUsage);
  CHECK(contains(why, "the ranks' calls differ: rank 1 has a message from "
                      "rank 0, rank 0 has sent another one"));
}

TEST_CASE("an abort ends messages in streams") {
  Job job(messages(2), 2, 60000);
  const DeviceInts there(0, 8, -1);
  CHECK(blinkRecv(there.get(), 8, blinkInt32, 1, job[0], job.stream(0)) ==
        blinkSuccess);
  CHECK(blinkCommAbort(job.release(1)) == blinkSuccess);
  await(job, 0);
  blinkResult_t result = blinkSuccess;
  CHECK(blinkCommGetAsyncError(job[0], &result) == blinkSuccess);
  CHECK(result == blinkRemoteError);
}

TEST_CASE("a graph holds messages and collectives of a group") {
  const Job job(messages(2), 2);
  constexpr size_t kCount = 999;
  const DeviceInts sent0(0, kCount, 1), sent1(1, kCount, 2);
  const DeviceInts got0(0, kCount, -1), got1(1, kCount, -1);
  const DeviceInts sum0(0, kCount, -1), sum1(1, kCount, -1);
  const DeviceInts *const sent[] = {&sent0, &sent1}, *const got[] = {&got0,
                                                                     &got1};
  const DeviceInts *const sum[] = {&sum0, &sum1};
  const auto stream = [&](int rank) {
    return reinterpret_cast<cudaStream_t>(job.stream(rank));
  };
  cudaGraphExec_t graphs[2] = {};
  for (int rank : {0, 1}) { // each rank captures its own calls
    useDeviceOf(rank);
    REQUIRE(cudaStreamBeginCapture(
                stream(rank), cudaStreamCaptureModeRelaxed) == cudaSuccess);
    blinkGroupStart();
    blinkSend(sent[rank]->get(), kCount, blinkInt32, 1 - rank, job[rank],
              job.stream(rank));
    blinkAllReduce(sent[rank]->get(), sum[rank]->get(), kCount, blinkInt32,
                   blinkSum, job[rank], job.stream(rank));
    blinkRecv(got[rank]->get(), kCount, blinkInt32, 1 - rank, job[rank],
              job.stream(rank));
    CHECK(blinkGroupEnd() == blinkSuccess);
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
    await(job, rank);
    CHECK(got[rank]->are(2 - rank));
    CHECK(sum[rank]->are(3));
    cudaGraphExecDestroy(graphs[rank]);
  }
}

TEST_CASE("a message waits for no others than those of its queue") {
  const Job job(messages(3), 3, 20000);
  constexpr size_t kCount = 5000; // more than slots hold
  const DeviceInts sent(0, kCount, 7), passed(2, kCount, 5);
  std::deque<DeviceInts> got;
  for (int i = 0; i < 6; ++i)
    got.emplace_back(i < 4 ? 1 : 2, kCount, -1);
  useDeviceOf(0);
  cudaStream_t streams[3];
  for (cudaStream_t &stream : streams)
    REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  const auto send = [&](int peer, cudaStream_t stream) {
    useDeviceOf(0);
    return blinkSend(sent.get(), kCount, blinkInt32, peer, job[0],
                     reinterpret_cast<blinkStream_t>(stream));
  };
  const auto receive = [&](int rank, int source, int i) {
    useDeviceOf(rank);
    return blinkRecv(got[size_t(i)].get(), kCount, blinkInt32, source,
                     job[rank], job.stream(rank));
  };
  blinkGroupStart();
  for (int peer : {1, 2})
    CHECK(send(peer, streams[0]) == blinkSuccess);
  CHECK(blinkGroupEnd() == blinkSuccess);
  blinkGroupStart(); // rank 1 receives these last
  for (int twice = 0; twice < 2; ++twice)
    CHECK(send(1, streams[1]) == blinkSuccess);
  CHECK(blinkGroupEnd() == blinkSuccess);
  CHECK(send(2, streams[2]) == blinkSuccess);
  for (int i : {4, 5})
    CHECK(receive(2, 0, i) == blinkSuccess);
  CHECK(blinkSend(passed.get(), kCount, blinkInt32, 1, job[2], job.stream(2)) ==
        blinkSuccess);
  for (int i = 0; i < 4; ++i)
    CHECK(receive(1, i == 1 ? 2 : 0, i) == blinkSuccess);
  for (int rank : {1, 2})
    await(job, rank);
  for (int i = 0; i < 6; ++i)
    CHECK(got[size_t(i)].are(i == 1 ? 5 : 7));
  useDeviceOf(0);
  for (cudaStream_t stream : streams) {
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    cudaStreamDestroy(stream);
  }
}

TEST_CASE("what is in several streams of a rank comes before its messages") {
  const Job job(messages(2), 2);
  constexpr size_t kCount = 5000;
  const DeviceInts sent(0, kCount, 7), got(1, kCount, -1), first(1, 1, -1);
  cudaStream_t other = nullptr;
  useDeviceOf(0);
  REQUIRE(cudaStreamCreate(&other) == cudaSuccess);
  blinkGroupStart();
  // Each of two streams sends one message, both to the same rank.
  blinkSend(sent.get(), kCount, blinkInt32, 1, job[0], job.stream(0));
  blinkSend(sent.get(), 1, blinkInt32, 1, job[0],
            reinterpret_cast<blinkStream_t>(other));
  blinkRecv(got.get(), kCount, blinkInt32, 0, job[1], job.stream(1));
  blinkRecv(first.get(), 1, blinkInt32, 0, job[1], job.stream(1));
  CHECK(blinkGroupEnd() == blinkSuccess);
  useDeviceOf(0);
  // In either stream, work behind the messages may overwrite the input again.
  REQUIRE(cudaMemsetAsync(sent.get(), 0, sizeof(int), other) == cudaSuccess);
  REQUIRE(cudaStreamSynchronize(other) == cudaSuccess);
  await(job, 1);
  CHECK(got.are(7));
  CHECK(first.are(7));
  cudaStreamDestroy(other);
}
