//===- BundleErrorsTest.cpp - errors about what bundles lack --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Choosing from a bundle fails with an error text. Tested on the host only,
// since all back ends share the code.
//
//===----------------------------------------------------------------------===//

#include "test/common/BundleBuilder.h"
#include "test/common/Contains.h"
#include "test/conformance/Job.h"
#include "test/conformance/ScheduleOnDisk.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <unistd.h>

using namespace blink;
using namespace blink::test;

namespace {

using Bytes = std::vector<uint8_t>;
using Gpus = std::vector<int>;

/// Returns a bundle with allocations of 2, 4 and 5 GPUs of a machine with 6.
TestBundle someSizes() {
  BundleOptions options;
  options.collectives = {Collective::allreduce, Collective::broadcast};
  options.allocations = {{0, 1}, {2, 5}, {0, 1, 2, 3}, {1, 2, 3, 4, 5}};
  return makeBundle(options);
}

/// Returns the error text of blinkCommInitAll, or "" if it makes communicators.
std::string initError(blinkSchedule_t schedule, const Gpus &gpus,
                      blinkResult_t *result = nullptr) {
  std::vector<blinkComm_t> comms(gpus.size());
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  config.gpus = gpus.data();
  const blinkResult_t got = blinkCommInitAll(comms.data(), int(gpus.size()),
                                             nullptr, schedule, &config);
  if (result)
    *result = got;
  for (blinkComm_t comm : comms)
    CHECK(blinkCommDestroy(comm) == blinkSuccess);
  return got == blinkSuccess ? "" : blinkGetLastError(nullptr);
}

struct OpenedBundle {
  blinkSchedule_t schedule = nullptr;
  explicit OpenedBundle(const char *path) {
    REQUIRE(blinkScheduleOpen(path, &schedule) == blinkSuccess);
  }
  ~OpenedBundle() { blinkScheduleClose(schedule); }
  operator blinkSchedule_t() const { return schedule; }
};

/// Runs an allreduce of one number per rank and returns the error text, or "".
std::string reduceError(blinkSchedule_t schedule, const Gpus &gpus) {
  std::vector<blinkComm_t> comms(gpus.size());
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  config.gpus = gpus.data();
  if (blinkCommInitAll(comms.data(), int(gpus.size()), nullptr, schedule,
                       &config) != blinkSuccess)
    return blinkGetLastError(nullptr);
  std::vector<int64_t> in(gpus.size(), 7), out(gpus.size());
  blinkGroupStart();
  for (size_t rank = 0; rank < gpus.size(); ++rank)
    blinkAllReduce(&in[rank], &out[rank], 1, blinkInt64, blinkSum, comms[rank],
                   nullptr);
  std::string error;
  if (blinkGroupEnd() != blinkSuccess)
    error = blinkGetLastError(nullptr);
  for (size_t rank = 0; rank < gpus.size(); ++rank) {
    CHECK(blinkCommDestroy(comms[rank]) == blinkSuccess);
    if (out[rank] != int64_t(7 * gpus.size()) && error.empty())
      error = "wrong sum";
  }
  return error;
}

} // namespace

TEST_CASE("GPUs that a bundle does not have") {
  ScheduleOnDisk file(seal(someSizes()));
  OpenedBundle bundle(file.path());
  const std::string path = file.path();
  int ranks = 0;
  CHECK(blinkScheduleRanks(bundle, &ranks) == blinkSuccess);
  CHECK(ranks == 6);
  blinkResult_t result;
  CHECK(initError(bundle, {5, 2}) == "");
  CHECK(initError(bundle, {5, 1, 0}, &result) ==
        path + ": no schedules for GPUs 5,1,0: the bundle is for machine with "
               "6 GPUs and has 4 allocations, of 2,4-5 GPUs, 0 of them of 3; "
               "compile one with them");
  CHECK(result == blinkInvalidUsage);
  CHECK(contains(initError(bundle, {0, 5}), "2 of them of 2"));
  CHECK(initError(bundle, {5, 6}, &result) ==
        path + ": rank 1 is for GPU 6, machine has GPUs 0 to 5");
  CHECK(result == blinkInvalidArgument);
  CHECK(contains(initError(bundle, {-1, 0}), "rank 0 is for GPU -1"));
  CHECK(contains(initError(bundle, {65536, 1}), "rank 0 is for GPU 65536"));
  CHECK(initError(bundle, {2, 5, 2, 1}, &result) ==
        path + ": ranks 0 and 2 are both for GPU 2 of machine");
  CHECK(result == blinkInvalidArgument);
}

