//===- InitTest.cpp - communicators made together -------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// blinkCommInitRank in groups, by one thread that drives several ranks, and in
// the background.
//
//===----------------------------------------------------------------------===//

#include "test/common/Contains.h"
#include "test/conformance/Job.h"
#include "test/conformance/Latches.h"
#include "test/conformance/Opened.h"
#include "test/conformance/Workers.h"

#include "doctest/doctest.h"

#if BLINK_TEST_CUDA
#include <cuda_runtime_api.h>
#endif

#include <chrono>
#include <cstddef>
#include <thread>

using namespace blink;
using namespace blink::test;

namespace {

blinkConfig_t configOf(int timeoutMs, bool blocking = true) {
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  config.blocking = blocking;
  config.timeoutMs = timeoutMs;
  if (kOnCuda)
    config.backend = blinkBackendCuda;
  return config;
}

int deviceOf([[maybe_unused]] int rank) {
#if BLINK_TEST_CUDA
  int count = 0;
  REQUIRE(cudaGetDeviceCount(&count) == cudaSuccess);
  return rank % count;
#else
  return -1;
#endif
}

int currentDevice() {
  int device = -1;
#if BLINK_TEST_CUDA
  REQUIRE(cudaGetDevice(&device) == cudaSuccess);
#endif
  return device;
}

/// Makes the call of one rank.
blinkResult_t init(blinkComm_t &comm, int numRanks, const blinkUniqueId &id,
                   int rank, blinkSchedule_t schedule, int timeoutMs = 0,
                   bool blocking = true) {
  const blinkConfig_t config = configOf(timeoutMs, blocking);
  return blinkCommInitRank(&comm, numRanks, id, rank, deviceOf(rank), schedule,
                           &config);
}

/// Returns "" if all collectives work, else what is wrong.
std::string wrongOf(const Job &job) {
  unsigned number = 0;
  for (Collective collective : collectives())
    for (size_t count : {size_t(1), size_t(20011)}) {
      Case c = variedCase(collective, count, job.size() - 1, number++);
      c.threads = number % 2;
      if (std::string wrong = runCase(job, c); !wrong.empty())
        return wrong;
    }
  return "";
}

BuildOptions lean() {
  BuildOptions layout;
  layout.chunkBytes = 512;
  return layout;
}

blinkResult_t asyncError(blinkComm_t comm) {
  blinkResult_t result = blinkInternalError;
  CHECK(blinkCommGetAsyncError(comm, &result) == blinkSuccess);
  return result;
}

/// Waits until the communicator has been made and returns the result.
blinkResult_t outcome(blinkComm_t comm) {
  CHECK(waitUntil([&] { return asyncError(comm) != blinkInProgress; }));
  return asyncError(comm);
}

bool soon(std::chrono::steady_clock::time_point since) {
  return std::chrono::steady_clock::now() - since < std::chrono::seconds(20);
}

} // namespace

TEST_CASE("one thread makes the communicators of several ranks") {
  for (int ranks : {1, 2, 5, 16}) {
    if (kSanitized && ranks > 5)
      continue;
    CAPTURE(ranks);
    const Opened opened(allCollectives(ranks, ranks - 1, lean()));
    std::vector<blinkComm_t> comms(size_t(ranks), nullptr);
    useDeviceOf(1);
    const int before = currentDevice();
    const blinkUniqueId id = makeId();
    REQUIRE(blinkGroupStart() == blinkSuccess);
    REQUIRE(blinkGroupStart() == blinkSuccess);
    for (int rank = ranks - 1; rank >= 0; --rank)
      CHECK(init(comms[size_t(rank)], ranks, id, rank, opened.schedule) ==
            blinkSuccess);
    REQUIRE(blinkGroupEnd() == blinkSuccess);
    CHECK(comms == std::vector<blinkComm_t>(size_t(ranks), nullptr));
    REQUIRE(blinkGroupEnd() == blinkSuccess);
    CHECK(currentDevice() == before);
    const Job job(comms, {});
    for (int rank = 0; rank < ranks; ++rank) {
      int number = -1;
      CHECK(blinkCommUserRank(job[rank], &number) == blinkSuccess);
      CHECK(number == rank);
    }
    CHECK(wrongOf(job) == "");
  }
}

