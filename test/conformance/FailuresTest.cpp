//===- FailuresTest.cpp - ranks that are missing, differ or give up -------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/Comm.h"
#include "runtime/host/HostBackend.h"
#include "test/conformance/Latches.h"
#include "test/conformance/Places.h"
#include "test/conformance/SumOne.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <thread>

using namespace blink;
using namespace blink::test;

namespace {

runtime::RankRun &runOf(blinkComm_t comm) {
  runtime::Call call;
  call.rank = comm->rank;
  return static_cast<runtime::HostBackend &>(*comm->backend).runOf(call);
}

/// Returns true if the rank is in its first call and has had to wait for
/// others. Use it for calls so small that no rank borrows a buffer: then it
/// reads only atomics while another thread steps the lanes.
bool waitsForOthers(blinkComm_t comm) {
  return runOf(comm).hasLanesLeft() && runOf(comm).lastWait() != 0;
}

bool contains(const char *text, const char *part) {
  return std::string(text).find(part) != std::string::npos;
}

TestSchedule allReduce(int ranks) {
  return makeSchedule(Collective::allreduce, 0, ranks, {});
}

/// Returns a schedule that passes the loader but can never end: each of two
/// ranks wants to read before it writes.
TestSchedule stuckSchedule() {
  using sched::OperandKind;
  TestSchedule model = makeSchedule(Collective::allreduce, 0, 2, {});
  TestVariant &variant = model.variant();
  variant.channels.resize(2);
  variant.channels[0].source = variant.channels[1].destination = 0;
  variant.channels[1].source = variant.channels[0].destination = 1;
  for (uint32_t rank : {0, 1}) {
    TestRank &code = variant.ranks[rank];
    code.lanes = {{0, 1}};
    code.operands = {{OperandKind::channel, 1 - rank},
                     {OperandKind::channel, rank}};
    code.steps = {{0, 0, 1, 1, true}};
  }
  return model;
}

} // namespace

TEST_CASE("a missing rank is named when the time is up") {
  Job job(allReduce(4), 4, 100);
  for (int rank = 0; rank < 4; ++rank) {
    // Afterwards every call fails at once, including the missing rank's.
    std::vector<blinkResult_t> results = job.onThreads([&](int r) {
      return r == 2 && rank == 0 ? blinkSuccess : sumOne(job[r]);
    });
    for (int r = 0; r < 4; ++r)
      CHECK(results[r] ==
            (r == 2 && rank == 0 ? blinkSuccess : blinkRemoteError));
  }
  // This fails without waiting for another rank.
  CHECK(sumOne(job[0]) == blinkRemoteError);
  const char *text = blinkGetLastError(job[0]);
  CAPTURE(text);
  CHECK(contains(text, "allreduce of 1 int32 with sum: rank "));
  CHECK(contains(text, "waited 100 ms for rank 2 to call it too"));
  blinkResult_t state = blinkSuccess;
  CHECK(blinkCommGetAsyncError(job[2], &state) == blinkSuccess);
  CHECK(state == blinkRemoteError);
  CHECK(freshJobFails() == "");
}

TEST_CASE("the environment sets the time limit, the config goes first") {
  setenv("BLINK_TIMEOUT_MS", "90", 1);
  {
    Job job(allReduce(2), 2);
    CHECK(sumOne(job[0]) == blinkRemoteError);
    CHECK(contains(blinkGetLastError(job[0]), "90 ms"));
    Job other(allReduce(2), 2, 80);
    CHECK(sumOne(other[0]) == blinkRemoteError);
    CHECK(contains(blinkGetLastError(other[0]), "80 ms"));
  }
  setenv("BLINK_TIMEOUT_MS", "soon", 1);
  std::vector<uint8_t> bytes = seal(allReduce(2));
  blinkSchedule_t schedule;
  REQUIRE(blinkScheduleOpenMemory(bytes.data(), bytes.size(), &schedule) ==
          blinkSuccess);
  blinkComm_t comms[2];
  CHECK(blinkCommInitAll(comms, 2, nullptr, schedule, nullptr) ==
        blinkInvalidArgument);
  CHECK(contains(blinkGetLastError(nullptr), "BLINK_TIMEOUT_MS is 'soon'"));
  blinkScheduleClose(schedule);
  unsetenv("BLINK_TIMEOUT_MS");
}