TEST_CASE("GPUs that no path joins") {
  TestBundle model = someSizes();
  for (auto &piece : model.classes[0].pieces)
    piece.clear(); // the piece for two GPUs
  model.classes[1].pieces[0].clear();
  ScheduleOnDisk file(seal(model));
  OpenedBundle bundle(file.path());
  CHECK(initError(bundle, {1, 0}) ==
        std::string(file.path()) +
            ": no path joins GPUs 1,0 of machine over the links that the "
            "bundle may use: give the job other GPUs, or compile with more "
            "kinds of links");
  // Only some of the collectives are there; the error lists them.
  CHECK(contains(reduceError(bundle, {0, 1, 2, 3}),
                 "has broadcast for GPUs 0,1,2,3 of machine"));
}

TEST_CASE("a collective that a bundle was not compiled for") {
  ScheduleOnDisk file(seal(someSizes()));
  ScheduleOnDisk single(makeSchedule(Collective::allgather, 0, 2, {}));
  OpenedBundle bundle(file.path());
  auto gather = [](blinkSchedule_t schedule, const Gpus &gpus) {
    blinkComm_t comms[2];
    blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
    config.gpus = gpus.data();
    REQUIRE(blinkCommInitAll(comms, 2, nullptr, schedule, &config) ==
            blinkSuccess);
    int8_t in[2] = {3, 4}, out[2][2] = {};
    blinkGroupStart();
    for (int rank = 0; rank < 2; ++rank)
      blinkAllGather(&in[rank], out[rank], 1, blinkInt8, comms[rank], nullptr);
    std::string error;
    if (blinkGroupEnd() != blinkSuccess)
      error = blinkGetLastError(nullptr);
    else
      CHECK((out[0][1] == 4 && out[1][0] == 3));
    for (blinkComm_t comm : comms)
      blinkCommDestroy(comm);
    return error;
  };
  CHECK(gather(bundle, {5, 2}) ==
        "the schedule has no allgather for 2 ranks: compile one and open or "
        "add it; " +
            std::string(file.path()) +
            " has allreduce, broadcast for GPUs 5,2 of machine");
  // Files that are added supply what is missing, and serve GPUs that the bundle
  // does not.
  REQUIRE(blinkScheduleAdd(bundle, single.path()) == blinkSuccess);
  CHECK(gather(bundle, {5, 2}) == "");
  CHECK(gather(bundle, {0, 5}) == "");
  CHECK(contains(reduceError(bundle, {0, 5}), "no schedules for GPUs 0,5"));
  CHECK(reduceError(bundle, {5, 2}) == "");
  OpenedBundle other(single.path());
  REQUIRE(blinkScheduleAdd(other, file.path()) == blinkSuccess);
  CHECK(gather(other, {5, 2}) == "");
  CHECK(reduceError(other, {5, 2}) == "");
  int ranks = 0;
  CHECK(blinkScheduleRanks(other, &ranks) == blinkSuccess);
  CHECK(ranks == 2);
}

TEST_CASE("damage is found where it is") {
  TestBundle model = someSizes();
  model.classes[1].pieces[1][200] ^= 4;
  const Bytes bytes = seal(model);
  ScheduleOnDisk file(bytes);
  OpenedBundle bundle(file.path());
  CHECK(reduceError(bundle, {1, 0}) == "");
  CHECK(reduceError(bundle, {5, 4, 3, 2, 1}) == "");
  blinkResult_t result;
  const std::string error = initError(bundle, {3, 1, 2, 0}, &result);
  CAPTURE(error);
  CHECK(contains(error, std::string(file.path()) +
                            ": classes[1].pieces[1]: the checksum"));
  CHECK(result == blinkInvalidArgument);

  // Rank 0 is the serving root of both ranks, but its program is missing.
  BundleOptions options;
  options.collectives = {Collective::broadcast};
  options.allocations = {{0, 1}};
  TestBundle rootless = makeBundle(options);
  rootless.classes[0].roots = {0, 0};
  const Numbers turned = {sched::kUnmapped,
                          2,
                          1,
                          sched::kUnmapped,
                          sched::kUnmapped,
                          sched::kUnmapped,
                          sched::kUnmapped};
  std::copy(turned.begin(), turned.end(),
            rootless.classes[0].rootMaps.begin() + 7);
  rootless.classes[0].pieces[0] =
      seal(onMachine(makeSchedule(Collective::broadcast, 1, 2, {}), 6, {0, 1}));
  ScheduleOnDisk other(seal(rootless));
  OpenedBundle without(other.path());
  CHECK(contains(initError(without, {0, 1}),
                 "classes[0].pieces[0]: no program with a root"));

  // Every byte of a bundle counts: each change is found, either when the bundle
  // is opened or when the changed part is chosen.
  const Bytes right = seal(someSizes());
  for (size_t i = 0; i < right.size(); i += i < 300 ? 1 : 37) {
    Bytes changed = right;
    changed[i] ^= uint8_t(1 << i % 8);
    blinkSchedule_t schedule;
    if (blinkScheduleOpenMemory(changed.data(), changed.size(), &schedule) !=
        blinkSuccess)
      continue;
    std::string found;
    for (const Gpus &gpus : {Gpus{0, 1}, Gpus{0, 1, 2, 3}, Gpus{1, 2, 3, 4, 5}})
      found += initError(schedule, gpus);
    CHECK(contains(found, "pieces["));
    blinkScheduleClose(schedule);
  }
  for (size_t size : {size_t(7), size_t(8), size_t(40), right.size() - 8}) {
    ScheduleOnDisk cut(Bytes(right.begin(), right.begin() + ptrdiff_t(size)));
    blinkSchedule_t schedule;
    CHECK(blinkScheduleOpen(cut.path(), &schedule) == blinkInvalidArgument);
    CHECK(contains(blinkGetLastError(nullptr), cut.path()));
  }
}

