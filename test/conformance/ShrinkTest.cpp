//===- ShrinkTest.cpp - going on with some of the ranks -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Ranks of one process, driven by threads or in a group.
// ShrinkProcessesTest.cpp has ranks in several processes.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/Shrink.h"
#include "test/common/BundleBuilder.h"
#include "test/common/Contains.h"
#include "test/conformance/Job.h"
#include "test/conformance/ShrinkScenarios.h"

#include "doctest/doctest.h"

#if BLINK_TEST_CUDA
#include <cuda_runtime_api.h>
#endif

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>

using namespace blink;
using namespace blink::test;

namespace {

BundleOptions optionsOf(std::vector<Numbers> allocations) {
  BundleOptions options;
  options.numGpus = 5;
  options.collectives = {Collective::allreduce, Collective::broadcast};
  options.allocations = std::move(allocations);
  options.layout.shape = Shape::random;
  options.layout.chunkBytes = 512;
  return options;
}

TestBundle allOfFive() { return makeBundle(optionsOf(allAllocations(5))); }

/// Holds rank 2 after all have agreed to shrink, until it is released.
class Holder {
public:
  Holder() {
    held() = true;
    runtime::shrinkHook = hold;
  }
  ~Holder() { release(); }
  Holder(const Holder &) = delete;
  Holder &operator=(const Holder &) = delete;

  void release() const {
    runtime::shrinkHook = nullptr;
    const std::lock_guard<std::mutex> lock(mutex());
    held() = false;
    changed().notify_all();
  }

private:
  static std::mutex &mutex() {
    static std::mutex object;
    return object;
  }
  static std::condition_variable &changed() {
    static std::condition_variable object;
    return object;
  }
  static bool &held() {
    static bool value;
    return value;
  }
  static void hold(int rank, runtime::ShrinkStage stage) {
    std::unique_lock<std::mutex> lock(mutex());
    if (rank == 2 && stage == runtime::ShrinkStage::finished)
      changed().wait(lock, [] { return !held(); });
  }
};

/// The results of shrinking on all remaining ranks of a job.
struct Shrunk {
  std::vector<blinkResult_t> results;
  std::vector<std::string> errors;
  std::vector<blinkComm_t> comms;

  bool all(blinkResult_t result) const {
    return std::all_of(results.begin(), results.end(),
                       [&](blinkResult_t got) { return got == result; });
  }
};

/// Shrinks on a thread for each rank; `excluded` may differ between ranks.
Shrunk onThreads(const Job &job, const std::vector<Ranks> &excluded,
                 const Ranks &callers, const blinkConfig_t *config = nullptr) {
  Shrunk shrunk;
  shrunk.results.resize(callers.size());
  shrunk.errors.resize(callers.size());
  shrunk.comms.resize(callers.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < callers.size(); ++i)
    threads.emplace_back([&, i] {
      const Ranks &list = excluded[excluded.size() == 1 ? 0 : i];
      shrunk.results[i] =
          blinkCommShrink(job[callers[i]], list.data(), int(list.size()),
                          &shrunk.comms[i], config);
      if (shrunk.results[i] != blinkSuccess)
        shrunk.errors[i] = blinkGetLastError(job[callers[i]]);
    });
  for (std::thread &thread : threads)
    thread.join();
  return shrunk;
}

Shrunk onThreads(const Job &job, const Ranks &excluded,
                 const blinkConfig_t *config = nullptr) {
  return onThreads(job, std::vector<Ranks>{excluded},
                   without(job.size(), excluded), config);
}

/// Shrinks in one group, on one thread.
Shrunk inGroup(const Job &job, const Ranks &excluded,
               const blinkConfig_t *config = nullptr) {
  Shrunk shrunk;
  const Ranks callers = without(job.size(), excluded);
  shrunk.comms.resize(callers.size());
  REQUIRE(blinkGroupStart() == blinkSuccess);
  for (size_t i = 0; i < callers.size(); ++i)
    CHECK(blinkCommShrink(job[callers[i]], excluded.data(),
                          int(excluded.size()), &shrunk.comms[i],
                          config) == blinkSuccess);
  shrunk.results.push_back(blinkGroupEnd());
  if (shrunk.results[0] != blinkSuccess)
    shrunk.errors.push_back(blinkGetLastError(nullptr));
  return shrunk;
}

/// Returns "" if the communicators work for all collectives of allOfFive().
std::string worksFor(const Job &job) {
  for (bool threads : {false, true})
    for (size_t count : {size_t(3), size_t(20000)}) {
      Case c;
      c.count = count;
      c.threads = threads;
      std::string wrong = runCase(job, c);
      c.collective = Collective::broadcast;
      c.root = job.size() - 1;
      if (wrong.empty())
        wrong = runCase(job, c);
      if (!wrong.empty())
        return wrong;
    }
  return "";
}

/// Runs an allreduce of one number and returns its result when it is over.
blinkResult_t sumOne(const Job &job, int rank) {
  Case c;
  c.count = 1;
  RankBuffers buffers(c, job.size(), rank);
  blinkResult_t result =
      call(c, buffers.send(), buffers.recv(), job[rank], job.stream(rank));
#if BLINK_TEST_CUDA
  cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(job.stream(rank)));
  if (result == blinkSuccess)
    blinkCommGetAsyncError(job[rank], &result);
#endif
  return result;
}

} // namespace

