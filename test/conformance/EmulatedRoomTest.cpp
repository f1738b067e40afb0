//===- EmulatedRoomTest.cpp - messages of ranks that share a device -------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Small devices: what their ranks may call, and what is refused because lanes
// that wait for each other would not fit.
//
//===----------------------------------------------------------------------===//

#include "test/common/Contains.h"
#include "test/conformance/Floats.h"
#include "test/conformance/Job.h"
#include "test/conformance/Opened.h"
#include "test/conformance/Workers.h"
#include "test/emulation/Emulation.h"

#include "doctest/doctest.h"

#include <deque>
#include <thread>

using namespace blink;
using namespace blink::test;

namespace {

constexpr size_t kMessageFloats = 100;

/// Two lanes for collectives, and `lanes` for each message to or from a rank.
TestSchedule twoLanesAndMessages(int ranks, int lanes = 1) {
  TestSchedule both = makeSchedule(Collective::allreduce, 0, ranks, {});
  BuildOptions layout;
  layout.treesPerBlock = lanes;
  both.programs.push_back(
      makeSchedule(Collective::sendrecv, 0, ranks, layout).programs[0]);
  return both;
}

/// What a rank sends, and what it receives from each rank.
struct MessageFloats {
  Floats sent{kMessageFloats};
  std::deque<Floats> received;

  MessageFloats(int rank, int ranks) {
    sent.host.assign(kMessageFloats, float(rank + 1));
    sent.upload();
    for (int peer = 0; peer < ranks; ++peer)
      received.emplace_back(kMessageFloats).upload();
  }
};

/// Ranks that share as few devices as the machine has.
struct Sharing {
  std::deque<MessageFloats> numbers;
  Job job; // waits for its kernels before the numbers are destroyed

  explicit Sharing(int ranks, int lanes = 1)
      : job(twoLanesAndMessages(ranks, lanes), ranks, 20000) {
    for (int rank = 0; rank < ranks; ++rank) {
      useDeviceOf(rank);
      numbers.emplace_back(rank, ranks);
    }
  }
  /// Exchanges numbers with each of `peers`, as a part of a group.
  void exchange(int rank, const std::vector<int> &peers) {
    MessageFloats &own = numbers[size_t(rank)];
    useDeviceOf(rank);
    for (int peer : peers) {
      blinkSend(own.sent.memory, kMessageFloats, blinkFloat32, peer, job[rank],
                job.stream(rank));
      blinkRecv(own.received[size_t(peer)].memory, kMessageFloats, blinkFloat32,
                peer, job[rank], job.stream(rank));
    }
  }
  blinkResult_t exchangeAlone(int rank, const std::vector<int> &peers) {
    blinkGroupStart();
    exchange(rank, peers);
    return blinkGroupEnd();
  }
  blinkResult_t sum(int rank, blinkStream_t stream) {
    MessageFloats &own = numbers[size_t(rank)];
    useDeviceOf(rank);
    return blinkAllReduce(own.sent.memory, own.received[size_t(rank)].memory,
                          kMessageFloats, blinkFloat32, blinkSum, job[rank],
                          stream);
  }
  /// Whether the rank has received the numbers of `peer`.
  bool has(int rank, int peer) {
    useDeviceOf(rank);
    cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(job.stream(rank)));
    Floats &received = numbers[size_t(rank)].received[size_t(peer)];
    received.download();
    return received.host == std::vector<float>(kMessageFloats, float(peer + 1));
  }
  std::vector<int> othersOf(int rank) const {
    std::vector<int> others;
    for (int peer = 0; peer < job.size(); ++peer)
      if (peer != rank)
        others.push_back(peer);
    return others;
  }
  bool haveAll() {
    bool all = true;
    for (int rank = 0; rank < job.size(); ++rank)
      for (int peer : othersOf(rank))
        all &= has(rank, peer);
    return all;
  }
};

void useMachine(int devices, unsigned lanes) {
  emulatedMachine = {};
  emulatedMachine.devices = devices;
  emulatedMachine.residentLanes = lanes;
}

} // namespace

TEST_CASE("messages that may not fit beside each other are refused") {
  useMachine(1, 16);
  Sharing four(4);
  for (int rank : {0, 1})
    REQUIRE(four.exchangeAlone(rank, four.othersOf(rank)) == blinkSuccess);
  for (int rank : {2, 3}) {
    CHECK(four.exchangeAlone(rank, four.othersOf(rank)) == blinkInvalidUsage);
    CHECK(std::string(blinkGetLastError(four.job[rank])) ==
          "message of 100 float32: ranks 0,1,2,3 are on one GPU and may now "
          "have 18 lanes together, with those of messages, 16 can run there at "
          "the same time: put both ends of every message into one group, or "
          "give the ranks GPUs of their own");
  }
  // That left nothing behind. One after the other they fit.
  for (int rank : {2, 3})
    for (int peer : four.othersOf(rank))
      CHECK(four.exchangeAlone(rank, {peer}) == blinkSuccess);
  CHECK(four.haveAll());
  // In the same streams collectives run at other times than messages.
  for (int rank = 0; rank < 4; ++rank)
    CHECK(four.sum(rank, four.job.stream(rank)) == blinkSuccess);
  // In others they need room of their own.
  useDeviceOf(0);
  cudaStream_t other;
  REQUIRE(cudaStreamCreate(&other) == cudaSuccess);
  const auto stream = reinterpret_cast<blinkStream_t>(other);
  CHECK(four.sum(0, stream) == blinkInvalidUsage);
  CHECK(contains(blinkGetLastError(four.job[0]),
                 "allreduce of 100 float32 with sum: ranks 0,1,2,3 are"));
  blinkGroupStart();
  for (int rank = 0; rank < 4; ++rank)
    four.sum(rank, stream);
  CHECK(blinkGroupEnd() == blinkSuccess);
  CHECK(cudaStreamSynchronize(other) == cudaSuccess);
  cudaStreamDestroy(other);
  useMachine(8, 1000);
}