TEST_CASE("a bundle's file may be replaced while it is open") {
  auto *file = new ScheduleOnDisk(seal(someSizes()));
  OpenedBundle bundle(file->path());
  ScheduleOnDisk other(Bytes(100, 1));
  REQUIRE(std::rename(other.path(), file->path()) == 0);
  CHECK(reduceError(bundle, {2, 5}) == "");
  delete file; // there is no file at all
  CHECK(reduceError(bundle, {0, 3, 1, 2}) == "");
}

TEST_CASE("a bundle through a pipe") {
  const Bytes bytes = seal(someSizes());
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  std::thread writer([&] {
    CHECK(write(ends[1], bytes.data(), bytes.size()) == ssize_t(bytes.size()));
    close(ends[1]);
  });
  const std::string path = "/dev/fd/" + std::to_string(ends[0]);
  OpenedBundle bundle(path.c_str());
  writer.join();
  close(ends[0]);
  CHECK(reduceError(bundle, {2, 5}) == "");
}

TEST_CASE("who knows no GPUs has the first ones") {
  ScheduleOnDisk file(seal(someSizes()));
  OpenedBundle bundle(file.path());
  blinkComm_t comms[5];
  CHECK(blinkCommInitAll(comms, 2, nullptr, bundle, nullptr) == blinkSuccess);
  CHECK(blinkCommDestroy(comms[0]) == blinkSuccess);
  CHECK(blinkCommDestroy(comms[1]) == blinkSuccess);
  CHECK(blinkCommInitAll(comms, 5, nullptr, bundle, nullptr) ==
        blinkInvalidUsage);
  CHECK(contains(blinkGetLastError(nullptr), "for GPUs 0,1,2,3,4:"));
  // Too many ranks are an error before a list of all of them is allocated.
  blinkUniqueId id = {};
  CHECK(blinkCommInitRank(comms, INT_MAX, id, 0, -1, bundle, nullptr) ==
        blinkInvalidArgument);
  CHECK(contains(blinkGetLastError(nullptr),
                 "nranks is 2147483647, machines have at most 65534 GPUs"));
  // A program compiled before this field existed does not set it.
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  config.size = offsetof(blinkConfig_t, gpus);
  config.gpus = reinterpret_cast<const int *>(8);
  CHECK(blinkCommInitAll(comms, 2, nullptr, bundle, &config) == blinkSuccess);
  CHECK(blinkCommDestroy(comms[0]) == blinkSuccess);
  CHECK(blinkCommDestroy(comms[1]) == blinkSuccess);
}

TEST_CASE("ranks that join by an id name the same GPUs") {
  ScheduleOnDisk file(seal(someSizes()));
  OpenedBundle bundle(file.path());
  auto join = [&](const Gpus(&gpus)[2], blinkResult_t(&results)[2]) {
    blinkUniqueId id;
    REQUIRE(blinkGetUniqueId(&id) == blinkSuccess);
    std::string errors[2];
    std::thread threads[2];
    for (int rank = 0; rank < 2; ++rank)
      threads[rank] = std::thread([&, rank] {
        blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
        config.gpus = gpus[rank].data();
        config.timeoutMs = 2000;
        blinkComm_t comm;
        results[rank] =
            blinkCommInitRank(&comm, 2, id, rank, -1, bundle, &config);
        const int32_t in = rank + 1;
        int32_t out = in;
        if (results[rank] == blinkSuccess)
          results[rank] =
              blinkBroadcast(&in, &out, 1, blinkInt32, 1, comm, nullptr);
        if (results[rank] != blinkSuccess)
          errors[rank] = blinkGetLastError(nullptr);
        else
          CHECK(out == 2);
        blinkCommDestroy(comm);
      });
    for (std::thread &thread : threads)
      thread.join();
    return errors[0] + errors[1];
  };
  blinkResult_t results[2];
  CHECK(join({{5, 2}, {5, 2}}, results) == "");
  // Both lists name a valid allocation, but the orders differ.
  const std::string error = join({{5, 2}, {2, 5}}, results);
  CAPTURE(error);
  CHECK(contains(error, "for bundles the same GPUs"));
  CHECK((results[0] != blinkSuccess && results[1] != blinkSuccess));
}
