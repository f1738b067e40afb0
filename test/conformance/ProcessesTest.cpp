//===- ProcessesTest.cpp - ranks that are processes -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Places.h"
#include "test/conformance/Workers.h"

#include "doctest/doctest.h"

#include <chrono>
#include <thread>

using namespace blink;
using namespace blink::test;

namespace {

TestSchedule allReduceOf(int ranks) {
  return makeSchedule(Collective::allreduce, 0, ranks, {});
}

/// Returns all collectives over two random trees per block.
TestSchedule inTwoTrees(int ranks, uint32_t chunkBytes) {
  BuildOptions layout;
  layout.shape = Shape::random;
  layout.treesPerBlock = 2;
  layout.chunkBytes = chunkBytes;
  return allCollectives(ranks, ranks - 1, layout);
}

} // namespace

TEST_CASE("ranks in processes of their own get right results") {
  for (int ranks : {1, 2, 3, 5, 8}) {
    if (ranks > (kSanitized || isRemote() ? 3 : 8))
      continue;
    BuildOptions layout;
    layout.shape = Shape::random;
    layout.treesPerBlock = 2;
    layout.lanes = 3;
    layout.chunkBytes = 1024;
    layout.seed = uint32_t(ranks);
    expectGood(allCollectives(ranks, ranks - 1, layout), ranks, "cases");
  }
}

TEST_CASE("large messages of processes, which may read each other or not") {
  if (isRemote()) { // over sockets none may
    expectGood(inTwoTrees(3, 256 << 10), 3, "large");
    return;
  }
  for (const char *scenario : {"large", "confined"})
    for (int ranks : twoRanksOr(5))
      expectGood(inTwoTrees(ranks, 256 << 10), ranks, scenario);
}

TEST_CASE("processes agree on chunks when one of them has fewer processors") {
  if (isRemote()) // chunks stay small and nothing is fetched
    return;
  BuildOptions layout;
  layout.shape = Shape::star;
  layout.chunkBytes = 256 << 10;
  expectGood(allCollectives(2, 1, layout), 2, "large:pinned");
}

TEST_CASE("processes whose partial sums are float32") {
  if (kSanitized || isRemote()) // AccumulateTest.cpp does so in one process
    return;
  for (const char *scenario : {"cases", "large", "confined", "windows:mixed"})
    expectGood(withFloatSums(inTwoTrees(3, 16 << 10)), 3, scenario);
}

TEST_CASE("processes reach into registered buffers, if they may") {
  for (const std::string scenario :
       {"windows", "windows:mixed", "windows:confined",
        "windows:mixed:confined", "windows:parts:confined", "windows:closed",
        "windows:closed:confined"}) {
    const bool copies = scenario.find("confined") == std::string::npos;
    // In the other scenarios the kernel copies, which ThreadSanitizer does not
    // see, and over sockets nothing is copied.
    if (copies && (kSlow || isRemote()))
      continue;
    if (kSlow && scenario == "windows:confined") // the others contain it
      continue;
    for (int ranks : twoRanksOr(isRemote() ? 3 : 5))
      expectGood(inTwoTrees(ranks, 16 << 10), ranks, scenario);
  }
}

TEST_CASE("registering refuses what is wrong") {
  expectGood(allReduceOf(3), 3, "window-errors");
}

TEST_CASE("one rank registers, and ends it, without the others") {
  for (int ranks : twoRanksOr(3))
    expectGood(inTwoTrees(ranks, 16 << 10), ranks, "window-alone");
}

TEST_CASE("a rank that is calls ahead ends what it has registered") {
  for (int ranks : twoRanksOr(4))
    expectGood(inTwoTrees(ranks, 16 << 10), ranks, "window-ahead:confined");
}

TEST_CASE("a process dies while it and others have buffers open") {
  const std::vector<Outcome> outcomes =
      runAll(inTwoTrees(3, 16 << 10), 3, "window-death:confined");
  for (int rank : {0, 1}) {
    CAPTURE(outcomes[size_t(rank)].line);
    CHECK(outcomes[size_t(rank)].has("the process of rank 2, number "));
    CHECK(outcomes[size_t(rank)].has(", has died"));
  }
}

TEST_CASE("who does not let go of a buffer in time is named") {
  if (isRemote()) // no other rank has it open
    return;
  const std::vector<Outcome> outcomes =
      runAll(inTwoTrees(2, 16 << 10), 2, "window-stopped", 1000);
  CAPTURE(outcomes[0].line);
  CHECK(outcomes[0].has("rank 1 has not let go of the buffer in 1000 ms: keep "
                        "the memory, and deregister it again"));
  CHECK(outcomes[1].good());
}

TEST_CASE("a process that is killed at any step is named by the others") {
  BuildOptions layout;
  layout.shape = Shape::random;
  layout.treesPerBlock = 2;
  layout.chunkBytes = 64; // a call of 100 floats has several
  const TestSchedule model = makeSchedule(Collective::allreduce, 0, 3, layout);
  int deaths = 0;
  for (const Place &place : placesOf(model)) {
    // The process dies in the first call or in the middle of a later one.
    const std::string scenario = "kill:" + std::to_string(place.rank) + ":" +
                                 std::to_string(place.lane) + ":" +
                                 std::to_string(place.step) + ":" +
                                 std::to_string(deaths++ % 2 == 0 ? 0 : 10);
    CAPTURE(scenario);
    const std::vector<Outcome> outcomes = runAll(model, 3, scenario);
    for (int rank = 0; rank < 3; ++rank) {
      CAPTURE(outcomes[rank].line);
      if (rank == place.rank) {
        CHECK(outcomes[rank].line == "");
        CHECK(WTERMSIG(outcomes[rank].status) == SIGKILL);
        continue;
      }
      const std::string sentence =
          "remote error: allreduce of 100 float32 with max: the process of "
          "rank " +
          std::to_string(place.rank) + ", number ";
      CHECK(outcomes[rank].has(sentence.c_str()));
      // The error is the death, not the time limit of 20 s.
      CHECK(outcomes[rank].has("has died; rank "));
      CHECK(namesAWait(outcomes[rank].line, model));
      CHECK(WEXITSTATUS(outcomes[rank].status) == 1);
    }
  }
  CHECK(deaths >= 10);
}

