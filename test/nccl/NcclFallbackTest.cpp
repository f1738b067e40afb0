//===- NcclFallbackTest.cpp - jobs that Blink cannot serve ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/common/BundleBuilder.h"
#include "test/nccl/NcclJob.h"

#include <dlfcn.h>

using namespace blink;
using namespace blink::test;

namespace {

/// Names the fake library. A process opens it once, so every test of this file
/// uses it.
struct WithFallback {
  Variable library{"BLINK_NCCL_FALLBACK", fakeNccl().c_str()};
  Variable loopback{"NCCL_SOCKET_IFNAME", "lo"};
};

/// Returns the calls in the fake library since the last time.
std::string fakeCalls() {
  void *library = dlopen(fakeNccl().c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (!library)
    return "not open";
  const auto calls =
      reinterpret_cast<const char *(*)()>(dlsym(library, "fakeCalls"));
  const std::string text = calls();
  dlclose(library);
  return text;
}

std::vector<ncclComm_t> initOnThreads(int ranks, ncclResult_t expected) {
  ncclUniqueId id;
  REQUIRE(ncclGetUniqueId(&id) == ncclSuccess);
  std::vector<ncclComm_t> comms(static_cast<size_t>(ranks), nullptr);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      cudaSetDevice(rank);
      const ncclResult_t result =
          ncclCommInitRank(&comms[size_t(rank)], ranks, id, rank);
      const std::string why = ncclGetLastError(nullptr);
      INFO(why);
      CHECK(result == expected);
    });
  for (std::thread &thread : threads)
    thread.join();
  return comms;
}

ncclResult_t reduceOne(ncclComm_t comm) {
  int there = 0;
  return ncclAllReduce(&there, &there, 1, blinkInt32, blinkSum, comm, nullptr);
}

} // namespace

TEST_CASE("ranks that have a schedule do not fall back") {
  const WithFallback fallback;
  const Schedules schedules(3);
  fakeCalls();
  NcclJob job(3, initOnThreads(3, ncclSuccess));
  CHECK(wrongOf(job) == "");
  CHECK((fakeCalls() == "" || fakeCalls() == "not open"));
}

TEST_CASE("without a schedule all ranks have the fallback") {
  const WithFallback fallback;
  const Schedules schedules(4); // for four ranks
  std::vector<ncclComm_t> comms;
  SUBCASE("on threads") { comms = initOnThreads(3, ncclSuccess); }
  SUBCASE("in a group") {
    ncclUniqueId id;
    REQUIRE(ncclGetUniqueId(&id) == ncclSuccess);
    comms.resize(3);
    ncclGroupStart();
    for (int rank = 0; rank < 3; ++rank)
      CHECK(ncclCommInitRank(&comms[size_t(rank)], 3, id, rank) == ncclSuccess);
    CHECK(ncclGroupEnd() == ncclSuccess);
  }
  SUBCASE("by one call") {
    comms.resize(3);
    CHECK(ncclCommInitAll(comms.data(), 3, nullptr) == ncclSuccess);
  }
  fakeCalls();
  for (int rank = 0; rank < 3; ++rank) {
    int given = -1;
    REQUIRE(comms[size_t(rank)]);
    CHECK(ncclCommUserRank(comms[size_t(rank)], &given) == ncclSuccess);
    CHECK(given == rank);
    CHECK(reduceOne(comms[size_t(rank)]) == ncclSuccess);
  }
  CHECK(fakeCalls() == "AllReduce,AllReduce,AllReduce,");
  CHECK(std::string(ncclGetLastError(comms[0])) == "the fake library's");
  // The caller's groups are also groups of the fake library.
  ncclGroupStart();
  CHECK(reduceOne(comms[0]) == ncclSuccess);
  CHECK(ncclGroupEnd() == ncclSuccess);
  CHECK(fakeCalls() == "AllReduce in a group,");
  ncclSimInfo_t info = {sizeof(info), 0x74685283, 22707, -1};
  ncclGroupStart();
  CHECK(reduceOne(comms[0]) == ncclSuccess);
  CHECK(ncclGroupSimulateEnd(&info) == ncclSuccess);
  CHECK(info.estimatedTime == 42);
  CHECK(reduceOne(comms[0]) == ncclSuccess);
  CHECK(fakeCalls() == "AllReduce in a group,AllReduce,");
  // Functions that the fake library lacks are refused.
  CHECK(ncclCommFinalize(comms[0]) == ncclInvalidUsage);
  ncclComm_t part = nullptr, none = nullptr;
  CHECK(ncclCommSplit(comms[0], 1, 0, &part, nullptr) == ncclSuccess);
  CHECK(ncclCommSplit(comms[0], -1, 0, &none, nullptr) == ncclSuccess);
  CHECK(!none);
  CHECK(ncclCommDestroy(part) == ncclSuccess);
  for (ncclComm_t comm : comms)
    CHECK(ncclCommDestroy(comm) == ncclSuccess);
}

TEST_CASE("a bundle that has nothing for the ranks' GPUs is no schedule") {
  const WithFallback fallback;
  BundleOptions options;
  options.numGpus = 4;
  options.collectives = {Collective::allreduce};
  options.allocations = {{0, 1}};
  const ScheduleOnDisk file(seal(makeBundle(options)));
  const Variable schedules("BLINK_SCHEDULES", file.path());
  for (int second : {1, 2}) { // the ranks find out when they meet
    CAPTURE(second);
    ncclUniqueId id;
    REQUIRE(ncclGetUniqueId(&id) == ncclSuccess);
    std::vector<ncclComm_t> comms(2, nullptr);
    fakeCalls();
    ncclGroupStart();
    for (int rank : {0, 1}) {
      cudaSetDevice(rank * second);
      CHECK(ncclCommInitRank(&comms[size_t(rank)], 2, id, rank) == ncclSuccess);
    }
    CHECK(ncclGroupEnd() == ncclSuccess);
    CHECK(fakeCalls() ==
          (second == 1 ? "" : "GetUniqueId,CommInitRank,CommInitRank,"));
    for (ncclComm_t comm : comms)
      CHECK(ncclCommDestroy(comm) == ncclSuccess);
  }
}

TEST_CASE("ranks wait only so long to agree") {
  const WithFallback fallback;
  const Schedules schedules(4);
  const Variable limit("BLINK_TIMEOUT_MS", "200");
  ncclUniqueId id;
  REQUIRE(ncclGetUniqueId(&id) == ncclSuccess);
  ncclComm_t comm = nullptr;
  CHECK(ncclCommInitRank(&comm, 2, id, 1) == ncclRemoteError);
  CHECK(!comm);
  CHECK(std::string(ncclGetLastError(nullptr)) ==
        "rank 1 waited 200 ms for all ranks to say which library serves them");
}
