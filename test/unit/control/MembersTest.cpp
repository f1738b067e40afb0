//===- MembersTest.cpp - ranks that may join, and what follows ------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/control/Members.h"

#include "doctest/doctest.h"

#include <cstring>

using namespace blink;
using namespace blink::runtime;

namespace {

Introduction rankOn(uint32_t rank, uint32_t server, const char *host) {
  Introduction one;
  one.numRanks = 8;
  one.rank = rank;
  one.fingerprint = 42;
  one.host = uint64_t(host[0]);
  one.server = server;
  one.place.port = 4711;
  one.place.count = 1;
  std::strncpy(one.hostName, host, sizeof(one.hostName) - 1);
  return one;
}

/// Returns ranks 0-2 and 5 on one server, 3 and 4 on another, and 6 and 7 on a
/// third.
Members members() {
  Members all;
  all.resize({0, 0, 0, 1, 1, 0, 2, 2});
  REQUIRE(all.introduce(rankOn(0, 0, "alpha")));
  return all;
}

std::string check(const Introduction &introduction,
                  const Members &all = members()) {
  return all.check(introduction, rankOn(0, 0, "alpha")).text;
}

} // namespace

TEST_CASE("ranks where the schedule has them are taken in") {
  CHECK(check(rankOn(1, 0, "alpha")) == "");
  CHECK(check(rankOn(3, 1, "beta")) == "");
  CHECK(check(rankOn(3, 1, "alpha")) == ""); // several servers on a host
}

TEST_CASE("all are known when each has been introduced, however often") {
  Members all;
  all.resize({0, 0});
  REQUIRE(all.introduce(rankOn(0, 0, "alpha")));
  REQUIRE(all.introduce(rankOn(0, 0, "alpha")));
  CHECK(!all.allKnown());
  REQUIRE(all.introduce(rankOn(1, 0, "alpha")));
  CHECK(all.allKnown());
}

TEST_CASE("ranks elsewhere are refused, with those they belong to") {
  CHECK(check(rankOn(2, 0, "beta")) ==
        "rank 2 is on the server of ranks 0-1, 5 by the schedule, and runs on "
        "another host: on beta, and rank 0 on alpha: start it there, or "
        "compile for where the ranks run");
  CHECK(check(rankOn(5, 0, "beta")).find("ranks 0-2 by the schedule") !=
        std::string::npos);
  Members all = members();
  REQUIRE(all.introduce(rankOn(3, 1, "beta")));
  CHECK(check(rankOn(4, 1, "gamma"), all).find("the server of rank 3 by") !=
        std::string::npos);
}

TEST_CASE("ranks with other schedules or numbers are refused") {
  Introduction other = rankOn(3, 1, "beta");
  other.fingerprint = 1;
  CHECK(check(other).find("rank 3 and rank 0 have opened different") == 0);
  CHECK(check(rankOn(3, 2, "beta")).find("different schedules") !=
        std::string::npos);
  CHECK(check(rankOn(8, 0, "alpha")).find("joins a job of 8 ranks") !=
        std::string::npos);
  CHECK(check(rankOn(~0u, 0, "alpha")).find("joins a job of 8 ranks") !=
        std::string::npos);
  other = rankOn(3, 1, "beta");
  other.numRanks = 9;
  CHECK(check(other) == "rank 3 joins a job of 9 ranks, rank 0 one of 8");
  other = rankOn(3, 1, "beta");
  other.place.count = 4; // more addresses than there are
  CHECK(check(other) == "rank 3 listens nowhere");
}

TEST_CASE("introductions of no rank are not noted") {
  Members all = members();
  CHECK(!all.introduce(rankOn(8, 0, "alpha")));
  CHECK(!all.introduce(rankOn(0x80000000u, 0, "alpha")));
  Introduction nowhere = rankOn(1, 0, "alpha");
  nowhere.place.count = 0;
  CHECK(!all.introduce(nowhere));
  CHECK(!all.known(1));
  Introduction endless = rankOn(1, 0, "alpha");
  std::memset(endless.hostName, 'x', sizeof(endless.hostName));
  CHECK(all.introduce(endless));
  CHECK(all.name(1) == "rank 1 on " + std::string(63, 'x'));
  CHECK(all.name(2) == "rank 2");
}

TEST_CASE("the lowest that are left lead") {
  Members all = members();
  CHECK(all.hub() == 0);
  CHECK(all.agentOf(0) == 0);
  CHECK(all.agentOf(1) == 3);
  all.setGone(0);
  CHECK(all.hub() == 1);
  CHECK(all.agentOf(0) == 1);
  all.setLost(3, "it died");
  all.setLost(3, "it died once more");
  CHECK(all.whyLost(3) == "it died");
  CHECK(all.agentOf(1) == 4);
  all.setLost(4, "it, too");
  CHECK(all.agentOf(1) == -1);
  for (int rank : {1, 2, 5})
    all.setGone(rank);
  CHECK(all.hub() == 6);
  all.setGone(6);
  all.setGone(7);
  CHECK(all.hub() == -1);
}