TEST_CASE("a process that is killed amid large messages is named, too") {
  const TestSchedule model = allReduceOf(3);
  for (int rank : {0, 2}) {
    const std::vector<Outcome> outcomes =
        runAll(model, 3, "kill:" + std::to_string(rank) + ":0:0:50:large");
    for (int other = 0; other < 3; ++other) {
      CAPTURE(outcomes[other].line);
      if (other != rank)
        CHECK(outcomes[other].has("has died; rank "));
    }
  }
}

TEST_CASE("a process that is late is waited for") {
  expectGood(allReduceOf(3), 3, "delay");
}

TEST_CASE("a corrupted counter ends in an error on every rank, not in a hang") {
  for (const Outcome &outcome : runAll(allReduceOf(3), 3, "corrupt", 1000)) {
    CAPTURE(outcome.line);
    CHECK(outcome.has("remote error: "));
    // A rank that checks what arrives does not have to wait for the limit.
    const bool refused = outcome.has("what came belongs to no ring");
    CHECK((refused || outcome.has("waited 1000 ms")));
    CHECK(outcome.has("seen "));
  }
}

TEST_CASE("a process that calls something else is named by the others") {
  for (const Outcome &outcome : runAll(allReduceOf(3), 3, "differ")) {
    CAPTURE(outcome.line);
    CHECK(outcome.has("invalid usage: the ranks' calls differ: rank "));
    CHECK(outcome.has("allreduce of 100 float32 with max"));
    CHECK(outcome.has("allreduce of 99 float32 with max"));
  }
}

TEST_CASE("a process that leaves or aborts ends the others' calls at once") {
  std::vector<Outcome> left = runAll(allReduceOf(3), 3, "leave");
  std::vector<Outcome> aborted = runAll(allReduceOf(3), 3, "abort");
  for (int rank : {0, 1}) {
    CAPTURE(left[rank].line);
    CHECK(left[rank].has("the communicator of rank 2 has been destroyed"));
    CAPTURE(aborted[rank].line);
    CHECK(aborted[rank].has("rank 2 aborted"));
  }
}

TEST_CASE("nobody joins without the id, or where it does not belong") {
  ScheduleOnDisk file(allReduceOf(2));
  ScheduleOnDisk other(makeSchedule(Collective::broadcast, 0, 2, {}));
  auto one = [&](const blinkUniqueId &id, const char *path, int ranks,
                 int rank) {
    return runWorkers(path, ranks, {rank}, 300, "cases", id)[0];
  };
  const blinkUniqueId right = makeId();
  blinkUniqueId wrong = right;
  wrong.internal[20] ^= 1; // of the secret
  CHECK(one(wrong, file.path(), 2, 0).has("unique id is not right"));
  wrong = right;
  wrong.internal[10] ^= 1; // of the name
  CHECK(one(wrong, file.path(), 2, 0).has("no process answers"));
  wrong = {};
  CHECK(
      one(wrong, file.path(), 2, 0).has("not one that blinkGetUniqueId made"));
  // The rank is alone: the other one never comes.
  CHECK(one(right, file.path(), 2, 0).has("waited 300 ms for rank 1 to join"));
  // Now another process comes, but as the same rank, or with another file.
  CHECK(one(right, file.path(), 2, 0).has("rank 0 has joined already"));
  CHECK(one(right, other.path(), 2, 1).has("opened different schedules"));
  ScheduleOnDisk three(allReduceOf(3));
  CHECK(one(right, three.path(), 3, 1)
            .has("rank 1 joins a job of 3 ranks, rank 0 one of 2"));
}

TEST_CASE("ranks of one process may join by id, too") {
  std::vector<uint8_t> bytes = seal(allReduceOf(3));
  blinkSchedule_t schedule;
  REQUIRE(blinkScheduleOpenMemory(bytes.data(), bytes.size(), &schedule) ==
          blinkSuccess);
  const blinkUniqueId id = makeId();
  std::vector<std::thread> threads;
  std::vector<blinkResult_t> results(3, blinkInternalError);
  std::vector<float> out(3);
  for (int rank = 0; rank < 3; ++rank)
    threads.emplace_back([&, rank] {
      blinkComm_t comm;
      results[rank] =
          blinkCommInitRank(&comm, 3, id, rank, -1, schedule, nullptr);
      if (results[rank] != blinkSuccess)
        return;
      float in = float(rank + 1);
      results[rank] = blinkAllReduce(&in, &out[rank], 1, blinkFloat32, blinkSum,
                                     comm, nullptr);
      blinkCommDestroy(comm);
    });
  for (std::thread &thread : threads)
    thread.join();
  blinkScheduleClose(schedule);
  CHECK(results == std::vector<blinkResult_t>(3, blinkSuccess));
  CHECK(out == std::vector<float>(3, 6.0f));
}
