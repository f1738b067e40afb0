//===- NcclInitTest.cpp - communicators with NCCL's names -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Latches.h"
#include "test/nccl/NcclJob.h"

#include <climits>

using namespace blink;
using namespace blink::test;

namespace {

/// A configuration as compiled into a program with a newer header: unknown
/// fields follow.
struct LongConfig {
  ncclConfig_t known = {sizeof(LongConfig), 0xcafebeef, 23203, INT_MIN};
  int more[20] = {};
};

ncclUniqueId makeId() {
  ncclUniqueId id;
  REQUIRE(ncclGetUniqueId(&id) == ncclSuccess);
  return id;
}

/// Makes communicators on one thread, each on a device of its own.
std::vector<ncclComm_t> initInGroup(int ranks, ncclConfig_t *config = nullptr,
                                    ncclResult_t expected = ncclSuccess) {
  const ncclUniqueId id = makeId();
  std::vector<ncclComm_t> comms(static_cast<size_t>(ranks), nullptr);
  CHECK(ncclGroupStart() == ncclSuccess);
  for (int rank = 0; rank < ranks; ++rank) {
    cudaSetDevice(rank);
    CHECK(ncclCommInitRankConfig(&comms[size_t(rank)], ranks, id, rank,
                                 config) == ncclSuccess);
  }
  const ncclResult_t result = ncclGroupEnd();
  const std::string why = ncclGetLastError(nullptr);
  INFO(why);
  CHECK(result == expected);
  return comms;
}

} // namespace

TEST_CASE("a program makes communicators in each of NCCL's ways") {
  const Schedules schedules(3);
  SUBCASE("all at once") {
    NcclJob job(3);
    CHECK(wrongOf(job) == "");
  }
  SUBCASE("in a group") {
    NcclJob job(3, initInGroup(3));
    CHECK(wrongOf(job) == "");
  }
  SUBCASE("with a configuration") {
    LongConfig config;
    NcclJob job(3, initInGroup(3, &config.known));
    CHECK(wrongOf(job) == "");
  }
  SUBCASE("on threads") {
    const ncclUniqueId id = makeId();
    std::vector<ncclComm_t> comms(3, nullptr);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < 3; ++rank)
      threads.emplace_back([&, rank] {
        cudaSetDevice(rank);
        ncclUniqueId ids[2] = {id, id};
        CHECK(ncclCommInitRankScalable(&comms[size_t(rank)], 3, rank, 2, ids,
                                       nullptr) == ncclSuccess);
      });
    for (std::thread &thread : threads)
      thread.join();
    NcclJob job(3, comms);
    CHECK(wrongOf(job) == "");
  }
  SUBCASE("in the background") {
    LongConfig config;
    config.known.blocking = 0;
    std::vector<ncclComm_t> comms =
        initInGroup(3, &config.known, ncclInProgress);
    for (ncclComm_t comm : comms) {
      ncclResult_t state = ncclInProgress;
      REQUIRE(comm);
      CHECK(waitUntil([&] {
        CHECK(ncclCommGetAsyncError(comm, &state) == ncclSuccess);
        return state != ncclInProgress;
      }));
      CHECK(state == ncclSuccess);
    }
    NcclJob job(3, comms);
    CHECK(wrongOf(job) == "");
  }
}

TEST_CASE("what a communicator says of itself") {
  const Schedules schedules(3);
  NcclJob job(3);
  int count = 0, rank = 0, device = 0;
  uint64_t bytes = 0;
  CHECK(ncclCommCount(job[2].comm, &count) == ncclSuccess);
  CHECK(ncclCommUserRank(job[2].comm, &rank) == ncclSuccess);
  CHECK(ncclCommCuDevice(job[2].comm, &device) == ncclSuccess);
  CHECK(ncclCommMemStats(job[2].comm, 3, &bytes) == ncclSuccess);
  CHECK(count == 3);
  CHECK(rank == 2);
  CHECK(device == 2);
  CHECK(bytes > 0);
  CHECK(ncclCommCount(job[2].comm, nullptr) == ncclInvalidArgument);
  CHECK(ncclCommMemStats(job[2].comm, 4, &bytes) == ncclInvalidArgument);
}

