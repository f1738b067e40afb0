//===- ServersTest.cpp - ranks on several servers -------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// All servers are on one host here, but differ in what matters: each has memory
// of its own, and they communicate over TCP.
//
//===----------------------------------------------------------------------===//

#include "test/common/BundleBuilder.h"
#include "test/common/Cluster.h"
#include "test/conformance/Workers.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <csignal>
#include <thread>

using namespace blink;
using namespace blink::test;

namespace {

using Servers = std::vector<int>; ///< of each rank

int ranksOf(const Servers &servers) { return int(servers.size()); }

TestSchedule everything(const Servers &servers, int rails,
                        uint32_t chunkBytes) {
  BuildOptions layout;
  layout.shape = Shape::random;
  layout.treesPerBlock = 2;
  layout.lanes = 3;
  layout.chunkBytes = chunkBytes;
  layout.seed = uint32_t(servers.size());
  TestSchedule model =
      allCollectives(ranksOf(servers), ranksOf(servers) - 1, layout);
  spread(model, servers, rails);
  return model;
}

TestSchedule allReduceOn(const Servers &servers) {
  TestSchedule model =
      makeSchedule(Collective::allreduce, 0, ranksOf(servers), {});
  spread(model, servers);
  return model;
}

/// Returns a bundle with an allreduce for every allocation.
std::vector<uint8_t> bundleFor(const Servers &servers, uint32_t chunkBytes) {
  BundleOptions bundle;
  bundle.numGpus = ranksOf(servers);
  bundle.collectives = {Collective::allreduce};
  bundle.allocations = allAllocations(bundle.numGpus);
  bundle.layout.shape = Shape::random;
  bundle.layout.treesPerBlock = 2;
  bundle.layout.chunkBytes = chunkBytes;
  bundle.serverOf = servers;
  return seal(makeBundle(bundle));
}

std::vector<Outcome> runBundle(const Servers &servers,
                               const std::string &scenario,
                               uint32_t chunkBytes = 64) {
  ScheduleOnDisk file(bundleFor(servers, chunkBytes));
  return runWorkers(file.path(), ranksOf(servers), upTo(ranksOf(servers)),
                    20000, scenario, makeId());
}

/// Checks that all ranks but the dead ones report success.
void checkRest(const std::vector<Outcome> &outcomes,
               const std::vector<int> &dead) {
  for (int rank = 0; rank < int(outcomes.size()); ++rank) {
    const Outcome &outcome = outcomes[size_t(rank)];
    CAPTURE(rank);
    CAPTURE(outcome.line);
    if (std::find(dead.begin(), dead.end(), rank) != dead.end())
      CHECK(WTERMSIG(outcome.status) == SIGKILL);
    else
      CHECK(outcome.line.find("good") == 0);
  }
}

} // namespace

TEST_CASE("ranks on several servers get right results") {
  for (const Servers &servers :
       std::vector<Servers>{{0, 1},
                            {0, 0, 1},
                            {0, 1, 0, 1, 1},
                            {0, 1, 2, 0},
                            {0, 0, 0, 1, 1, 1, 1, 1}}) {
    if (kSanitized && servers.size() > 3)
      continue;
    expectGood(everything(servers, 1 + int(servers.size()) % 2, 1024),
               ranksOf(servers), "cases");
  }
}

TEST_CASE("large messages between servers, and within them") {
  for (const char *scenario : {"large", "confined"}) {
    if (kSanitized && scenario == std::string("confined"))
      continue; // ProcessesTest shows what happens within a server
    expectGood(everything({0, 1, 1}, 1, 256 << 10), 3, scenario);
  }
}

TEST_CASE("a process that is killed is named on all servers") {
  const Servers servers = {0, 0, 1, 1};
  const TestSchedule model = allReduceOn(servers);
  for (int victim : {0, 1, 2, 3}) {
    const std::vector<Outcome> outcomes =
        runAll(model, 4, "kill:" + std::to_string(victim) + ":0:0:20");
    for (int rank = 0; rank < 4; ++rank) {
      CAPTURE(victim);
      CAPTURE(outcomes[size_t(rank)].line);
      if (rank == victim)
        continue;
      const std::string name = "rank " + std::to_string(victim);
      CHECK(outcomes[size_t(rank)].has("allreduce of 100 float32 with max"));
      CHECK(outcomes[size_t(rank)].has(name.c_str()));
      CHECK(outcomes[size_t(rank)].has("has died"));
    }
  }
}

TEST_CASE("a process that is killed between calls is named to who asks") {
  const TestSchedule model = allReduceOn({0, 0, 1, 1});
  for (int victim : {0, 1, 3}) {
    const std::vector<Outcome> outcomes =
        runAll(model, 4, "ask:" + std::to_string(victim));
    const std::string name = "process of rank " + std::to_string(victim);
    for (int rank = 0; rank < 4; ++rank) {
      CAPTURE(victim);
      CAPTURE(outcomes[size_t(rank)].line);
      if (rank == victim)
        continue;
      CHECK(outcomes[size_t(rank)].has("remote error: "));
      CHECK(outcomes[size_t(rank)].has(name.c_str()));
      CHECK(outcomes[size_t(rank)].has("has died"));
    }
  }
}