TEST_CASE("a schedule that cannot end ends, and says where it stood") {
  Job job(stuckSchedule(), 2, 100);
  for (blinkResult_t result :
       job.onThreads([&](int rank) { return sumOne(job[rank]); }))
    CHECK(result == blinkRemoteError);
  std::string text = blinkGetLastError(job[0]);
  CAPTURE(text);
  const char *rest =
      "expected 1 written, seen 0; waited 100 ms; all ranks have "
      "called it";
  bool rank0 = contains(text.c_str(), "allreduce of 1 int32 with sum: rank 0, "
                                      "lane 0, step 0, channel 1: no chunk "
                                      "from rank 1: ");
  bool rank1 = contains(text.c_str(), "allreduce of 1 int32 with sum: rank 1, "
                                      "lane 0, step 0, channel 0: no chunk "
                                      "from rank 0: ");
  CHECK(contains(text.c_str(), rest));
  CHECK((rank0 || rank1));
  // Both ranks report the same error.
  CHECK(blinkGetLastError(job[1]) == text);
  CHECK(namesAWait(text, stuckSchedule()));
  CHECK(freshJobFails() == "");
}

TEST_CASE("abort from another thread ends the calls of all ranks") {
  for (int aborted : {0, 2})
    for (bool waiting : {false, true}) {
      // Ranks 0 and 1 call, rank 2 never does. The abort comes at any time, or
      // when both are waiting.
      Job job(allReduce(3), 3);
      blinkComm_t comms[3] = {job[0], job[1], job[2]};
      blinkComm_t victim = job.release(aborted);
      blinkResult_t results[2];
      std::atomic<int> collected{0};
      std::vector<std::thread> threads;
      for (int rank : {0, 1})
        threads.emplace_back([&, rank] {
          int32_t in = 1, out = 0;
          blinkGroupStart();
          blinkAllReduce(&in, &out, 1, blinkInt32, blinkSum, comms[rank],
                         nullptr);
          ++collected;
          results[rank] = blinkGroupEnd();
        });
      while (collected != 2)
        std::this_thread::yield();
      for (int rank = 0; waiting && rank < 2; ++rank)
        CHECK(waitUntil([&] { return waitsForOthers(comms[rank]); }));
      CHECK(blinkCommAbort(victim) == blinkSuccess);
      for (std::thread &thread : threads)
        thread.join();
      CHECK(results[0] == blinkRemoteError);
      CHECK(results[1] == blinkRemoteError);
      CHECK(contains(blinkGetLastError(job[1]),
                     aborted == 0 ? "rank 0 aborted" : "rank 2 aborted"));
      blinkResult_t state = blinkSuccess;
      CHECK(blinkCommGetAsyncError(job[1], &state) == blinkSuccess);
      CHECK(state == blinkRemoteError);
    }
}

TEST_CASE("abort while data moves") {
  BuildOptions layout;
  layout.chunkBytes = 64;
  const size_t count = 1 << 16; // 4,096 chunks
  for (int run = 0; run < 10; ++run) {
    Job job(makeSchedule(Collective::allreduce, 0, 3, layout), 3);
    std::vector<std::vector<float>> data(3, std::vector<float>(count, 1.0f));
    blinkResult_t result = blinkSuccess;
    std::atomic<bool> collected{false};
    std::thread thread([&] {
      blinkGroupStart();
      for (int rank = 0; rank < 3; ++rank)
        blinkAllReduce(data[rank].data(), data[rank].data(), count,
                       blinkFloat32, blinkSum, job[rank], nullptr);
      collected = true;
      result = blinkGroupEnd();
    });
    // Each chunk has a fold up and a fold down. The abort comes at the first
    // chunk, in the middle, or near the last.
    CHECK(waitUntil([&] {
      return collected && runOf(job[1]).foldsRun() >= uint64_t(run) * 900;
    }));
    // Wherever the ranks are by now, the calls must end. They may have finished
    // already.
    CHECK(blinkCommAbort(job.release(1)) == blinkSuccess);
    // From here on the buffers of rank 1 belong to the caller again.
    std::fill(data[1].begin(), data[1].end(), 7.0f);
    thread.join();
    CHECK(data[1] == std::vector<float>(count, 7.0f));
    CHECK(freshJobFails() == "");
    CHECK((result == blinkRemoteError || result == blinkSuccess));
    CHECK(sumOne(job[0]) == blinkRemoteError);
  }
}