TEST_CASE("communicators are split, and what has no colour gets none") {
  const Schedules schedules(2); // there is no schedule for three ranks
  BuildOptions layout;
  layout.chunkBytes = 512;
  TestSchedule model = allCollectives(4, 0, layout);
  const TestSchedule two = allCollectives(2, 0, layout);
  const ScheduleOnDisk larger(model), smaller(two);
  const std::string both = std::string(larger.path()) + ":" + smaller.path();
  const Variable places("BLINK_SCHEDULES", both.c_str());
  NcclJob job(4);
  std::vector<ncclComm_t> parts(4, nullptr);
  const ncclResult_t result = job.inGroup([&](NcclRank &r) {
    return ncclCommSplit(r.comm, r.rank < 2 ? 0 : -1, -r.rank,
                         &parts[size_t(r.rank)], nullptr);
  });
  const std::string why = ncclGetLastError(nullptr);
  INFO(why);
  CHECK(result == ncclSuccess);
  CHECK(!parts[2]);
  CHECK(!parts[3]);
  REQUIRE(parts[0]);
  int rank = -1, device = -1;
  CHECK(ncclCommUserRank(parts[0], &rank) == ncclSuccess);
  CHECK(rank == 1); // its key is larger
  CHECK(ncclCommCuDevice(parts[0], &device) == ncclSuccess);
  CHECK(device == 0);
  CHECK(wrongOf(job) == "");
  for (int part : {0, 1})
    CHECK(ncclCommDestroy(parts[size_t(part)]) == ncclSuccess);
}

TEST_CASE("a communicator is finalized, revoked, aborted") {
  const Schedules schedules(2);
  SUBCASE("finalized") {
    NcclJob job(2);
    CHECK(wrongOf(job) == "");
    CHECK(ncclCommFinalize(job[0].comm) == ncclSuccess);
    CHECK(ncclAllReduce(job[0].send, job[0].recv, 1, blinkInt32, blinkSum,
                        job[0].comm, job[0].stream) == ncclInvalidUsage);
  }
  SUBCASE("revoked") {
    NcclJob job(2);
    CHECK(ncclCommRevoke(job[0].comm, 0) == ncclSuccess);
    for (int rank : {0, 1}) {
      ncclResult_t state = ncclSuccess;
      CHECK(ncclCommGetAsyncError(job[rank].comm, &state) == ncclSuccess);
      CHECK(state == ncclRemoteError);
    }
  }
  SUBCASE("aborted") {
    NcclJob job(2);
    CHECK(ncclCommAbort(job.release(0)) == ncclSuccess);
    CHECK(ncclAllReduce(job[1].send, job[1].recv, 1, blinkInt32, blinkSum,
                        job[1].comm, job[1].stream) == ncclRemoteError);
  }
  SUBCASE("freed in a group") {
    NcclJob job(2);
    ncclGroupStart();
    for (int rank : {0, 1})
      CHECK(ncclCommDestroy(job.release(rank)) == ncclSuccess);
    CHECK(ncclGroupEnd() == ncclSuccess);
  }
}

TEST_CASE("buffers are registered by a call of one rank") {
  const Schedules schedules(2);
  NcclJob job(2);
  NcclRank &r = job[1];
  void *handle = nullptr, *buffer = nullptr;
  ncclWindow_t window = nullptr;
  CHECK(ncclCommRegister(r.comm, r.send, 64, &handle) == ncclSuccess);
  CHECK(ncclCommWindowRegister(r.comm, r.recv, 64, &window, 1) == ncclSuccess);
  CHECK(ncclWinGetUserPtr(r.comm, window, &buffer) == ncclSuccess);
  CHECK(buffer == r.recv);
  CHECK(wrongOf(job) == "");
  CHECK(ncclCommDeregister(r.comm, handle) == ncclSuccess);
  CHECK(ncclCommDeregister(r.comm, handle) == ncclInvalidArgument);
  CHECK(ncclCommDeregister(job[0].comm, window) == ncclInvalidArgument);
  CHECK(ncclCommRegister(r.comm, nullptr, 64, &handle) == ncclInvalidArgument);
  // The communicator's end also frees its window.
}

TEST_CASE("memory is NCCL's to ask for") {
  const Schedules schedules(2);
  void *memory = nullptr;
  cudaSetDevice(1);
  REQUIRE(ncclMemAlloc(&memory, 1 << 20) == ncclSuccess);
  CHECK(cudaMemset(memory, 0, 1 << 20) == cudaSuccess);
  CHECK(cudaStreamSynchronize(nullptr) == cudaSuccess);
  CHECK(ncclMemFree(memory) == ncclSuccess);
  CHECK(ncclMemFree(nullptr) == ncclSuccess);
}