TEST_CASE("a healthy job goes on with some of its ranks") {
  const int gpus[] = {4, 1, 3, 0};
  const std::vector<uint8_t> bytes = seal(allOfFive());
  for (bool group : {false, true})
    for (const Ranks &excluded :
         {Ranks{}, Ranks{1}, Ranks{0}, Ranks{3, 0}, Ranks{0, 1, 2}}) {
      if (kSlow && group != (excluded.size() % 2 == 0))
        continue;
      Job job(bytes, 4, 0, gpus);
      REQUIRE(worksFor(job) == "");
      const Shrunk shrunk =
          group ? inGroup(job, excluded) : onThreads(job, excluded);
      REQUIRE(shrunk.all(blinkSuccess));
      Job rest(shrunk.comms, excluded);
      REQUIRE(rest.size() == 4 - int(excluded.size()));
      for (int rank = 0; rank < rest.size(); ++rank) {
        int count = 0, number = -1;
        CHECK(blinkCommCount(rest[rank], &count) == blinkSuccess);
        CHECK(blinkCommUserRank(rest[rank], &number) == blinkSuccess);
        CHECK((count == rest.size() && number == rank));
      }
      CHECK(worksFor(rest) == "");
      // The old communicator has failed on all ranks.
      for (int rank = 0; rank < 4; ++rank) {
        CHECK(sumOne(job, rank) == blinkRemoteError);
        CHECK(contains(blinkGetLastError(job[rank]), "shrinks the"));
      }
    }
}

TEST_CASE("one loss after the other") {
  const int gpus[] = {4, 1, 3, 0, 2};
  Job job(seal(allOfFive()), 5, 0, gpus);
  const Shrunk first = onThreads(job, {2});
  REQUIRE(first.all(blinkSuccess));
  Job four(first.comms, {2});
  const Shrunk second = inGroup(four, {0, 3});
  REQUIRE(second.all(blinkSuccess));
  Job two(second.comms, {0, 2, 4});
  CHECK(worksFor(two) == "");
  // The same communicator is shrunk twice: each half goes on by itself.
  Shrunk low, high;
  std::thread thread([&] { low = onThreads(job, {2, 3, 4}); });
  high = onThreads(job, {0, 1, 2});
  thread.join();
  REQUIRE((low.all(blinkSuccess) && high.all(blinkSuccess)));
  Job lowHalf(low.comms, {2, 3, 4}), highHalf(high.comms, {0, 1, 2});
  CHECK(worksFor(lowHalf) == "");
  CHECK(worksFor(highHalf) == "");
}

