//===- LeakTest.cpp - what communicators leave behind ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A process that makes and destroys communicators by the thousand, as
// frameworks do for their groups, holds no more than one that has made a few.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Job.h"
#include "test/conformance/Opened.h"

#include "doctest/doctest.h"

#if BLINK_TEST_CUDA
#include <cuda_runtime_api.h>
#endif

#include <algorithm>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <malloc.h>
#include <string>

using namespace blink;
using namespace blink::test;

namespace {

constexpr int kMembers = 3;
// The number of repetitions. Ranks with GPUs take a few milliseconds to join,
// more on a busy machine. A leak of one item per repetition shows after some
// 20, and a sanitizer looks for leaks of the heap itself. If sockets carry the
// channels, only the leaks of sockets matter: the rest shows without them.
int timesHere() { return kSanitized ? 20 : kOnCuda || isRemote() ? 100 : 400; }

/// What this process holds at this moment.
struct Held {
  size_t files = 0, threads = 0, mappings = 0, heap = 0;

  Held() {
    files = entriesOf("/proc/self/fd");
    threads = entriesOf("/proc/self/task");
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
      ++mappings;
    heap = mallinfo2().uordblks; // 0 under sanitizers, which find leaks
  }

private:
  static size_t entriesOf(const char *folder) {
    size_t entries = 0;
    for ([[maybe_unused]] const auto &entry :
         std::filesystem::directory_iterator(folder))
      ++entries;
    return entries;
  }
};

/// Calls `once` a few times, to fill what is kept on purpose, and then `times`
/// times.
template <typename Once>
void checkNothingIsLeft(Once once, int times = timesHere()) {
  // Without this, threads that allocate at the same time make more arenas, up
  // to eight for each processor, and each of these is two mappings.
  mallopt(M_ARENA_MAX, 1);
  for (int i = 0; i < std::min(times / 2, 50); ++i)
    once();
  const Held before;
  for (int i = 0; i < times; ++i)
    once();
  Held after;
  // Sanitizers map as they like.
  const size_t mostMappings =
      kSanitized ? SIZE_MAX : before.mappings + size_t(times) / 3;
  // On a busy machine, what others still have mapped is freed a little later:
  // when communicators are next made or destroyed. A leak would stay.
  for (int i = 0; i < 20 && after.mappings >= mostMappings; ++i) {
    once();
    after = Held();
  }
  CHECK(after.files < before.files + 20);
  CHECK(after.threads < before.threads + 10); // some are about to end
  CHECK(after.mappings < mostMappings);
  if (!kOnCuda) // the heap of emulated streams varies
    CHECK(after.heap < before.heap + (64 << 10) + size_t(times) * 64);
}

TestSchedule small() {
  BuildOptions layout;
  layout.chunkBytes = 256;
  return allCollectives(kMembers, 0, layout);
}

blinkConfig_t configOf() {
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  config.backend = kOnCuda ? blinkBackendCuda : blinkBackendHost;
  return config;
}

void destroyAll(blinkComm_t *comms) {
  for (int rank = 0; rank < kMembers; ++rank)
    CHECK(blinkCommDestroy(comms[rank]) == blinkSuccess);
}

} // namespace

TEST_CASE("communicators of one call leave nothing behind") {
  const TestSchedule schedule = small();
  unsigned number = 0;
  checkNothingIsLeft([&] {
    const Job job(schedule, kMembers);
    // These cases use patterns that the warm-up has made.
    const unsigned kind = number++ % unsigned(collectives().size());
    CHECK(runCase(job, variedCase(collectives()[kind], 100, 0, kind)) == "");
  });
}

TEST_CASE("communicators of ranks that meet leave nothing behind") {
  const Opened opened(small());
  const blinkConfig_t config = configOf();
  checkNothingIsLeft([&] {
    blinkUniqueId id;
    REQUIRE(blinkGetUniqueId(&id) == blinkSuccess);
    blinkComm_t comms[kMembers] = {};
    blinkGroupStart();
    for (int rank = 0; rank < kMembers; ++rank)
      CHECK(blinkCommInitRank(&comms[rank], kMembers, id, rank,
                              kOnCuda ? 0 : -1, opened.schedule,
                              &config) == blinkSuccess);
    REQUIRE(blinkGroupEnd() == blinkSuccess);
    destroyAll(comms);
  });
}

TEST_CASE("communicators that are split leave nothing behind") {
  const Job job(small(), kMembers);
  checkNothingIsLeft([&] {
    blinkComm_t comms[kMembers] = {};
    blinkGroupStart();
    for (int rank = 0; rank < kMembers; ++rank)
      CHECK(blinkCommSplit(job[rank], 0, rank, &comms[rank], nullptr) ==
            blinkSuccess);
    REQUIRE(blinkGroupEnd() == blinkSuccess);
    destroyAll(comms);
  });
}