TEST_CASE("communicators that cannot be made are null, with a sentence") {
  ncclComm_t comms[2] = {};
  const auto why = [] { return std::string(ncclGetLastError(nullptr)); };
  SUBCASE("no schedules are named") {
    const Variable none("BLINK_SCHEDULES", nullptr);
    CHECK(ncclCommInitAll(comms, 2, nullptr) == ncclInvalidUsage);
    CHECK(why().find("BLINK_SCHEDULES is not set") == 0);
  }
  SUBCASE("a file is not there") {
    const Variable none("BLINK_SCHEDULES", "/nowhere.sched");
    CHECK(ncclCommInitAll(comms, 2, nullptr) == ncclSystemError);
    CHECK(why().find("/nowhere.sched") == 0);
  }
  SUBCASE("no schedule is for so many") {
    const Schedules schedules(3);
    CHECK(ncclCommInitAll(comms, 2, nullptr) == ncclInvalidUsage);
  }
  SUBCASE("the configuration is none") {
    const Schedules schedules(2);
    LongConfig config;
    config.known.magic = 1;
    CHECK(ncclCommInitRankConfig(comms, 1, makeId(), 0, &config.known) ==
          ncclInvalidArgument);
    config = LongConfig();
    config.known.blocking = 7;
    CHECK(ncclCommInitRankConfig(comms, 1, makeId(), 0, &config.known) ==
          ncclInvalidArgument);
    CHECK(why() == "blocking is 7, expected 0 or 1");
  }
  SUBCASE("the rank is none") {
    const Schedules schedules(2);
    CHECK(ncclCommInitRank(comms, 2, makeId(), 2) == ncclInvalidArgument);
  }
  CHECK(!comms[0]);
}

TEST_CASE("a group that is only simulated runs nothing") {
  TestSchedule model = allCollectives(2, 0, {});
  for (TestProgram &program : model.programs)
    program.variants[0].times = {{0, 3}, {32, 7}};
  const Schedules schedules(model);
  NcclJob job(2);
  job.fill([](int, int) { return 1; });
  const auto reduce = [&](size_t count) {
    for (int rank : {0, 1})
      CHECK(ncclAllReduce(job[rank].send, job[rank].recv, count, blinkInt32,
                          blinkSum, job[rank].comm,
                          job[rank].stream) == ncclSuccess);
  };
  ncclSimInfo_t info = {sizeof(info), 0x74685283, 22707, -1};
  ncclGroupStart();
  reduce(8);
  CHECK(ncclGroupSimulateEnd(&info) == ncclSuccess);
  CHECK(info.estimatedTime == 7);
  CHECK(job.received(0)[0] == -1);
  CHECK(ncclGroupEnd() == ncclInvalidUsage); // the group has ended

  // Only the outermost end returns an estimate; inner ends need no place for
  // it.
  ncclGroupStart();
  ncclGroupStart();
  reduce(4);
  CHECK(ncclGroupEnd() == ncclSuccess);
  reduce(4);
  CHECK(ncclGroupSimulateEnd(nullptr) == ncclSuccess);
  CHECK(job.received(0)[0] == -1);

  ncclSimInfo_t none = {};
  ncclGroupStart();
  CHECK(ncclGroupSimulateEnd(&none) == ncclInvalidArgument);
  CHECK(ncclGroupSimulateEnd(&info) == ncclSuccess);
  CHECK(info.estimatedTime == 0);

  // Making communicators has no estimate, and none is made.
  ncclComm_t made = nullptr;
  ncclGroupStart();
  CHECK(ncclCommInitRank(&made, 1, makeId(), 0) == ncclSuccess);
  CHECK(ncclGroupSimulateEnd(&info) == ncclInvalidUsage);
  CHECK(!made);
  ncclGroupStart();
  CHECK(ncclCommSplit(job[0].comm, 0, 0, &made, nullptr) == ncclSuccess);
  CHECK(ncclGroupSimulateEnd(&info) == ncclInvalidUsage);
  CHECK(std::string(ncclGetLastError(nullptr)) ==
        "only collectives and messages are simulated: the group has been left "
        "without making communicators");
  CHECK(!made);
  CHECK(wrongOf(job) == "");
}

TEST_CASE("a schedule without times simulates nothing") {
  const Schedules schedules(2);
  NcclJob job(2);
  ncclSimInfo_t info = {sizeof(info), 0x74685283, 22707, -1};
  ncclGroupStart();
  for (int rank : {0, 1})
    ncclAllReduce(job[rank].send, job[rank].recv, 8, blinkInt32, blinkSum,
                  job[rank].comm, job[rank].stream);
  CHECK(ncclGroupSimulateEnd(&info) == ncclInvalidUsage);
  CHECK(info.estimatedTime == -1);
  CHECK(wrongOf(job) == "");
}