TEST_CASE("the GPUs of those that remain decide") {
  // The bundle has no schedules for GPUs 0 and 4, which ranks 3 and 0 have.
  const TestBundle some =
      makeBundle(optionsOf({{0, 1}, {1, 3}, {0, 1, 4}, {0, 1, 3, 4}}));
  const int gpus[] = {4, 1, 3, 0};
  Job job(seal(some), 4, 0, gpus);
  for (const Shrunk &none : {inGroup(job, {1, 2}), onThreads(job, {1, 2})}) {
    CHECK(none.all(blinkInvalidUsage));
    CHECK(contains(none.errors[0], "no schedules for GPUs 4,0: the bundle is "
                                   "for machine with 5 GPUs and has 4 "
                                   "allocations"));
    CHECK(contains(none.errors[0], "`blinkc compile --survive gpus` adds"));
    CHECK(none.comms == std::vector<blinkComm_t>(2));
  }
  // The communicator has not changed, so it can still be shrunk.
  CHECK(worksFor(job) == "");
  const Shrunk three = inGroup(job, {2});
  REQUIRE(three.all(blinkSuccess));
  Job rest(three.comms, {2});
  CHECK(worksFor(rest) == "");
}

TEST_CASE("schedules that are no bundles serve as many ranks") {
  TestSchedule model =
      onMachine(allCollectives(4, 3, {}), 4, Numbers{0, 1, 2, 3});
  const TestSchedule fewer =
      onMachine(allCollectives(3, 2, {}), 4, Numbers{0, 1, 2});
  for (const TestProgram &program : fewer.programs)
    model.programs.push_back(program);
  Job job(model, 4);
  const Shrunk none = onThreads(job, {0, 1});
  CHECK(none.all(blinkInvalidUsage));
  CHECK(
      contains(none.errors[1], "the schedule is for 4 ranks, the call has 2"));
  const Shrunk three = onThreads(job, {1});
  REQUIRE(three.all(blinkSuccess));
  Job rest(three.comms, {1});
  CHECK(worksFor(rest) == "");
}

TEST_CASE("a rank aborts, and the others repeat their call") {
  const std::vector<uint8_t> bytes = seal(allOfFive());
  Case c;
  c.count = 50000;
  for (int run = 0; run < (kSanitized ? 4 : 12); ++run) {
    const int quitter = run % 4;
    Job job(bytes, 4, 0, nullptr);
    std::vector<RankBuffers> old;
    for (int rank = 0; rank < 4; ++rank) {
      useDeviceOf(rank);
      old.emplace_back(c, 4, rank);
    }
    const Ranks others = without(4, {quitter});
    blinkComm_t victim = job.release(quitter);
    Shrunk shrunk;
    shrunk.comms.resize(3);
    shrunk.results.resize(3);
    std::atomic<int> calls{0};
    std::vector<std::thread> threads;
    for (size_t i = 0; i < 3; ++i)
      threads.emplace_back([&, i] {
        const int rank = others[i];
        blinkResult_t result = blinkSuccess;
        while (result == blinkSuccess) {
          result = call(c, old[rank].send(), old[rank].recv(), job[rank],
                        job.stream(rank));
#if BLINK_TEST_CUDA
          cudaStreamSynchronize(
              reinterpret_cast<cudaStream_t>(job.stream(rank)));
          if (result == blinkSuccess)
            blinkCommGetAsyncError(job[rank], &result);
#endif
          ++calls;
        }
        shrunk.results[i] =
            blinkCommShrink(job[rank], &quitter, 1, &shrunk.comms[i], nullptr);
      });
    threads.emplace_back([&] {
      // The rank makes some calls with the others and then stops.
      for (int i = 0; i < run; ++i)
        call(c, old[quitter].send(), old[quitter].recv(), victim,
             job.stream(quitter));
      CHECK(blinkCommAbort(victim) == blinkSuccess);
    });
    for (std::thread &thread : threads)
      thread.join();
    REQUIRE(shrunk.all(blinkSuccess));
    CHECK(calls >= 3);
    Job rest(shrunk.comms, {quitter});
    // No rank reads or writes the old call's buffers any more.
    CHECK(worksFor(rest) == "");
  }
}