TEST_CASE("a process that leaves or aborts ends the calls of all servers") {
  const TestSchedule model = allReduceOn({0, 1, 1});
  const std::vector<Outcome> left = runAll(model, 3, "leave");
  const std::vector<Outcome> aborted = runAll(model, 3, "abort");
  const std::vector<Outcome> vanished = runAll(model, 3, "vanish");
  for (size_t rank : {0, 1}) {
    CAPTURE(left[rank].line);
    CHECK(left[rank].has("the communicator of rank 2 has been destroyed"));
    CAPTURE(aborted[rank].line);
    CHECK(aborted[rank].has("rank 2 aborted"));
    CAPTURE(vanished[rank].line);
    CHECK(vanished[rank].has("rank 2"));
    CHECK(vanished[rank].has("has died"));
  }
}

TEST_CASE("a server that calls something else is named by the others") {
  for (const Outcome &outcome : runAll(allReduceOn({0, 0, 1}), 3, "differ")) {
    CAPTURE(outcome.line);
    CHECK(outcome.has("invalid usage: the ranks' calls differ: rank "));
  }
}

TEST_CASE("a corrupted counter ends in an error on every server") {
  const int limit = kSanitized ? 5000 : 1000; // also the limit for joining
  const std::string waited = "waited " + std::to_string(limit) + " ms";
  for (const Outcome &outcome :
       runAll(allReduceOn({0, 1, 1}), 3, "corrupt", limit)) {
    CAPTURE(outcome.line);
    CHECK(outcome.has("remote error: "));
    CHECK(outcome.has(waited.c_str()));
  }
}

TEST_CASE("nobody joins several servers without the id, or wrongly") {
  ScheduleOnDisk file(allReduceOn({0, 1}));
  ScheduleOnDisk other(everything({0, 1}, 1, 1024));
  auto one = [&](const blinkUniqueId &id, const char *path, int ranks, int rank,
                 int limit = 300) {
    return runWorkers(path, ranks, {rank}, limit, "cases", id)[0];
  };
  const blinkUniqueId right = makeId();
  blinkUniqueId wrong = right;
  wrong.internal[20] ^= 1; // of the secret
  const Outcome stranger = one(wrong, file.path(), 2, 0);
  CAPTURE(stranger.line);
  CHECK(stranger.has("has hung up"));
  const Outcome alone = one(right, file.path(), 2, 0);
  CAPTURE(alone.line);
  CHECK(alone.has("waited 300 ms for rank 1 to join"));
  const Outcome again = one(right, file.path(), 2, 0);
  CAPTURE(again.line);
  CHECK(again.has("rank 0 has joined already"));
  const blinkUniqueId fresh = makeId();
  std::vector<Outcome> mixed;
  std::thread first(
      [&] { mixed.push_back(one(fresh, file.path(), 2, 0, 3000)); });
  const Outcome second = one(fresh, other.path(), 2, 1, 3000);
  first.join();
  CAPTURE(second.line);
  CHECK(second.has("opened different schedules"));
}

TEST_CASE("the ranks that are left go on, whoever has died") {
  const Servers servers = {0, 0, 1, 1};
  for (int rank : {0, 1, 2, 3}) // 0 coordinates the job
    for (int times : {0, 7}) {
      if (kSanitized && (times == 0) != (rank % 2 == 0))
        continue;
      const std::string scenario =
          "shrink:" + std::to_string(rank) + ":" + std::to_string(times);
      CAPTURE(scenario);
      checkRest(runBundle(servers, scenario), {rank});
    }
  checkRest(runBundle(servers, "shrink-large:0:20", 64 << 10), {0});
  checkRest(runBundle({0, 1, 2, 1}, "shrink-twice"), {1, 3});
}

TEST_CASE("a whole server dies, with the hub or without") {
  const Servers servers = {0, 0, 1, 2, 1};
  checkRest(runBundle(servers, "shrink-lose:3:3"), {0, 1});
  checkRest(runBundle(servers, "shrink-lose:14:3"), {2, 4});
  // Two of the three servers die.
  checkRest(runBundle(servers, "shrink-lose:b:0"), {0, 1, 3});
}

TEST_CASE("who dies while servers shrink is no obstacle, and all say so") {
  const Servers servers = {0, 1, 0, 2, 1};
  for (int second : {0, 1}) // the first leads
    for (int stage = kSanitized ? second : 0; stage < 4;
         stage += kSanitized ? 2 : 1) {
      CAPTURE(second);
      CAPTURE(stage);
      const std::vector<Outcome> outcomes =
          runBundle(servers, "shrink-die:" + std::to_string(second) + ":" +
                                 std::to_string(stage));
      checkRest(outcomes, {second, 4});
      const std::string &line = outcomes[2].line;
      CHECK(outcomes[3].line == line);
      CHECK(outcomes[1 - size_t(second)].line == line);
      CHECK(line == (stage < 3 ? "good, again" : "good, at once"));
    }
}

// Now and then a rank learns too late that another one has tried again, and
// waits until the time limit.
TEST_CASE("ranks of several servers ask for different things, or uninvited") {
  checkRest(runBundle({0, 1, 0}, "shrink-differ"), {});
  checkRest(runBundle({0, 0, 1}, "shrink-intrude"), {});
}

TEST_CASE("jobs on several servers split") {
  const Servers servers = {0, 0, 1, 1};
  checkRest(runBundle(servers, "split"), {});
  for (int dead : {0, 3})
    checkRest(runBundle(servers, "split-die:" + std::to_string(dead)), {dead});
}