TEST_CASE("a group makes some ranks of a job, or ranks of several") {
  const Opened opened(allCollectives(3, 2, lean()));
  const blinkUniqueId ids[] = {makeId(), makeId()};
  std::vector<blinkComm_t> comms[2] = {std::vector<blinkComm_t>(3),
                                       std::vector<blinkComm_t>(3)};
  // Each rank 0 has a thread of its own; the other ranks are in a group.
  std::vector<std::thread> threads;
  for (size_t j = 0; j < 2; ++j)
    threads.emplace_back([&, j] {
      CHECK(init(comms[j][0], 3, ids[j], 0, opened.schedule) == blinkSuccess);
    });
  blinkGroupStart();
  for (int rank : {1, 2})
    for (size_t j = 0; j < 2; ++j)
      CHECK(init(comms[j][size_t(rank)], 3, ids[j], rank, opened.schedule) ==
            blinkSuccess);
  CHECK(blinkGroupEnd() == blinkSuccess);
  for (std::thread &thread : threads)
    thread.join();
  for (size_t j = 0; j < 2; ++j) {
    const Job job(comms[j], {});
    CHECK(wrongOf(job) == "");
  }
}

TEST_CASE("what a group is given may go before it ends") {
  const std::vector<uint8_t> bytes = seal(allCollectives(2, 1, lean()));
  blinkSchedule_t schedule;
  REQUIRE(blinkScheduleOpenMemory(bytes.data(), bytes.size(), &schedule) ==
          blinkSuccess);
  std::vector<blinkComm_t> comms(2);
  blinkUniqueId id = makeId();
  blinkGroupStart();
  for (int rank = 0; rank < 2; ++rank) {
    blinkConfig_t config = configOf(0);
    std::vector<int> gpus = {0, 1};
    config.gpus = gpus.data();
    CHECK(blinkCommInitRank(&comms[size_t(rank)], 2, id, rank, deviceOf(rank),
                            schedule, &config) == blinkSuccess);
    gpus = {-1, -1};
  }
  id = {};
  CHECK(blinkScheduleClose(schedule) == blinkSuccess);
  REQUIRE(blinkGroupEnd() == blinkSuccess);
  const Job job(comms, {});
  CHECK(wrongOf(job) == "");
}

TEST_CASE("one rank's error is that of its group, and soon") {
  const Opened opened(allCollectives(3, 2, lean()));
  const Opened other(allCollectives(2, 1, lean()));
  blinkComm_t comms[3];
  const auto group = [&](blinkSchedule_t last, int rankOfLast) {
    const blinkUniqueId id = makeId();
    for (blinkComm_t &comm : comms)
      comm = reinterpret_cast<blinkComm_t>(&comm);
    const auto begin = std::chrono::steady_clock::now();
    blinkGroupStart();
    for (int rank = 0; rank < 2; ++rank)
      CHECK(init(comms[rank], 3, id, rank, opened.schedule, 60000) ==
            blinkSuccess);
    init(comms[2], 3, id, rankOfLast, last, 60000);
    const blinkResult_t result = blinkGroupEnd();
    CHECK(soon(begin));
    CHECK((!comms[0] && !comms[1] && !comms[2]));
    return result;
  };
  // In this order: errors refused at once, found when the programs are looked
  // up, and found by the other ranks.
  CHECK(group(opened.schedule, 3) == blinkInvalidArgument);
  CHECK(contains(blinkGetLastError(nullptr), "rank 3 of 3"));
  CHECK(group(nullptr, 2) == blinkInvalidArgument);
  CHECK(contains(blinkGetLastError(nullptr), "the schedule is NULL"));
  CHECK(group(other.schedule, 2) == blinkInvalidUsage);
  CHECK(contains(blinkGetLastError(nullptr), "the call has 3"));
  CHECK(group(opened.schedule, 1) == blinkInvalidUsage);
  CHECK(contains(blinkGetLastError(nullptr), "rank 1 has joined already"));
}

