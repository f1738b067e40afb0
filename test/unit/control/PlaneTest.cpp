//===- PlaneTest.cpp - ranks that join, talk, leave and die ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/unit/control/Ranks.h"

#include <cstdio>

using namespace blink;
using namespace blink::test;

namespace {

void joinMany(int servers, int ranksEach) {
  const Clock::time_point begin = Clock::now();
  Ranks ranks(Ranks::servers(servers, ranksEach));
  Directory directory(ranks.secret);
  ranks.joinAll(directory.place());
  const Clock::time_point joined = Clock::now();
  ranks.expectJoined();
  CHECK(directory.complete());
  CHECK(ranks.tellAll(7));
  const Clock::time_point told = Clock::now();
  CHECK(ranks.lost() == "");
  ranks.leaveAll();
  using Seconds = std::chrono::duration<double>;
  if (std::getenv("BLINK_TEST_TIMES"))
    std::printf("%d servers x %d ranks: joined in %.2f s, told all in %.2f s, "
                "left in %.2f s\n",
                servers, ranksEach, Seconds(joined - begin).count(),
                Seconds(told - joined).count(),
                Seconds(Clock::now() - told).count());
}

} // namespace

TEST_CASE("ranks join, and all servers know what each says") {
  joinMany(2, 1);
  joinMany(3, 4);
  joinMany(24, 2);
}

TEST_CASE("ranks join without waiting for signs of life") {
  Ranks ranks(Ranks::servers(3, 4));
  ranks.silence = std::chrono::minutes(10); // one sign of life a minute
  Directory directory(ranks.secret);
  const Clock::time_point begin = Clock::now();
  ranks.joinAll(directory.place());
  ranks.expectJoined();
  CHECK(ranks.tellAll(7));
  CHECK(eventually([&] { return ranks.knowEachOther(); }));
  ranks.leaveAll();
  CHECK(Clock::now() - begin < std::chrono::seconds(30));
}

TEST_CASE("ranks hear of each other before all have come") {
  Ranks ranks(Ranks::servers(2, 3));
  Directory directory(ranks.secret);
  for (int rank = 0; rank + 1 < ranks.count(); ++rank)
    ranks.join(rank, directory.place());
  CHECK(eventually([&] { return ranks.knowEachOther(); }));
  ranks.join(ranks.count() - 1, directory.place());
  ranks.expectJoined();
  CHECK(eventually([&] { return ranks.knowEachOther(); }));
}

TEST_CASE("512 ranks join" * doctest::skip()) {
  joinMany(64, 8);
  joinMany(512, 1);
}

TEST_CASE("ranks leave one after the other, and none is taken for dead") {
  for (const bool upwards : {true, false}) {
    Ranks ranks(Ranks::servers(3, 2));
    Directory directory(ranks.secret);
    ranks.joinAll(directory.place());
    ranks.expectJoined();
    for (int i = 0; i < ranks.count(); ++i) {
      ranks.leave(upwards ? i : ranks.count() - 1 - i);
      CHECK(ranks.tellAll(uint64_t(i + 1)));
      CHECK(ranks.lost() == "");
    }
  }
}

TEST_CASE("half of the ranks leave at once, hubs among them") {
  Ranks ranks(Ranks::servers(6, 2));
  Directory directory(ranks.secret);
  ranks.joinAll(directory.place());
  ranks.expectJoined();
  for (const int first : {0, 1}) { // then those that remained
    std::vector<std::thread> threads;
    for (int rank = first; rank < ranks.count(); rank += 2)
      threads.emplace_back([&ranks, rank] { ranks.leave(rank); });
    for (std::thread &thread : threads)
      thread.join();
    CHECK(ranks.tellAll(uint64_t(first + 1)));
    CHECK(ranks.lost() == "");
  }
}

TEST_CASE("a failure is known everywhere, once") {
  Ranks ranks(Ranks::servers(3, 2));
  Directory directory(ranks.secret);
  ranks.joinAll(directory.place());
  ranks.expectJoined();
  ranks.planes[4]->fail({blinkInternalError, "rank 4 has had enough"});
  for (int rank = 0; rank < ranks.count(); ++rank) {
    CHECK(eventually([&] { return ranks.memoryOf(rank).memory.failed(); }));
    CHECK(eventually([&] { // the memory may know first
      return ranks.planes[size_t(rank)]->failure().text ==
             "rank 4 has had enough";
    }));
  }
}

TEST_CASE("a failure without a reason waits for one") {
  Ranks ranks({0, 1});
  Directory directory(ranks.secret);
  ranks.joinAll(directory.place());
  ranks.expectJoined();
  storeRelease(ranks.memoryOf(0).memory.abortWord(), 1); // as a lane does
  CHECK(ranks.tellAll(3));                               // also rings the bell
  CHECK(ranks.planes[0]->failure().ok());
  CHECK_FALSE(ranks.memoryOf(1).memory.failed());
  ranks.memoryOf(0).memory.fail({blinkInternalError, "the lane's reason"});
  CHECK(ranks.tellAll(4));
  CHECK(eventually(
      [&] { return ranks.planes[1]->failure().text == "the lane's reason"; }));
}

TEST_CASE("a failure before the memory is there is known, too") {
  Ranks ranks({0, 1});
  Directory directory(ranks.secret);
  std::thread other([&] { ranks.join(1, directory.place()); });
  REQUIRE(ControlPlane::join(ranks.request(0, directory.place()),
                             Clock::now() + std::chrono::seconds(60), {},
                             ranks.planes[0])
              .ok());
  other.join();
  ranks.expectJoined();
  ranks.planes[1]->fail({blinkRemoteError, "no"});
  CHECK(eventually([&] { return !ranks.planes[0]->failure().ok(); }));
  ranks.planes[0]->attach(ranks.memories[0]->memory,
                          ranks.memories[0]->mirrored());
  CHECK(ranks.memories[0]->memory.failed());
}

TEST_CASE("a rank that joins twice, or with other files, is refused") {
  Ranks ranks({0, 1});
  Directory directory(ranks.secret);
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(60);
  std::unique_ptr<ControlPlane> plane;
  ranks.join(0, directory.place());
  ranks.expectJoined();
  Status status = ControlPlane::join(ranks.request(0, directory.place()),
                                     deadline, {}, plane);
  CHECK(status.text == "rank 0 has joined already");
  ControlRequest request = ranks.request(1, directory.place());
  request.numRanks = 3;
  status = ControlPlane::join(request, deadline, {}, plane);
  CHECK(status.text == "rank 1 joins a job of 3 ranks, another one of 2");
  request = ranks.request(1, directory.place());
  request.fingerprint = 43;
  status = ControlPlane::join(request, deadline, {}, plane);
  CHECK(status.code == blinkInvalidUsage);
  CHECK(status.text.find("rank 1 and rank 0 have opened different schedules") ==
        0);
}

TEST_CASE("joining ends when somebody says so") {
  Ranks ranks({0, 1});
  Directory directory(ranks.secret);
  std::unique_ptr<ControlPlane> plane;
  const Status status = ControlPlane::join(
      ranks.request(1, directory.place()),
      Clock::now() + std::chrono::seconds(60),
      [] { return Status(blinkRemoteError, "enough"); }, plane);
  CHECK(status.text == "enough");
}
