//===- SplitTest.cpp - splitting by colour and key ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/common/BundleBuilder.h"
#include "test/common/Contains.h"
#include "test/conformance/Job.h"
#include "test/conformance/Opened.h"
#include "test/conformance/Workers.h"

#include "doctest/doctest.h"

#if BLINK_TEST_CUDA
#include <cuda_runtime_api.h>
#endif

#include <map>
#include <set>
#include <thread>
#include <tuple>

using namespace blink;
using namespace blink::test;

namespace {

constexpr int kNone = BLINK_SPLIT_NOCOLOR;

TestBundle bundleFor(int numGpus, std::vector<Numbers> allocations) {
  BundleOptions options;
  options.numGpus = numGpus;
  options.collectives = {Collective::allreduce, Collective::allgather};
  options.allocations = std::move(allocations);
  options.layout.shape = Shape::random;
  options.layout.chunkBytes = 512;
  return makeBundle(options);
}

TestBundle everything(int numGpus) {
  return bundleFor(numGpus, allAllocations(uint16_t(numGpus)));
}

/// A rank's arguments of blinkCommSplit, and its results.
struct SplitCall {
  int color = 0, key = 0;
  blinkResult_t result = blinkSuccess;
  std::string error;
  blinkComm_t comm = nullptr;
};
using SplitCalls = std::vector<SplitCall>;

void callSplit(blinkComm_t comm, SplitCall &call,
               const blinkConfig_t *config = nullptr) {
  call.comm = comm; // the call must reset it
  call.result = blinkCommSplit(comm, call.color, call.key, &call.comm, config);
  if (call.result != blinkSuccess)
    call.error = blinkGetLastError(comm);
}

/// Splits on a thread for each rank, or in one group; returns the group's
/// result.
blinkResult_t split(const Job &job, SplitCalls &calls, bool group,
                    const blinkConfig_t *config = nullptr) {
  if (group) {
    blinkGroupStart();
    for (size_t rank = 0; rank < calls.size(); ++rank)
      callSplit(job[int(rank)], calls[rank], config);
    return blinkGroupEnd();
  }
  std::vector<std::thread> threads;
  for (size_t rank = 0; rank < calls.size(); ++rank)
    threads.emplace_back(
        [&, rank] { callSplit(job[int(rank)], calls[rank], config); });
  for (std::thread &thread : threads)
    thread.join();
  return blinkSuccess;
}

std::string runTwo(const Job &job) {
  for (bool threads : {false, true})
    for (Collective collective :
         {Collective::allreduce, Collective::allgather}) {
      Case c;
      c.collective = collective;
      c.count = threads ? 20000 : 3;
      c.threads = threads;
      if (std::string wrong = runCase(job, c); !wrong.empty())
        return wrong;
    }
  return "";
}

/// Checks that each colour is a job that works, in the order of keys and ranks.
/// `places` are the callers' ranks in the first job. Frees the communicators.
/// Returns "" or what is wrong.
std::string checkColors(SplitCalls &calls, const std::vector<int> &places) {
  std::map<int, std::set<std::tuple<int, int>>> colors;
  for (size_t rank = 0; rank < calls.size(); ++rank) {
    if (calls[rank].color != kNone)
      colors[calls[rank].color].insert({calls[rank].key, int(rank)});
    else if (calls[rank].comm)
      return "a rank without a colour has a communicator";
  }
  for (const auto &[color, members] : colors) {
    std::vector<blinkComm_t> comms;
    std::vector<int> old;
    for (const auto &[key, rank] : members) {
      int number = -1, count = -1;
      if (blinkCommUserRank(calls[size_t(rank)].comm, &number) !=
              blinkSuccess ||
          blinkCommCount(calls[size_t(rank)].comm, &count) != blinkSuccess)
        return std::string("no communicator: ") + blinkGetLastError(nullptr);
      if (number != int(comms.size()) || count != int(members.size()))
        return "rank " + std::to_string(rank) + " is " +
               std::to_string(number) + " of " + std::to_string(count);
      comms.push_back(calls[size_t(rank)].comm);
      old.push_back(places[size_t(rank)]);
    }
    if (std::string wrong = runTwo(Job(comms, OldRanks(old))); !wrong.empty())
      return wrong;
  }
  return "";
}

SplitCalls asking(const std::vector<std::tuple<int, int>> &list) {
  SplitCalls calls(list.size());
  for (size_t i = 0; i < list.size(); ++i)
    std::tie(calls[i].color, calls[i].key) = list[i];
  return calls;
}

} // namespace