TEST_CASE("communicators that cannot be made leave nothing behind") {
  const Job job(small(), kMembers);
  checkNothingIsLeft([&] {
    blinkComm_t comms[kMembers] = {};
    blinkGroupStart();
    for (int rank = 0; rank < kMembers; ++rank)
      blinkCommSplit(job[rank], rank / 2, rank, &comms[rank], nullptr);
    CHECK(blinkGroupEnd() != blinkSuccess); // there is no schedule for so few
  });
}

TEST_CASE("communicators that are aborted leave nothing behind") {
  const TestSchedule schedule = small();
  checkNothingIsLeft([&] {
    Job job(schedule, kMembers);
    CHECK(blinkCommAbort(job.release(1)) == blinkSuccess);
  });
}

namespace {

/// A buffer that a rank registers, once or repeatedly.
class Registered {
public:
  explicit Registered(int rank) {
    useDeviceOf(rank);
    CHECK(blinkMemAlloc(&memory_, kBytes) == blinkSuccess);
  }
  ~Registered() { CHECK(blinkMemFree(memory_) == blinkSuccess); }
  Registered(const Registered &) = delete;

  /// Large enough for other ranks to read and write it directly. On the host it
  /// is small enough that no threads help: ThreadSanitizer cannot see their
  /// order between two mappings of the job's memory.
  static constexpr size_t kBytes = (kOnCuda ? 300 : 100) << 10;
  float *floats() const { return static_cast<float *>(memory_); }
  void enroll(blinkComm_t comm) {
    CHECK(blinkCommRegister(comm, memory_, kBytes, &handle_) == blinkSuccess);
  }
  void withdraw(blinkComm_t comm) {
    CHECK(blinkCommDeregister(comm, handle_) == blinkSuccess);
  }

private:
  void *memory_ = nullptr, *handle_ = nullptr;
};

/// A call of all ranks that uses the registered buffers directly. Sockets carry
/// copies, so part of each is enough.
void reduceAll(blinkComm_t *comms, const std::deque<Registered> &buffers) {
  const size_t bytes = isRemote() ? 4096 : Registered::kBytes;
  blinkGroupStart();
  for (int rank = 0; rank < kMembers; ++rank)
    CHECK(blinkAllReduce(buffers[size_t(rank)].floats(),
                         buffers[size_t(rank)].floats(), bytes / sizeof(float),
                         blinkFloat32, blinkSum, comms[rank],
                         nullptr) == blinkSuccess);
  CHECK(blinkGroupEnd() == blinkSuccess);
}

void joinAll(blinkSchedule_t schedule, blinkComm_t *comms) {
  const blinkConfig_t config = configOf();
  blinkUniqueId id;
  REQUIRE(blinkGetUniqueId(&id) == blinkSuccess);
  blinkGroupStart();
  for (int rank = 0; rank < kMembers; ++rank)
    CHECK(blinkCommInitRank(&comms[rank], kMembers, id, rank,
                            kOnCuda ? rank : -1, schedule,
                            &config) == blinkSuccess);
  REQUIRE(blinkGroupEnd() == blinkSuccess);
}

std::deque<Registered> allocateAll() {
  std::deque<Registered> buffers;
  for (int rank = 0; rank < kMembers; ++rank)
    buffers.emplace_back(rank);
  return buffers;
}

} // namespace

TEST_CASE("registered buffers leave nothing behind") {
  const Opened opened(small());
  blinkComm_t comms[kMembers] = {};
  joinAll(opened.schedule, comms);
  int number = 0;
  checkNothingIsLeft([&] {
    std::deque<Registered> buffers = allocateAll();
    for (int rank = 0; rank < kMembers; ++rank)
      buffers[size_t(rank)].enroll(comms[rank]);
    if (++number % 4 == 0)
      reduceAll(comms, buffers);
    for (int rank = 0; rank < kMembers; ++rank)
      buffers[size_t(rank)].withdraw(comms[rank]);
  });
  destroyAll(comms);
}

TEST_CASE("communicators with registered buffers leave nothing behind") {
  // A rank whose GPU memory others have mapped waits up to a tenth of a second
  // for them. 30 repetitions are half as many again as the number of files that
  // may remain open. A sanitizer finds leaks of the heap after a few.
  const int enough = !kOnCuda ? timesHere() : kSanitized ? 4 : 30;
  const Opened opened(small());
  checkNothingIsLeft(
      [&] {
        std::deque<Registered> buffers = allocateAll();
        blinkComm_t comms[kMembers] = {};
        joinAll(opened.schedule, comms);
        for (int rank = 0; rank < kMembers; ++rank)
          buffers[size_t(rank)].enroll(comms[rank]);
        reduceAll(comms, buffers);
        reduceAll(comms, buffers);
        destroyAll(comms);
      },
      enough);
}