TEST_CASE("calls that differ are an error on all ranks, never a wrong result") {
  float in[8] = {}, out[24] = {};
  auto differ = [&](const std::function<blinkResult_t(int, blinkComm_t)> &body,
                    const char *text) {
    for (bool threads : {false, true}) {
      Job job(allCollectives(3, 1, {}), 3);
      auto call = [&](int rank) { return body(rank, job[rank]); };
      if (threads) {
        for (blinkResult_t result : job.onThreads(call))
          CHECK(result == blinkInvalidUsage);
        // Chunks that had been sent are lost, so no rank can go on.
        CHECK(sumOne(job[0]) == blinkInvalidUsage);
        CHECK(freshJobFails() == "");
      } else {
        CHECK(job.inGroup(call) == blinkInvalidUsage);
        Case c; // nothing has run, so the job still works
        c.count = 10;
        CHECK(runCase(job, c) == "");
      }
      for (int rank = 0; rank < 3; ++rank) {
        std::string message = blinkGetLastError(job[rank]);
        CAPTURE(message);
        CHECK(contains(message.c_str(), "the ranks' calls differ: rank "));
        CHECK(contains(message.c_str(), text));
      }
    }
  };
  differ(
      [&](int rank, blinkComm_t comm) {
        return blinkAllReduce(in, &out[rank * 8], rank == 1 ? 2 : 1,
                              blinkFloat32, blinkSum, comm, nullptr);
      },
      "rank 1 has allreduce of 2 float32 with sum");
  differ(
      [&](int rank, blinkComm_t comm) {
        return blinkAllReduce(in, &out[rank * 8], 1,
                              rank == 2 ? blinkInt32 : blinkFloat32, blinkSum,
                              comm, nullptr);
      },
      "rank 2 has allreduce of 1 int32 with sum");
  differ(
      [&](int rank, blinkComm_t comm) {
        return blinkAllReduce(in, &out[rank * 8], 1, blinkFloat32,
                              rank == 2 ? blinkMax : blinkSum, comm, nullptr);
      },
      "rank 2 has allreduce of 1 float32 with max");
  differ(
      [&](int rank, blinkComm_t comm) {
        return rank == 2 ? blinkBroadcast(in, &out[rank * 8], 1, blinkFloat32,
                                          1, comm, nullptr)
                         : blinkAllReduce(in, &out[rank * 8], 1, blinkFloat32,
                                          blinkSum, comm, nullptr);
      },
      "rank 2 has broadcast of 1 float32 and root 1");
}

TEST_CASE("a rank with no elements is one that did not call") {
  Job job(allReduce(2), 2, 100);
  float value = 1;
  std::vector<blinkResult_t> results = job.onThreads([&](int rank) {
    return blinkAllReduce(&value, &value, size_t(rank), blinkFloat32, blinkSum,
                          job[rank], nullptr);
  });
  CHECK(results[0] == blinkSuccess);
  CHECK(results[1] == blinkRemoteError);
  CHECK(contains(blinkGetLastError(job[1]), "for rank 0 to call it too"));
}

TEST_CASE("a destroyed rank fails the others' calls at once") {
  Job job(allReduce(3), 3);
  CHECK(blinkCommDestroy(job.release(1)) == blinkSuccess);
  CHECK(sumOne(job[0]) == blinkRemoteError);
  CHECK(contains(blinkGetLastError(job[0]), "rank 1 has been destroyed"));
  // Calls that were waiting, or were about to, also end.
  for (bool waiting : {false, true}) {
    Job other(allReduce(3), 3, 5000);
    blinkResult_t result = blinkSuccess;
    std::atomic<bool> begun{false};
    std::thread zero([&] {
      begun = true;
      result = sumOne(other[0]);
    });
    while (!begun)
      std::this_thread::yield();
    if (waiting)
      CHECK(waitUntil([&] { return waitsForOthers(other[0]); }));
    CHECK(blinkCommDestroy(other.release(2)) == blinkSuccess);
    zero.join();
    CHECK(result == blinkRemoteError);
    CHECK(contains(blinkGetLastError(other[0]), "rank 2 has been destroyed"));
  }
}