TEST_CASE("ranks split by colour and key, and the old communicator goes on") {
  const int gpus[] = {4, 1, 3, 0, 2};
  Job job(seal(everything(5)), 5, 0, gpus);
  const std::vector<int> places = {0, 1, 2, 3, 4};
  for (bool group : {false, true}) {
    // Several splits in a row, with colours and keys of all kinds.
    for (const auto &list : std::vector<std::vector<std::tuple<int, int>>>{
             {{0, 0}, {1, 0}, {0, 0}, {1, 0}, {0, 0}},
             {{7, 5}, {7, 4}, {7, -3}, {7, 4}, {7, -2147483648}},
             {{1, 0}, {0, 9}, {0, 8}, {1, -1}, {kNone, 0}},
             {{kNone, 0}, {2147483647, 1}, {0, 1}, {0, 0}, {2147483647, 0}},
             {{kNone, 0}, {kNone, 0}, {kNone, 1}, {kNone, 1}, {kNone, 1}}}) {
      SplitCalls calls = asking(list);
      CHECK(split(job, calls, group) == blinkSuccess);
      for (const SplitCall &call : calls)
        CHECK_MESSAGE(call.result == blinkSuccess, call.error);
      CHECK(checkColors(calls, places) == "");
    }
    CHECK(runTwo(job) == "");
  }
}

TEST_CASE("what was split is split again, and outlives the first") {
  SplitCalls halves, pairs = asking({{0, 1}, {0, 0}});
  {
    Job job(seal(everything(4)), 4, 0, nullptr);
    halves = asking({{0, 0}, {1, 0}, {0, 0}, {1, 0}});
    REQUIRE(split(job, halves, true) == blinkSuccess);
  }
  Job odd({halves[1].comm, halves[3].comm}, OldRanks({1, 3}));
  Job even({halves[0].comm, halves[2].comm}, OldRanks({0, 2}));
  REQUIRE(split(odd, pairs, false) == blinkSuccess);
  CHECK(checkColors(pairs, {1, 3}) == "");
  CHECK(runTwo(odd) == "");
  CHECK(runTwo(even) == "");
}

TEST_CASE("ranks that joined by an id split, in a group or on threads") {
  const Opened opened(seal(everything(4)));
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  std::vector<int> gpus = {3, 0, 1, 2};
  config.gpus = gpus.data();
  std::vector<blinkComm_t> comms(4);
  const blinkUniqueId id = makeId();
  blinkGroupStart();
  for (int rank = 0; rank < 4; ++rank) {
    int device = -1;
#if BLINK_TEST_CUDA
    config.backend = blinkBackendCuda;
    REQUIRE(cudaGetDeviceCount(&device) == cudaSuccess);
    device = rank % device;
#endif
    blinkCommInitRank(&comms[size_t(rank)], 4, id, rank, device,
                      opened.schedule, &config);
  }
  REQUIRE(blinkGroupEnd() == blinkSuccess);
  const Job job(comms, {});
  for (bool group : {true, false, true}) {
    SplitCalls calls = asking({{0, 0}, {1, 3}, {1, 2}, {0, 0}});
    CHECK(split(job, calls, group) == blinkSuccess);
    CHECK(checkColors(calls, {0, 1, 2, 3}) == "");
    CHECK(runTwo(job) == "");
  }
  // The parts shrink in a group.
  std::vector<blinkComm_t> rest(3);
  const int last = 3;
  blinkGroupStart();
  for (int rank = 0; rank < 3; ++rank)
    blinkCommShrink(job[rank], &last, 1, &rest[size_t(rank)], nullptr);
  REQUIRE(blinkGroupEnd() == blinkSuccess);
  const Job three(rest, {3});
  CHECK(runTwo(three) == "");
}

TEST_CASE("a colour that nothing is compiled for is refused, others are not") {
  Job job(seal(bundleFor(4, {{0, 1}, {0, 1, 2, 3}})), 4, 0, nullptr);
  for (bool group : {false, true}) {
    SplitCalls calls = asking({{0, 0}, {0, 0}, {1, 0}, {1, 0}});
    const blinkResult_t result = split(job, calls, group);
    if (group) {
      CHECK(result == blinkInvalidUsage);
    } else {
      for (size_t rank : {2, 3}) {
        CHECK(calls[rank].result == blinkInvalidUsage);
        CHECK(contains(calls[rank].error, "no schedules for GPUs 2,3"));
      }
    }
    CHECK((!calls[2].comm && !calls[3].comm));
    calls[2].color = calls[3].color = kNone;
    CHECK(checkColors(calls, {0, 1, 2, 3}) == "");
    CHECK(runTwo(job) == "");
  }
  // Only one of the two names a link.
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  config.withoutLink = "n2:n3";
  SplitCalls calls = asking({{0, 0}, {0, 0}, {kNone, 0}, {kNone, 0}});
  blinkGroupStart();
  for (size_t rank = 0; rank < 4; ++rank)
    callSplit(job[int(rank)], calls[rank], rank == 1 ? &config : nullptr);
  CHECK(blinkGroupEnd() == blinkInvalidUsage);
  CHECK(contains(blinkGetLastError(job[0]), "name different failed links"));
  CHECK((!calls[0].comm && !calls[1].comm));
}

