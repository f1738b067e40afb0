//===- StatsTest.cpp - statistics of waiting ------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/Comm.h"
#include "runtime/flight/PictureReader.h"
#include "test/conformance/Job.h"
#include "test/conformance/Latches.h"
#include "test/conformance/SumOne.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <future>
#include <numeric>
#include <sys/stat.h>
#include <unistd.h>

using namespace blink;
using namespace blink::test;

namespace {

blinkStats_t statsOf(blinkComm_t comm, uint64_t *waitedFor = nullptr) {
  blinkStats_t stats = BLINK_STATS_INITIALIZER;
  CHECK(blinkCommStats(comm, &stats, waitedFor) == blinkSuccess);
  return stats;
}

} // namespace

TEST_CASE("calls are counted, and who was waited for") {
  constexpr int kRanks = 3, kLate = 1;
  const Job job(makeSchedule(Collective::allreduce, 0, kRanks, {}), kRanks);
  CHECK(statsOf(job[0]).mostWaitedFor == -1);
  CHECK(statsOf(job[0]).waited == 0);
  job.onThreads([&](int rank) {
    // The others have waited for a while when the late rank comes.
    if (rank == kLate)
      CHECK(waitUntil([&] { return statsOf(job[0]).collectives == 1; }));
    return sumOne(job[rank]);
  });
  for (int rank = 0; rank < kRanks; ++rank) {
    uint64_t waitedFor[kRanks];
    const blinkStats_t stats = statsOf(job[rank], waitedFor);
    CHECK(stats.collectives == 1);
    CHECK(stats.messages == 0);
    CHECK(waitedFor[rank] == 0);
    CHECK(stats.waited ==
          std::accumulate(waitedFor, waitedFor + kRanks, uint64_t(0)));
    if (stats.waited != 0)
      CHECK(waitedFor[stats.mostWaitedFor] ==
            *std::max_element(waitedFor, waitedFor + kRanks));
  }
}

TEST_CASE("a wait is counted when it is over, for the rank that was late") {
  const Job job(makeSchedule(Collective::allreduce, 0, 2, {}), 2);
  std::future<blinkResult_t> early =
      std::async(std::launch::async, [&] { return sumOne(job[0]); });
  // The wait is visible to observers while it lasts.
  runtime::FlightFile &flight = job[0]->backend->flight();
  CHECK(waitUntil(
      [&] { return !runtime::readJob(flight).ranks[0].waits.empty(); },
      std::chrono::seconds(20)));
  const runtime::JobPicture picture = runtime::readJob(flight);
  REQUIRE(picture.ranks.size() == 2);
  CHECK(picture.ranks[0].collectives == 1);
  REQUIRE(picture.ranks[0].current());
  CHECK(picture.ranks[0].current()->describe() ==
        "allreduce of 1 int32 with sum");
  REQUIRE(picture.ranks[0].waits.size() == 1);
  const runtime::WaitPicture &wait = picture.ranks[0].waits[0];
  CHECK(wait.peer == 1);
  CHECK(wait.reading);
  CHECK(wait.since >= picture.ranks[0].current()->started);
  CHECK(wait.since <= picture.taken);
  CHECK(picture.ranks[1].known);
  CHECK(!picture.ranks[1].inCall());
  CHECK(sumOne(job[1]) == blinkSuccess);
  CHECK(early.get() == blinkSuccess);
  const runtime::RankPicture after = runtime::readJob(flight).ranks[0];
  CHECK(after.waits.empty());
  REQUIRE(after.calls.size() == 1);
  CHECK(after.calls[0].result == blinkSuccess);
  CHECK(after.calls[0].ended >= wait.since);
  uint64_t waitedFor[2];
  const blinkStats_t stats = statsOf(job[0], waitedFor);
  CHECK(stats.mostWaitedFor == 1);
  CHECK(waitedFor[1] != 0);
  CHECK(stats.waited == waitedFor[1]);
}

TEST_CASE("older programs know fewer numbers") {
  const Job job(makeSchedule(Collective::allreduce, 0, 2, {}), 2);
  blinkStats_t stats = BLINK_STATS_INITIALIZER;
  stats.size = offsetof(blinkStats_t, waited);
  stats.waited = 77;
  CHECK(blinkCommStats(job[0], &stats, nullptr) == blinkSuccess);
  CHECK(stats.size == offsetof(blinkStats_t, waited));
  CHECK(stats.waited == 77);
  stats.size = 0;
  CHECK(blinkCommStats(job[0], &stats, nullptr) == blinkInvalidArgument);
  CHECK(blinkCommStats(job[0], nullptr, nullptr) == blinkInvalidArgument);
  CHECK(blinkCommStats(nullptr, &stats, nullptr) == blinkInvalidArgument);
}

TEST_CASE("what is noted is the user's alone, and goes with its owner") {
  std::string path;
  {
    const Job job(makeSchedule(Collective::allreduce, 0, 2, {}), 2);
    path = job[0]->backend->flight().path();
    if (path.empty()) // the machine has no room in /dev/shm
      return;
    struct stat status{};
    REQUIRE(stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 07777) == 0600);
  }
  CHECK(access(path.c_str(), F_OK) != 0);
}