TEST_CASE("a rank that cannot join says so to the ranks of other threads") {
  // A job of three ranks. Two join in one group, and one of these two is wrong.
  const Opened opened(allCollectives(3, 2, lean()));
  const blinkUniqueId id = makeId();
  blinkComm_t alone, comms[2];
  const auto begin = std::chrono::steady_clock::now();
  std::thread thread([&] {
    CHECK(init(alone, 3, id, 0, opened.schedule, 60000) == blinkRemoteError);
    const std::string error = blinkGetLastError(nullptr);
    CAPTURE(error);
    CHECK(contains(error, "could not join: "));
  });
  blinkGroupStart();
  init(comms[0], 3, id, 1, opened.schedule, 60000);
  init(comms[1], 3, id, 1, opened.schedule, 60000);
  CHECK(blinkGroupEnd() == blinkInvalidUsage);
  thread.join();
  CHECK(soon(begin));
  CHECK((!alone && !comms[0] && !comms[1]));
}

TEST_CASE("a group that makes communicators does nothing else") {
  const Opened opened(allCollectives(2, 1, lean()));
  Job job(allCollectives(2, 1, lean()), 2);
  Case c;
  c.count = 1;
  RankBuffers buffers(c, 2, 0);
  blinkComm_t comm = nullptr, rest = nullptr;
  blinkGroupStart();
  CHECK(init(comm, 2, makeId(), 0, opened.schedule) == blinkSuccess);
  CHECK(call(c, buffers.send(), buffers.recv(), job[0], job.stream(0)) ==
        blinkSuccess);
  CHECK(blinkGroupEnd() == blinkInvalidUsage);
  CHECK(contains(blinkGetLastError(nullptr), "and nothing else"));
  blinkGroupStart();
  CHECK(blinkCommShrink(job[0], nullptr, 0, &rest, nullptr) == blinkSuccess);
  CHECK(init(comm, 2, makeId(), 0, opened.schedule) == blinkSuccess);
  CHECK(blinkGroupEnd() == blinkInvalidUsage);
  CHECK((!comm && !rest));
  CHECK(wrongOf(job) == "");
}

TEST_CASE("a communicator is made in the background") {
  const Opened opened(allCollectives(2, 1, lean()));
  const blinkUniqueId id = makeId();
  std::vector<blinkComm_t> comms(2);
  REQUIRE(init(comms[0], 2, id, 0, opened.schedule, 0, false) ==
          blinkInProgress);
  REQUIRE(static_cast<bool>(comms[0]));
  CHECK(asyncError(comms[0]) == blinkInProgress);
  // No other call may use the communicator yet.
  Case c;
  c.count = 1;
  RankBuffers buffers(c, 2, 0);
  blinkComm_t rest;
  void *handle;
  int number;
  const auto refused = [&](blinkResult_t result) {
    CHECK(result == blinkInvalidUsage);
    CHECK(contains(blinkGetLastError(nullptr), "is being made"));
  };
  refused(call(c, buffers.send(), buffers.recv(), comms[0]));
  CHECK(contains(blinkGetLastError(comms[0]), "is being made"));
  refused(blinkCommShrink(comms[0], nullptr, 0, &rest, nullptr));
  refused(blinkCommRegister(comms[0], buffers.recv(), 4, &handle));
  refused(blinkCommDeregister(comms[0], &number));
  refused(blinkCommCount(comms[0], &number));
  refused(blinkCommUserRank(comms[0], &number));
  refused(blinkCommDestroy(comms[0]));
  blinkGroupStart();
  refused(call(c, buffers.send(), buffers.recv(), comms[0]));
  CHECK(blinkGroupEnd() == blinkInvalidUsage);
  // The thread that started the background call is also the other rank.
  REQUIRE(init(comms[1], 2, id, 1, opened.schedule) == blinkSuccess);
  REQUIRE(outcome(comms[0]) == blinkSuccess);
  const Job job(comms, {});
  CHECK(wrongOf(job) == "");
}