TEST_CASE("shrinking ends calls that are under way") {
  Job job(seal(allOfFive()), 3, 0, nullptr);
  std::atomic<int> begun{0};
  Shrunk shrunk;
  shrunk.comms.resize(3);
  shrunk.results.resize(3);
  std::vector<std::string> errors(2);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 3; ++rank)
    threads.emplace_back([&, rank] {
      if (rank == 2) { // this rank never calls
        while (begun != 2)
          std::this_thread::yield();
      } else {
        ++begun;
        CHECK(sumOne(job, rank) == blinkRemoteError);
        CHECK(sumOne(job, rank) == blinkRemoteError); // the error says why
        errors[size_t(rank)] = blinkGetLastError(job[rank]);
      }
      shrunk.results[size_t(rank)] = blinkCommShrink(
          job[rank], nullptr, 0, &shrunk.comms[size_t(rank)], nullptr);
    });
  for (std::thread &thread : threads)
    thread.join();
  REQUIRE(shrunk.all(blinkSuccess));
  for (const std::string &error : errors)
    CHECK(contains(error, "rank 2 shrinks the communicator: no rank excluded"));
  Job rest(shrunk.comms, {});
  CHECK(worksFor(rest) == "");
}

TEST_CASE("ranks that ask for different things") {
  // A rank that calls after the others have had their error gets it at the time
  // limit.
  Job job(seal(allOfFive()), 4, 3000, nullptr);
  const Ranks all = {0, 1, 2, 3};
  // Rank 3, which others exclude, is not asked to call; here it calls and
  // excludes no rank.
  Shrunk shrunk = onThreads(job, {{3}, {3}, {}, {}}, all);
  CHECK(shrunk.all(blinkInvalidUsage));
  for (const std::string &error : shrunk.errors) {
    CAPTURE(error);
    CHECK(contains(error,
                   "the ranks shrink the communicator differently: rank "));
    CHECK(contains(error, " excludes rank 3"));
    CHECK(contains(error, " excludes no rank"));
  }
  // The same in one group.
  blinkComm_t comms[2];
  const int two = 2, three = 3;
  blinkGroupStart();
  blinkCommShrink(job[0], &two, 1, &comms[0], nullptr);
  blinkCommShrink(job[1], &three, 1, &comms[1], nullptr);
  CHECK(blinkGroupEnd() == blinkInvalidUsage);
  CHECK((!comms[0] && !comms[1]));
  CHECK(contains(blinkGetLastError(job[1]), "differently: rank 0 and rank 1"));
  // A rank does not come. Failed attempts do not disturb later ones.
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  config.timeoutMs = 50;
  shrunk = onThreads(job, {{3}}, {0, 2}, &config);
  CHECK(shrunk.all(blinkRemoteError));
  for (const std::string &error : shrunk.errors)
    CHECK((contains(error, "waited 50 ms for rank 1 to shrink") ||
           contains(error, "waited 50 ms for ranks ")));
  shrunk = onThreads(job, {3});
  REQUIRE(shrunk.all(blinkSuccess));
  Job rest(shrunk.comms, {3});
  CHECK(worksFor(rest) == "");
}

TEST_CASE("a rank that is late finds that the others have shrunk once more") {
  const int gpus[] = {0, 1, 2, 3, 4};
  const Job job(seal(allOfFive()), 5, 20000, gpus);
  const Holder holder;
  blinkComm_t late = nullptr;
  blinkResult_t result = blinkSuccess;
  std::string error;
  std::thread second([&] {
    const Ranks excluded{4};
    result = blinkCommShrink(job[2], excluded.data(), 1, &late, nullptr);
    error = blinkGetLastError(job[2]);
  });
  const std::vector<Ranks> first{{4}};
  const Shrunk shrunk = onThreads(job, first, {0, 1, 3});
  CHECK(shrunk.all(blinkSuccess));
  const std::vector<Ranks> again{{2, 3, 4}};
  const Shrunk more = onThreads(job, again, {0, 1});
  CHECK(more.all(blinkSuccess));
  holder.release();
  second.join();
  CHECK(result == blinkRemoteError);
  CHECK(contains(error, "has shrunk or split the communicator once more"));
  CHECK(late == nullptr);
  for (blinkComm_t comm : shrunk.comms)
    CHECK(blinkCommDestroy(comm) == blinkSuccess);
  for (blinkComm_t comm : more.comms)
    CHECK(blinkCommDestroy(comm) == blinkSuccess);
}

