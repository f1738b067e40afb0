//===- MessageErrorsTest.cpp - errors of point-to-point calls -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/common/Contains.h"
#include "test/conformance/Job.h"

#include "doctest/doctest.h"

#include <string>

using namespace blink;
using namespace blink::test;

namespace {

TestSchedule messages(int numRanks) {
  TestSchedule schedule = makeSchedule(Collective::allreduce, 0, numRanks, {});
  schedule.programs.push_back(
      makeSchedule(Collective::sendrecv, 0, numRanks, {}).programs[0]);
  return schedule;
}

std::string lastError(blinkComm_t comm = nullptr) {
  return blinkGetLastError(comm);
}

} // namespace

TEST_CASE("wrong arguments of messages run nothing") {
  Job job(messages(2), 2);
  int value = 5;
  CHECK(blinkSend(&value, 1, blinkInt32, 2, job[0], nullptr) ==
        blinkInvalidArgument);
  CHECK(contains(lastError(), "peer 2 of 2 ranks"));
  CHECK(blinkRecv(&value, 1, blinkInt32, -1, job[0], nullptr) ==
        blinkInvalidArgument);
  CHECK(blinkSend(nullptr, 1, blinkInt32, 1, job[0], nullptr) ==
        blinkInvalidArgument);
  CHECK(contains(lastError(), "NULL"));
  CHECK(blinkSend(&value, 1, blinkInt32, 1, nullptr, nullptr) ==
        blinkInvalidArgument);
  CHECK(blinkRecv(reinterpret_cast<char *>(&value) + 1, 1, blinkInt32, 1,
                  job[0], nullptr) == blinkInvalidArgument);
  CHECK(contains(lastError(), "not aligned"));
  CHECK(blinkSend(&value, 1, blinkDataType_t(77), 1, job[0], nullptr) ==
        blinkInvalidArgument);
  CHECK(blinkSend(&value, SIZE_MAX / 2, blinkInt32, 1, job[0], nullptr) ==
        blinkInvalidArgument);
  CHECK(blinkSend(nullptr, 0, blinkInt32, 1, job[0], nullptr) == blinkSuccess);
  // The errors have not changed the job.
  int got = 0;
  CHECK(blinkGroupStart() == blinkSuccess);
  CHECK(blinkSend(&value, 1, blinkInt32, 1, job[0], nullptr) == blinkSuccess);
  CHECK(blinkRecv(&got, 1, blinkInt32, 0, job[1], nullptr) == blinkSuccess);
  CHECK(blinkGroupEnd() == blinkSuccess);
  CHECK(got == 5);
}

TEST_CASE("a message of a rank to itself needs both halves in a group") {
  Job job(messages(2), 2);
  int value = 5, got = 0;
  CHECK(blinkSend(&value, 1, blinkInt32, 0, job[0], nullptr) ==
        blinkInvalidUsage);
  CHECK(contains(lastError(), "itself"));
  blinkGroupStart();
  CHECK(blinkRecv(&got, 1, blinkInt32, 0, job[0], nullptr) == blinkSuccess);
  CHECK(blinkGroupEnd() == blinkInvalidUsage);
  blinkGroupStart();
  CHECK(blinkSend(&value, 1, blinkInt32, 0, job[0], nullptr) == blinkSuccess);
  CHECK(blinkRecv(&got, 1, blinkFloat32, 0, job[0], nullptr) == blinkSuccess);
  CHECK(blinkGroupEnd() == blinkInvalidUsage);
  CHECK(contains(lastError(), "calls differ"));
  CHECK(got == 0);
}

TEST_CASE("without a schedule of sendrecv there are no messages") {
  Job job(makeSchedule(Collective::allreduce, 0, 2, {}), 2);
  int value = 5;
  CHECK(blinkSend(&value, 1, blinkInt32, 1, job[0], nullptr) ==
        blinkInvalidUsage);
  CHECK(contains(lastError(), "no sendrecv for 2 ranks: compile one"));
}

TEST_CASE("a receiver finds out that its sender's call differs") {
  for (bool shorter : {false, true}) {
    Job job(messages(3), 3, 20000);
    float values[8] = {}, got[8] = {};
    const auto results = job.onThreads([&](int rank) {
      if (rank == 0)
        return blinkSend(values, shorter ? 3 : 4, blinkFloat32, 1, job[0],
                         nullptr);
      if (rank == 1)
        return shorter ? blinkRecv(got, 4, blinkFloat32, 0, job[1], nullptr)
                       : blinkRecv(got, 4, blinkInt32, 0, job[1], nullptr);
      return blinkSuccess;
    });
    CHECK(results[1] == blinkInvalidUsage);
    CHECK(contains(lastError(job[1]), "rank 1 has message of 4"));
    CHECK(contains(lastError(job[1]), "rank 0 has sent another one"));
    // The other rank's messages fail as well.
    CHECK(blinkSend(values, 1, blinkFloat32, 0, job[2], nullptr) ==
          blinkInvalidUsage);
  }
}

TEST_CASE("a rank that sends nothing in time is named") {
  Job job(messages(3), 3, 100);
  float got = 0;
  CHECK(blinkRecv(&got, 1, blinkFloat32, 2, job[0], nullptr) ==
        blinkRemoteError);
  CHECK(contains(lastError(), "message of 1 float32"));
  CHECK(contains(lastError(), "no chunk from rank 2"));
  CHECK(contains(lastError(), "waited 100 ms for rank 2 to send it"));
}

TEST_CASE("a rank that receives nothing in time is named") {
  Job job(messages(2), 2, 100);
  std::vector<float> values(1 << 20);
  CHECK(blinkSend(values.data(), values.size(), blinkFloat32, 1, job[0],
                  nullptr) == blinkRemoteError);
  CHECK(contains(lastError(), "waited 100 ms for rank 1 to receive it"));
}

TEST_CASE("nobody waits for a rank that is gone, and what it sent arrives") {
  Job job(messages(3), 3, 60000);
  int value = 5, got = 0;
  CHECK(blinkSend(&value, 1, blinkInt32, 1, job[0], nullptr) == blinkSuccess);
  CHECK(blinkCommDestroy(job.release(0)) == blinkSuccess);
  CHECK(blinkRecv(&got, 1, blinkInt32, 0, job[1], nullptr) == blinkSuccess);
  CHECK(got == 5);
  // Messages among the other ranks do not need rank 0.
  CHECK(blinkSend(&value, 1, blinkInt32, 2, job[1], nullptr) == blinkSuccess);
  CHECK(blinkRecv(&got, 1, blinkInt32, 1, job[2], nullptr) == blinkSuccess);
  CHECK(blinkRecv(&got, 1, blinkInt32, 0, job[1], nullptr) == blinkRemoteError);
  CHECK(contains(lastError(), "rank 0"));
}

TEST_CASE("an abort ends messages that wait") {
  Job job(messages(2), 2, 60000);
  const auto results = job.onThreads([&](int rank) {
    float got = 0;
    if (rank == 0)
      return blinkRecv(&got, 1, blinkFloat32, 1, job[0], nullptr);
    return blinkCommAbort(job.release(1));
  });
  CHECK(results[0] == blinkRemoteError);
}