TEST_CASE("a group is made in the background if one of it is") {
  for (int ranks : {1, 3}) {
    const Opened opened(allCollectives(ranks, ranks - 1, lean()));
    const blinkUniqueId id = makeId();
    std::vector<blinkComm_t> comms(size_t(ranks), nullptr);
    blinkGroupStart();
    for (int rank = 0; rank < ranks; ++rank)
      CHECK(init(comms[size_t(rank)], ranks, id, rank, opened.schedule, 0,
                 rank != 0) == blinkSuccess);
    CHECK(blinkGroupEnd() == blinkInProgress);
    for (blinkComm_t comm : comms)
      CHECK(outcome(comm) == blinkSuccess);
    const Job job(comms, {});
    CHECK(wrongOf(job) == "");
  }
}

TEST_CASE("abort ends what is being made, on all ranks, and soon") {
  const Opened opened(allCollectives(4, 0, lean()));
  const blinkUniqueId id = makeId();
  const auto begin = std::chrono::steady_clock::now();
  blinkComm_t alone, comms[2];
  REQUIRE(init(alone, 4, id, 0, opened.schedule, 60000, false) ==
          blinkInProgress);
  blinkGroupStart();
  for (int i = 0; i < 2; ++i)
    init(comms[i], 4, id, i + 1, opened.schedule, 60000, false);
  REQUIRE(blinkGroupEnd() == blinkInProgress);
  CHECK(blinkCommAbort(comms[0]) == blinkSuccess);
  CHECK(outcome(comms[1]) == blinkRemoteError);
  CHECK(contains(blinkGetLastError(comms[1]), "rank 1 aborted"));
  CHECK(blinkCommAbort(alone) == blinkSuccess);
  // The communicator cannot be used, says why, and can be freed.
  int count;
  CHECK(blinkCommCount(comms[1], &count) == blinkRemoteError);
  CHECK(contains(blinkGetLastError(nullptr), "rank 1 aborted"));
  CHECK(blinkCommDestroy(comms[1]) == blinkSuccess);
  CHECK(soon(begin));
}

TEST_CASE("the error of what is made in the background") {
  const Opened opened(allCollectives(2, 0, lean()));
  blinkComm_t comm = nullptr;
  // Wrong arguments are refused at once.
  CHECK(init(comm, 2, makeId(), 2, opened.schedule, 0, false) ==
        blinkInvalidArgument);
  CHECK(!comm);
  blinkConfig_t config = configOf(0);
  config.blocking = 2;
  CHECK(blinkCommInitRank(&comm, 2, makeId(), 0, deviceOf(0), opened.schedule,
                          &config) == blinkInvalidArgument);
  CHECK(contains(blinkGetLastError(nullptr), "blocking is 2"));
  // Other errors are found later.
  REQUIRE(init(comm, 2, blinkUniqueId{}, 0, opened.schedule, 0, false) ==
          blinkInProgress);
  CHECK(outcome(comm) == blinkInvalidArgument);
  CHECK(contains(blinkGetLastError(comm), "is not one that blinkGetUniqueId"));
  CHECK(blinkCommAbort(comm) == blinkSuccess);
  REQUIRE(init(comm, 2, makeId(), 0, opened.schedule, 50, false) ==
          blinkInProgress);
  CHECK(outcome(comm) == blinkRemoteError);
  CHECK(contains(blinkGetLastError(comm), "waited 50 ms for rank 1 to join"));
  CHECK(blinkCommDestroy(comm) == blinkSuccess);
  // For programs compiled before this field existed, the call waits.
  config = configOf(50, false);
  config.size = offsetof(blinkConfig_t, blocking);
  CHECK(blinkCommInitRank(&comm, 2, makeId(), 0, deviceOf(0), opened.schedule,
                          &config) == blinkRemoteError);
  CHECK(!comm);
}