TEST_CASE("a whole group is not refused, nor are collectives") {
  useMachine(1, 8); // as many as the lanes of collectives
  Sharing four(4);
  for (int turn = 0; turn < 3; ++turn) {
    blinkGroupStart();
    for (int rank = 0; rank < 4; ++rank)
      four.exchange(rank, four.othersOf(rank));
    CHECK(blinkGroupEnd() == blinkSuccess);
  }
  CHECK(four.haveAll());
  Sharing sums(4);
  cudaStream_t streams[4];
  for (cudaStream_t &stream : streams)
    REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  for (int call = 0; call < 8; ++call)
    for (int rank = 0; rank < 4; ++rank)
      CHECK(sums.sum(rank, reinterpret_cast<blinkStream_t>(
                               streams[(rank + call) % 4])) == blinkSuccess);
  for (cudaStream_t stream : streams) {
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    cudaStreamDestroy(stream);
  }
  useMachine(8, 1000);
}

TEST_CASE("ranks alone on their devices are not refused") {
  useMachine(4, 8); // of 10 that a rank may need
  Sharing four(4);
  for (int rank = 0; rank < 4; ++rank) {
    blinkGroupStart();
    four.exchange(rank, four.othersOf(rank));
    four.sum(rank, four.job.stream(rank));
    CHECK(blinkGroupEnd() == blinkSuccess);
  }
  CHECK(four.haveAll());
  useMachine(8, 1000);
}

TEST_CASE("messages leave room for the collective that others call first") {
  // With three lanes, which receive from the others, kernels have one message
  // each. With nine, one kernel has all messages, whose lanes take turns.
  for (unsigned lanes : {3, 9}) {
    CAPTURE(lanes);
    useMachine(4, lanes);
    Sharing four(4, lanes == 3 ? 1 : 4);
    blinkGroupStart();
    four.exchange(0, four.othersOf(0));
    four.sum(0, four.job.stream(0));
    CHECK(blinkGroupEnd() == blinkSuccess);
    for (int rank = 1; rank < 4; ++rank) {
      CHECK(four.sum(rank, four.job.stream(rank)) == blinkSuccess);
      CHECK(four.exchangeAlone(rank, four.othersOf(rank)) == blinkSuccess);
    }
    CHECK(four.haveAll());
  }
  useMachine(8, 1000);
}

TEST_CASE("ranks that join count the lanes of the others") {
  useMachine(1, 7);
  const std::vector<uint8_t> bytes = seal(twoLanesAndMessages(2));
  blinkSchedule_t schedule;
  REQUIRE(blinkScheduleOpenMemory(bytes.data(), bytes.size(), &schedule) ==
          blinkSuccess);
  const blinkUniqueId id = makeId();
  blinkComm_t comms[2] = {};
  std::vector<std::thread> threads;
  for (int rank : {0, 1})
    threads.emplace_back([&, rank] {
      blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
      config.backend = blinkBackendCuda;
      CHECK(blinkCommInitRank(&comms[rank], 2, id, rank, 0, schedule,
                              &config) == blinkSuccess);
    });
  for (std::thread &thread : threads)
    thread.join();
  blinkScheduleClose(schedule);
  useDeviceOf(0);
  cudaStream_t streams[2];
  std::deque<MessageFloats> numbers;
  for (int rank : {0, 1}) {
    REQUIRE(cudaStreamCreate(&streams[rank]) == cudaSuccess);
    numbers.emplace_back(rank, 2);
  }
  // Messages run beside the group's collective: four lanes a rank.
  const auto call = [&](int rank, bool sums) {
    const auto stream = reinterpret_cast<blinkStream_t>(streams[rank]);
    MessageFloats &own = numbers[size_t(rank)];
    blinkGroupStart();
    blinkSend(own.sent.memory, kMessageFloats, blinkFloat32, 1 - rank,
              comms[rank], stream);
    blinkRecv(own.received[0].memory, kMessageFloats, blinkFloat32, 1 - rank,
              comms[rank], stream);
    if (sums)
      blinkAllReduce(own.sent.memory, own.received[1].memory, kMessageFloats,
                     blinkFloat32, blinkSum, comms[rank], stream);
    return blinkGroupEnd();
  };
  CHECK(call(0, true) == blinkSuccess);
  CHECK(call(1, true) == blinkInvalidUsage);
  CHECK(contains(blinkGetLastError(comms[1]),
                 "ranks 0,1 are on one GPU and may now have 8 lanes together, "
                 "with those of messages, 7 can run there at the same time: "
                 "make fewer messages in a group, or give"));
  CHECK(call(1, false) == blinkSuccess);
  CHECK(blinkAllReduce(numbers[1].sent.memory, numbers[1].received[1].memory,
                       kMessageFloats, blinkFloat32, blinkSum, comms[1],
                       reinterpret_cast<blinkStream_t>(streams[1])) ==
        blinkSuccess);
  for (int rank : {0, 1}) {
    CHECK(cudaStreamSynchronize(streams[rank]) == cudaSuccess);
    for (Floats &received : numbers[size_t(rank)].received)
      received.download();
    CHECK(numbers[size_t(rank)].received[0].host ==
          std::vector<float>(kMessageFloats, float(2 - rank)));
    CHECK(numbers[size_t(rank)].received[1].host ==
          std::vector<float>(kMessageFloats, 3.0f));
  }
  for (int rank : {0, 1}) {
    blinkCommDestroy(comms[rank]);
    cudaStreamDestroy(streams[rank]);
  }
  useMachine(8, 1000);
}