TEST_CASE("splitting judges its arguments") {
  Job job(seal(everything(2)), 2, 0, nullptr);
  blinkComm_t comm = job[0];
  CHECK(blinkCommSplit(nullptr, 0, 0, &comm, nullptr) == blinkInvalidArgument);
  CHECK(blinkCommSplit(job[0], 0, 0, nullptr, nullptr) == blinkInvalidArgument);
  CHECK(blinkCommSplit(job[0], -2, 0, &comm, nullptr) == blinkInvalidArgument);
  CHECK(contains(blinkGetLastError(job[0]), "the colour is -2, expected 0"));
  CHECK(!comm);
  // Nothing of a group runs if one of its calls is refused.
  for (bool shrinks : {false, true}) {
    blinkComm_t first = nullptr;
    blinkGroupStart();
    CHECK((shrinks ? blinkCommShrink(job[0], nullptr, 0, &first, nullptr)
                   : blinkCommSplit(job[0], 0, 0, &first, nullptr)) ==
          blinkSuccess);
    CHECK((shrinks ? blinkCommShrink(job[1], nullptr, 0, nullptr, nullptr)
                   : blinkCommSplit(job[1], 0, 0, nullptr, nullptr)) ==
          blinkInvalidArgument);
    CHECK(blinkGroupEnd() == blinkInvalidArgument);
    CHECK(!first);
  }
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  config.timeoutMs = -1;
  CHECK(blinkCommSplit(job[0], 0, 0, &comm, &config) == blinkInvalidArgument);
  blinkGroupStart();
  CHECK(blinkCommSplit(job[0], 0, 0, &comm, nullptr) == blinkSuccess);
  CHECK(blinkCommSplit(job[0], 0, 0, &comm, nullptr) == blinkSuccess);
  CHECK(blinkGroupEnd() == blinkInvalidUsage);
  CHECK(contains(blinkGetLastError(nullptr), "rank 0 splits twice"));
  blinkGroupStart();
  CHECK(blinkCommSplit(job[0], 0, 0, &comm, nullptr) == blinkSuccess);
  CHECK(blinkCommShrink(job[1], nullptr, 0, &comm, nullptr) == blinkSuccess);
  CHECK(blinkGroupEnd() == blinkInvalidUsage);
  CHECK(contains(blinkGetLastError(nullptr), "and nothing else"));
  CHECK(!comm);
  CHECK(runTwo(job) == "");
}

TEST_CASE("a rank that does not split is named, in time") {
  Job job(seal(everything(3)), 3, 100, nullptr);
  SplitCalls calls(2); // only ranks 0 and 1
  split(job, calls, false);
  for (const SplitCall &call : calls) {
    CHECK(call.result == blinkRemoteError);
    CHECK(contains(call.error, " ms for rank 2 to split the communicator"));
    CHECK(!call.comm);
  }
  // The communicator can no longer be used, not even by rank 2.
  SplitCall late;
  callSplit(job[2], late);
  CHECK(late.result == blinkRemoteError);
  CHECK(contains(late.error, "for rank 2 to split"));
}

TEST_CASE("abort ends a split that waits") {
  Job job(seal(everything(3)), 3, 60000, nullptr);
  SplitCalls calls(2);
  std::thread thread(
      [&] { CHECK(blinkCommAbort(job.release(2)) == blinkSuccess); });
  split(job, calls, false);
  thread.join();
  for (const SplitCall &call : calls) {
    CHECK(call.result == blinkRemoteError);
    CHECK(contains(call.error, "rank 2 aborted"));
  }
}

TEST_CASE("processes split, and a dead one is named") {
  if (kSanitized && kOnCuda)
    return; // docs/rationale.md, R102
  const int ranks = kSanitized ? 2 : 4;
  ScheduleOnDisk file(seal(everything(ranks)));
  const auto run = [&](const char *scenario) {
    return runWorkers(file.path(), ranks, upTo(ranks), 60000, scenario,
                      makeId());
  };
  for (const Outcome &outcome : run("split")) {
    CAPTURE(outcome.line);
    CHECK(outcome.good());
  }
  for (const char *scenario : {"split-die:1", "split-die:0"}) {
    const std::vector<Outcome> outcomes = run(scenario);
    const int dead = scenario[10] - '0';
    for (int rank = 0; rank < ranks; ++rank) {
      CAPTURE(outcomes[size_t(rank)].line);
      if (rank == dead)
        CHECK(WTERMSIG(outcomes[size_t(rank)].status) == SIGKILL);
      else
        CHECK(outcomes[size_t(rank)].good());
    }
  }
}