TEST_CASE("a rank that has left cannot shrink") {
  Job job(seal(allOfFive()), 3, 0, nullptr);
  CHECK(blinkCommDestroy(job.release(1)) == blinkSuccess);
  const Shrunk shrunk = onThreads(job, {{}}, {0, 2});
  CHECK(shrunk.all(blinkRemoteError));
  CHECK((contains(shrunk.errors[0], "rank 1 has been destroyed: exclude it") ||
         contains(shrunk.errors[1], "rank 1 has been destroyed: exclude it")));
  const Shrunk again = onThreads(job, {1});
  REQUIRE(again.all(blinkSuccess));
  Job rest(again.comms, {1});
  CHECK(worksFor(rest) == "");
}

TEST_CASE("arguments of blinkCommShrink") {
  Job job(seal(allOfFive()), 3, 0, nullptr);
  blinkComm_t none = nullptr;
  const auto refused = [&](const Ranks &excluded, int count,
                           const char *sentence) {
    blinkComm_t comm = job[0];
    const blinkResult_t result =
        blinkCommShrink(job[0], excluded.data(), count, &comm, nullptr);
    const std::string error = blinkGetLastError(job[0]);
    CAPTURE(error);
    CHECK(contains(error, sentence));
    CHECK(!comm);
    return result == blinkInvalidArgument;
  };
  CHECK(refused({3}, 1, "excludes rank 3 of 3"));
  CHECK(refused({-1}, 1, "excludes rank -1 of 3"));
  CHECK(refused({1, 2, 1}, 3, "excludes rank 1 twice"));
  CHECK(refused({1, 0}, 2, "rank 0 is excluded"));
  CHECK(refused({1}, -1, "excludeCount is negative"));
  CHECK(refused({}, 1, "excludeRanks is NULL"));
  CHECK(blinkCommShrink(nullptr, nullptr, 0, &none, nullptr) ==
        blinkInvalidArgument);
  CHECK(blinkCommShrink(job[0], nullptr, 0, nullptr, nullptr) ==
        blinkInvalidArgument);
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  config.timeoutMs = -1;
  CHECK(blinkCommShrink(job[0], nullptr, 0, &none, &config) ==
        blinkInvalidArgument);
  config = BLINK_CONFIG_INITIALIZER;
  config.size = 3;
  CHECK(blinkCommShrink(job[0], nullptr, 0, &none, &config) ==
        blinkInvalidArgument);
  // In a group the first refusal counts, and nothing is done.
  const int wrong = 7;
  blinkGroupStart();
  CHECK(blinkCommShrink(job[0], &wrong, 1, &none, nullptr) ==
        blinkInvalidArgument);
  CHECK(blinkCommShrink(job[1], nullptr, 0, &none, nullptr) == blinkSuccess);
  CHECK(blinkGroupEnd() == blinkInvalidArgument);
  blinkGroupStart();
  CHECK(blinkCommShrink(job[0], nullptr, 0, &none, nullptr) == blinkSuccess);
  CHECK(blinkCommShrink(job[0], nullptr, 0, &none, nullptr) == blinkSuccess);
  CHECK(blinkGroupEnd() == blinkInvalidUsage);
  blinkGroupStart();
  CHECK(blinkCommShrink(job[0], nullptr, 0, &none, nullptr) == blinkSuccess);
  CHECK(sumOne(job, 1) == blinkSuccess);
  CHECK(blinkGroupEnd() == blinkInvalidUsage);
  CHECK(contains(blinkGetLastError(nullptr), "and nothing else"));
  CHECK(!none);
  CHECK(worksFor(job) == "");
}

