//===- ShrinkProcessesTest.cpp - processes that go on without others ------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Ranks in processes of their own, some of which die (ShrinkScenarios.cpp).
// Runs on the host and on emulated devices.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/Rendezvous.h"
#include "test/common/BundleBuilder.h"
#include "test/conformance/Workers.h"

#include "doctest/doctest.h"

#include <algorithm>

using namespace blink;
using namespace blink::test;

namespace {

BuildOptions layout(uint32_t chunkBytes) {
  BuildOptions options;
  options.shape = kOnCuda ? Shape::chain : Shape::random;
  options.treesPerBlock = kOnCuda ? 1 : 2;
  options.chunkBytes = chunkBytes; // 64: 100 floats are several chunks
  return options;
}

/// Returns a bundle with an allreduce for every allocation of `numRanks` GPUs.
TestBundle bundleOf(int numRanks, const BuildOptions &options) {
  BundleOptions bundle;
  bundle.numGpus = numRanks;
  bundle.collectives = {Collective::allreduce};
  bundle.allocations = allAllocations(numRanks);
  bundle.layout = options;
  return makeBundle(bundle);
}

std::vector<Outcome> runBundle(int numRanks, const std::string &scenario,
                               uint32_t chunkBytes = 64,
                               int timeoutMs = 60000) {
  ScheduleOnDisk file(seal(bundleOf(numRanks, layout(chunkBytes))));
  return runWorkers(file.path(), numRanks, upTo(numRanks), timeoutMs, scenario,
                    makeId());
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

TEST_CASE("whoever dies at whatever step, the others repeat the call") {
  constexpr int kRanks = 3;
  ScheduleOnDisk file(seal(bundleOf(kRanks, layout(64))));
  // A rank runs about ten folds in a call. One job per rank that dies; the jobs
  // run at the same time.
  for (int times = 0; times < 12; times += kSanitized ? 5 : 1) {
    CAPTURE(times);
    std::vector<RunningWorkers> jobs;
    for (int rank = 0; rank < kRanks; ++rank)
      jobs.emplace_back(file.path(), kRanks, upTo(kRanks), 60000,
                        "shrink:" + std::to_string(rank) + ":" +
                            std::to_string(times),
                        makeId());
    for (int rank = 0; rank < kRanks; ++rank) {
      CAPTURE(rank);
      checkRest(jobs[size_t(rank)].collect(), {rank});
    }
  }
}

TEST_CASE("large messages, which others look at where they lie") {
  for (int dead : {0, 2})
    checkRest(
        runBundle(4, "shrink-large:" + std::to_string(dead) + ":20", 64 << 10),
        {dead});
}

TEST_CASE("a schedule that is not a bundle, with programs for fewer ranks") {
  TestSchedule four = onMachine(
      makeSchedule(Collective::allreduce, 0, 4, layout(64)), 4, {0, 1, 2, 3});
  four.programs.push_back(
      onMachine(makeSchedule(Collective::allreduce, 0, 3, layout(64)), 4,
                {0, 1, 2})
          .programs[0]);
  checkRest(runAll(four, 4, "shrink:0:5", 60000), {0});
}

TEST_CASE("two losses, one after the other") {
  checkRest(runBundle(4, "shrink-twice"), {1, 3});
}

TEST_CASE("who dies while the others shrink is no obstacle, whoever it is") {
  for (int second : {0, 1}) // the first leads
    for (int stage = 0; stage < 4; ++stage) {
      CAPTURE(second);
      CAPTURE(stage);
      const std::vector<Outcome> outcomes =
          runBundle(5, "shrink-die:" + std::to_string(second) + ":" +
                           std::to_string(stage));
      checkRest(outcomes, {second, 4});
      // Either all of them had the new communicator, or none.
      const std::string &line = outcomes[2].line;
      CHECK(outcomes[3].line == line);
      CHECK(outcomes[1 - size_t(second)].line == line);
      if (stage < 3)
        CHECK(line == "good, again");
      else
        CHECK(line == "good, at once");
    }
}

TEST_CASE("ranks that ask for different things hear so, and may ask again") {
  checkRest(runBundle(3, "shrink-differ"), {});
  checkRest(runBundle(5, "shrink-differ"), {});
}

TEST_CASE("an excluded rank that calls is refused, and disturbs nobody") {
  for (int run = 0; run < 3; ++run)
    checkRest(runBundle(3, "shrink-intrude"), {});
}

TEST_CASE("the memory of the new job is for the processes of the old one") {
  blinkUniqueId id;
  const auto self = uint64_t(getpid());
  REQUIRE(runtime::makeUniqueId(id, std::chrono::seconds(20), {self, self + 1})
              .ok());
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::seconds(20);
  runtime::Descriptor memory;
  const runtime::Status other =
      runtime::joinJob(id, {2, 1, 0, 64}, deadline, nullptr, memory);
  CHECK(other.code == blinkInvalidUsage);
  CHECK(other.text.find("rank 1 was another process before") == 0);
  CHECK(!memory);
  CHECK(runtime::joinJob(id, {2, 2, 0, 64}, deadline, nullptr, memory).code ==
        blinkInvalidUsage);
  CHECK(runtime::joinJob(id, {2, 0, 0, 64}, deadline, nullptr, memory).ok());
  CHECK(bool(memory));
}

#if BLINK_TEST_CUDA
TEST_CASE("a live rank whose kernel may write to others holds them back") {
  ScheduleOnDisk file(seal(bundleOf(3, layout(64 << 10))));
  checkRest(runWorkers(file.path(), 3, upTo(3), 1500, "shrink-linger-large:2:2",
                       makeId()),
            {2});
  for (const char *end : {".go", ".go0", ".go1"})
    std::remove((std::string(file.path()) + end).c_str());
}
#endif
