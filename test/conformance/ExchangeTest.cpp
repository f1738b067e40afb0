//===- ExchangeTest.cpp - ranks exchange bytes ----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Job.h"

#include "doctest/doctest.h"

#include <string>

using namespace blink;
using namespace blink::test;

namespace {

struct Words {
  int rank, round;
};

TestSchedule reduceAmong(int ranks) {
  return makeSchedule(Collective::allreduce, 0, ranks, {});
}

blinkResult_t say(blinkComm_t comm, const Words &own, Words *all,
                  const std::vector<int> &excluded = {}) {
  return blinkCommExchange(comm, &own, sizeof(own), all, excluded.data(),
                           int(excluded.size()));
}

} // namespace

TEST_CASE("each rank hears what all say, many times") {
  constexpr int kRanks = 3, kRounds = 200;
  Job job(reduceAmong(kRanks), kRanks);
  std::vector<int> wrong(kRanks);
  const auto results = job.onThreads([&](int rank) {
    for (int round = 0; round < kRounds; ++round) {
      Words all[kRanks] = {};
      if (blinkResult_t result = say(job[rank], {rank, round}, all);
          result != blinkSuccess)
        return result;
      for (int other = 0; other < kRanks; ++other)
        wrong[size_t(rank)] +=
            all[other].rank != other || all[other].round != round;
    }
    return blinkSuccess;
  });
  for (int rank = 0; rank < kRanks; ++rank) {
    CHECK(results[size_t(rank)] == blinkSuccess);
    CHECK(wrong[size_t(rank)] == 0);
  }
}

TEST_CASE("those that remain hear each other, when the job has failed, too") {
  Job job(reduceAmong(4), 4);
  CHECK(blinkCommRevoke(job[2]) == blinkSuccess);
  std::vector<Words> heard[4];
  const auto results = job.onThreads([&](int rank) {
    heard[rank].resize(3);
    return rank == 1 ? blinkSuccess
                     : say(job[rank], {rank, 7}, heard[rank].data(), {1});
  });
  for (int rank : {0, 2, 3}) {
    CHECK(results[size_t(rank)] == blinkSuccess);
    CHECK(heard[rank][0].rank == 0);
    CHECK(heard[rank][1].rank == 2);
    CHECK(heard[rank][2].rank == 3);
  }
}

TEST_CASE("who does not say anything is named, and the job goes on") {
  Job job(reduceAmong(2), 2, 60);
  Words all[2];
  CHECK(say(job[0], {0, 0}, all) == blinkRemoteError);
  const std::string text = blinkGetLastError(job[0]);
  CAPTURE(text);
  CHECK(text == "rank 0 waited 60 ms for rank 1 to exchange words, too");
  blinkResult_t state = blinkInternalError;
  CHECK(blinkCommGetAsyncError(job[0], &state) == blinkSuccess);
  CHECK(state == blinkSuccess);
}

TEST_CASE("a rank that is late hears what was said, not what came later") {
  Job job(reduceAmong(2), 2, 60);
  Words all[2];
  for (int round = 0; round < 4; ++round)
    CHECK(say(job[0], {0, round}, all) == blinkRemoteError);
  CHECK(say(job[1], {1, 0}, all) == blinkSuccess);
  CHECK(all[0].round == 0);
}

TEST_CASE("what cannot be exchanged is refused") {
  Job job(reduceAmong(2), 2);
  char said[BLINK_EXCHANGE_BYTES + 1] = {}, all[2 * sizeof(said)];
  const auto ask = [&](size_t bytes, const int *excluded, int count) {
    return blinkCommExchange(job[0], said, bytes, all, excluded, count);
  };
  const int self = 0, none = 2, other = 1;
  CHECK(ask(0, nullptr, 0) == blinkInvalidArgument);
  CHECK(ask(sizeof(said), nullptr, 0) == blinkInvalidArgument);
  CHECK(ask(4, &self, 1) == blinkInvalidArgument);
  CHECK(ask(4, &none, 1) == blinkInvalidArgument);
  CHECK(ask(4, nullptr, 1) == blinkInvalidArgument);
  CHECK(blinkCommExchange(nullptr, said, 4, all, nullptr, 0) ==
        blinkInvalidArgument);
  // With the other rank excluded, a rank exchanges with itself alone.
  CHECK(ask(BLINK_EXCHANGE_BYTES, &other, 1) == blinkSuccess);
}

TEST_CASE("ranks that say more or less than others are told") {
  Job job(reduceAmong(2), 2);
  const auto results = job.onThreads([&](int rank) {
    char said[8] = {}, all[16];
    return blinkCommExchange(job[rank], said, rank == 0 ? 8 : 4, all, nullptr,
                             0);
  });
  for (int rank : {0, 1})
    CHECK(results[size_t(rank)] == blinkInvalidUsage);
}