namespace {

/// Returns allOfFive() with survivors for a failure of the links between GPUs 0
/// and 3. All five GPUs, and GPUs 0, 3 and 4, have only a broadcast in reserve,
/// so that tests can tell; GPUs 0 and 3 have nothing. Other allocations do not
/// use the link.
TestBundle withSurvivors() {
  TestBundle bundle = allOfFive();
  const uint16_t condition = addCondition(bundle, 1, 4); // GPU g is node g + 1
  for (size_t e = 0; e < bundle.entries.size(); ++e) {
    const Numbers &gpus = bundle.entries[e].gpus;
    if (gpus == Numbers{0, 3}) {
      addSurvivor(bundle, condition, e, sched::kNoClass);
      bundle.survivors.back().mapBegin = 0;
    }
    if (gpus.size() != 5 && gpus != Numbers{0, 3, 4})
      continue;
    TestClass reserve = bundle.classes[bundle.entries[e].classNumber];
    reserve.condition = condition;
    reserve.pieces[0].clear();
    bundle.classes.push_back(reserve);
    addSurvivor(bundle, condition, e, uint32_t(bundle.classes.size() - 1));
  }
  return bundle;
}

/// Returns which of "allreduce, broadcast" the job can do.
std::string abilities(const Job &job) {
  std::string list;
  for (Collective collective : {Collective::allreduce, Collective::broadcast}) {
    Case c;
    c.collective = collective;
    c.count = 1000;
    if (runCase(job, c) == "")
      list += (list.empty() ? "" : ", ") +
              std::string(sched::EnumNameCollective(collective));
  }
  return list;
}

} // namespace

TEST_CASE("a failed link selects what is in reserve for it") {
  const std::vector<uint8_t> bytes = seal(withSurvivors());
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  for (const char *link : {"n1:n4", "n4:n1"}) {
    Job job(bytes, 5, 0, nullptr);
    CHECK(abilities(job) == "allreduce, broadcast");
    config.withoutLink = link;
    // First the same ranks without the link, then fewer while the link is still
    // down, then the same with the link back.
    const Shrunk same = onThreads(job, {}, &config);
    REQUIRE(same.all(blinkSuccess));
    Job five(same.comms, {});
    CHECK(abilities(five) == "broadcast");
    CHECK(contains(blinkGetLastError(five[0]), "for GPUs 0,1,2,3,4 of machine "
                                               "without link n"));
    const Shrunk fewer = inGroup(five, {1, 2});
    REQUIRE(fewer.all(blinkSuccess));
    Job three(fewer.comms, {1, 2});
    CHECK(abilities(three) == "broadcast");
    config.withoutLink = "";
    const Shrunk whole = inGroup(three, {}, &config);
    REQUIRE(whole.all(blinkSuccess));
    Job mended(whole.comms, {1, 2});
    CHECK(abilities(mended) == "allreduce, broadcast");
    config.withoutLink = link;
    const Shrunk others = onThreads(job, {0}, &config);
    REQUIRE(others.all(blinkSuccess));
    Job four(others.comms, {0});
    CHECK(abilities(four) == "allreduce, broadcast"); // does not use that link
  }
}

TEST_CASE("a link that nothing is in reserve for") {
  Job job(seal(withSurvivors()), 5, 0, nullptr);
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  config.withoutLink = "n1:n2";
  Shrunk shrunk = onThreads(job, {}, &config);
  CHECK(shrunk.all(blinkInvalidUsage));
  CAPTURE(shrunk.errors[0]);
  CHECK(contains(shrunk.errors[0],
                 "schedule: nothing is in reserve for when link n1:n2 has "
                 "failed, only for n1:n4; compile one with `--survive links`"));
  // Then the job would need what the bundle has nothing in reserve for.
  config.withoutLink = "n1:n4";
  shrunk = inGroup(job, {1, 2, 4}, &config);
  CHECK(contains(shrunk.errors[0],
                 "schedules for GPUs 0,3 of machine, but nothing in reserve "
                 "for them for when link n1:n4 has failed"));
  CHECK(worksFor(job) == "");
  config.withoutLink = "n1:n2";
  Job other(seal(allOfFive()), 5, 0, nullptr);
  shrunk = inGroup(other, {}, &config);
  CHECK(contains(shrunk.errors[0], "has failed, or any other link; compile"));
}

