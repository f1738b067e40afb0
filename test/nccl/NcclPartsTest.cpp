//===- NcclPartsTest.cpp - parts of communicators that fall back ----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A bundle that has schedules for some sets of GPUs and not for others. A
// communicator that is split off or shrunk uses the fallback if the bundle has
// none for it.
//
//===----------------------------------------------------------------------===//

#include "test/common/BundleBuilder.h"
#include "test/nccl/NcclJob.h"

#include <dlfcn.h>

using namespace blink;
using namespace blink::test;

namespace {

struct PartsFallback {
  Variable library{"BLINK_NCCL_FALLBACK", fakeNccl().c_str()};
  Variable loopback{"NCCL_SOCKET_IFNAME", "lo"};
};

/// Schedules for all four GPUs, the first two, and the last three.
class SomeOfFour {
public:
  SomeOfFour() : file_(seal(makeBundle(options()))) {}

private:
  static BundleOptions options() {
    BundleOptions options;
    options.numGpus = 4;
    options.collectives = {Collective::allreduce};
    options.allocations = {{0, 1}, {1, 2, 3}, {0, 1, 2, 3}};
    return options;
  }
  ScheduleOnDisk file_;
  Variable variable_{"BLINK_SCHEDULES", file_.path()};
};

/// Returns the library that has the communicator, and the rank there: "fake 0
/// of 2", "blink 1 of 2", "none".
std::string kindOf(ncclComm_t comm) {
  if (!comm)
    return "none";
  int rank = -1, count = -1, there = 0;
  REQUIRE(ncclCommUserRank(comm, &rank) == ncclSuccess);
  REQUIRE(ncclCommCount(comm, &count) == ncclSuccess);
  // Blink refuses this call, since there is no type 99; the fake library just
  // counts it.
  const bool fake = ncclAllReduce(&there, nullptr, 1, 99, blinkSum, comm,
                                  nullptr) == ncclSuccess;
  return (fake ? "fake " : "blink ") + std::to_string(rank) + " of " +
         std::to_string(count);
}

std::vector<std::string> kindsOf(const std::vector<ncclComm_t> &parts) {
  std::vector<std::string> kinds;
  for (ncclComm_t part : parts)
    kinds.push_back(kindOf(part));
  return kinds;
}

void freeAll(const std::vector<ncclComm_t> &parts) {
  for (ncclComm_t part : parts)
    CHECK(ncclCommDestroy(part) == ncclSuccess);
}

/// Makes communicators of one process, or of four ranks that join by an id.
std::vector<ncclComm_t> makeFour(bool byId) {
  std::vector<ncclComm_t> comms(4, nullptr);
  if (!byId) {
    REQUIRE(ncclCommInitAll(comms.data(), 4, nullptr) == ncclSuccess);
    return comms;
  }
  ncclUniqueId id;
  REQUIRE(ncclGetUniqueId(&id) == ncclSuccess);
  ncclGroupStart();
  for (int rank = 0; rank < 4; ++rank) {
    cudaSetDevice(rank);
    REQUIRE(ncclCommInitRank(&comms[size_t(rank)], 4, id, rank) == ncclSuccess);
  }
  REQUIRE(ncclGroupEnd() == ncclSuccess);
  return comms;
}

using Kinds = std::vector<std::string>;

} // namespace

TEST_CASE("colours go to the library that can serve them") {
  const PartsFallback fallback;
  const SomeOfFour schedules;
  for (bool byId : {false, true})
    for (bool grouped : {false, true}) {
      CAPTURE(byId);
      CAPTURE(grouped);
      NcclJob job(4, makeFour(byId));
      std::vector<ncclComm_t> parts(4, nullptr);
      // Ranks 0 and 1 have a schedule. Ranks 2 and 3 have none, and change
      // places.
      const auto split = [&](NcclRank &rank) {
        const int color = rank.rank / 2;
        return ncclCommSplit(rank.comm, color, -rank.rank * color,
                             &parts[size_t(rank.rank)], nullptr);
      };
      CHECK((grouped ? job.inGroup(split) : job.onThreads(split)) ==
            ncclSuccess);
      REQUIRE(kindsOf(parts) == Kinds{"blink 0 of 2", "blink 1 of 2",
                                      "fake 1 of 2", "fake 0 of 2"});
      NcclJob first(2, {parts[0], parts[1]});
      CHECK(wrongOf(first) == "");
      CHECK(wrongOf(job) == ""); // the whole job still works
      freeAll({parts[2], parts[3]});
    }
}

TEST_CASE("without a colour there is no communicator, in either library") {
  const PartsFallback fallback;
  const SomeOfFour schedules;
  NcclJob job(4, makeFour(false));
  std::vector<ncclComm_t> parts(4, nullptr);
  CHECK(job.inGroup([&](NcclRank &rank) {
    return ncclCommSplit(rank.comm, rank.rank == 1 ? -1 : 5, 0,
                         &parts[size_t(rank.rank)], nullptr);
  }) == ncclSuccess);
  CHECK(kindsOf(parts) ==
        Kinds{"fake 0 of 3", "none", "fake 1 of 3", "fake 2 of 3"});
  freeAll(parts);
  ncclComm_t none = nullptr;
  CHECK(ncclCommSplit(job[0].comm, -2, 0, &none, nullptr) ==
        ncclInvalidArgument);
}

TEST_CASE("what is left goes to the library that can serve it") {
  const PartsFallback fallback;
  const SomeOfFour schedules;
  int lost = 0;
  Kinds expected;
  SUBCASE("by a schedule") {
    lost = 0;
    expected = {"none", "blink 0 of 3", "blink 1 of 3", "blink 2 of 3"};
  }
  SUBCASE("without one") {
    lost = 2;
    expected = {"fake 0 of 3", "fake 1 of 3", "none", "fake 2 of 3"};
  }
  NcclJob job(4, makeFour(true));
  REQUIRE(ncclCommRevoke(job[lost].comm, 0) == ncclSuccess);
  std::vector<ncclComm_t> parts(4, nullptr);
  CHECK(job.onThreads([&](NcclRank &rank) {
    return rank.rank == lost
               ? ncclSuccess
               : ncclCommShrink(rank.comm, &lost, 1, &parts[size_t(rank.rank)],
                                nullptr, 1);
  }) == ncclSuccess);
  CHECK(kindsOf(parts) == expected);
  freeAll(parts);
}

TEST_CASE("a rank that does not split keeps the others for so long") {
  const PartsFallback fallback;
  const SomeOfFour schedules;
  const Variable limit("BLINK_TIMEOUT_MS", "150");
  NcclJob job(4, makeFour(false));
  ncclComm_t part = nullptr;
  CHECK(ncclCommSplit(job[3].comm, 0, 0, &part, nullptr) == ncclRemoteError);
  CHECK(!part);
  const std::string why = ncclGetLastError(nullptr);
  CAPTURE(why);
  CHECK(why.find("rank 3 waited 150 ms for rank 0") == 0);
}