TEST_CASE("the failed link is part of what ranks ask for") {
  Job job(seal(withSurvivors()), 2, 3000, nullptr);
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  config.withoutLink = "n1:n4";
  Shrunk shrunk;
  shrunk.results.resize(2);
  shrunk.errors.resize(2);
  std::vector<std::thread> threads;
  for (size_t rank : {0, 1})
    threads.emplace_back([&, rank] {
      blinkComm_t comm;
      shrunk.results[rank] = blinkCommShrink(job[int(rank)], nullptr, 0, &comm,
                                             rank ? &config : nullptr);
      shrunk.errors[rank] = blinkGetLastError(job[int(rank)]);
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(shrunk.all(blinkInvalidUsage));
  for (const std::string &error : shrunk.errors)
    CHECK(contains(error, "rank 1 excludes no rank without link n1:n4"));
}

#if !BLINK_TEST_CUDA
TEST_CASE("a job that begins without a link") {
  const std::vector<uint8_t> bytes = seal(withSurvivors());
  blinkSchedule_t schedule;
  REQUIRE(blinkScheduleOpenMemory(bytes.data(), bytes.size(), &schedule) ==
          blinkSuccess);
  std::vector<blinkComm_t> comms(5);
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  config.withoutLink = "n4:n1";
  REQUIRE(blinkCommInitAll(comms.data(), 5, nullptr, schedule, &config) ==
          blinkSuccess);
  {
    Job job(comms, {});
    CHECK(abilities(job) == "broadcast");
  }
  // Communicators that join by an id: all ranks must name the same link.
  for (bool differ : {false, true}) {
    blinkUniqueId id;
    REQUIRE(blinkGetUniqueId(&id) == blinkSuccess);
    std::vector<blinkResult_t> results(5);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < 5; ++rank)
      threads.emplace_back([&, rank] {
        blinkConfig_t own = config;
        own.timeoutMs = differ ? 300 : 20000;
        if (differ && rank == 2)
          own.withoutLink = nullptr;
        results[size_t(rank)] = blinkCommInitRank(&comms[size_t(rank)], 5, id,
                                                  rank, -1, schedule, &own);
      });
    for (std::thread &thread : threads)
      thread.join();
    CHECK(std::count(results.begin(), results.end(), blinkSuccess) ==
          (differ ? 0 : 5));
    Job job(comms, {});
    if (!differ)
      CHECK(runCase(job, [] {
              Case c;
              c.collective = Collective::broadcast;
              c.count = 10;
              c.threads = true;
              return c;
            }()) == "");
  }
  // A program compiled before this field existed does not set it.
  config.size = offsetof(blinkConfig_t, withoutLink);
  config.withoutLink = reinterpret_cast<const char *>(8);
  REQUIRE(blinkCommInitAll(comms.data(), 5, nullptr, schedule, &config) ==
          blinkSuccess);
  {
    Job job(comms, {});
    CHECK(abilities(job) == "allreduce, broadcast");
  }
  blinkScheduleClose(schedule);
}

TEST_CASE("a single schedule serves if it does without the link") {
  // The channels form a chain: they use the links of three GPUs, except the one
  // between GPUs 0 and 2.
  BuildOptions layout;
  layout.shape = Shape::chain;
  const TestSchedule chain = onMachine(
      makeSchedule(Collective::broadcast, 0, 3, layout), 3, {0, 1, 2});
  const std::vector<uint8_t> bytes = seal(chain);
  blinkSchedule_t schedule;
  REQUIRE(blinkScheduleOpenMemory(bytes.data(), bytes.size(), &schedule) ==
          blinkSuccess);
  int refused = 0;
  for (const char *link :
       {"node1:node2", "node2:node3", "node3:node1", "node9:node1", "node1"}) {
    blinkComm_t comms[3];
    blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
    config.withoutLink = link;
    const blinkResult_t result =
        blinkCommInitAll(comms, 3, nullptr, schedule, &config);
    const std::string error = blinkGetLastError(nullptr);
    CAPTURE(error);
    if (std::string(link).find("node9") == 0 || std::string(link) == "node1") {
      CHECK(result == blinkInvalidArgument);
      CHECK(contains(error, "has no such two nodes; expected as gpu0:gpu3"));
    } else if (result != blinkSuccess) {
      ++refused;
      CHECK(
          contains(error, std::string("the schedule goes over link ") + link));
    }
    for (blinkComm_t comm : comms)
      blinkCommDestroy(comm);
  }
  CHECK(refused == 2);
  blinkScheduleClose(schedule);
}
#endif
