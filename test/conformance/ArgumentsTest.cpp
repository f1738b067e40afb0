//===- ArgumentsTest.cpp - wrong arguments are refused with an error text -===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Job.h"
#include "test/conformance/Opened.h"
#include "test/conformance/ScheduleOnDisk.h"

#include "doctest/doctest.h"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

using namespace blink;
using namespace blink::test;

namespace {

void checkError(blinkResult_t result, blinkResult_t expected,
                const char *part) {
  std::string text = blinkGetLastError(nullptr);
  CAPTURE(text);
  CHECK(result == expected);
  CHECK(text.find(part) != std::string::npos);
}

} // namespace

TEST_CASE("shared memory judges its arguments") {
  void *memory = nullptr;
  checkError(blinkMemAlloc(nullptr, 1), blinkInvalidArgument,
             "the pointer is NULL");
  checkError(blinkMemAlloc(&memory, 0), blinkInvalidArgument,
             "there are no bytes");
  checkError(blinkMemAlloc(&memory, SIZE_MAX), blinkSystemError,
             "cannot allocate 18446744073709551615 bytes");
  checkError(blinkMemFree(&memory), blinkInvalidArgument,
             "none of blinkMemAlloc");
  CHECK(blinkMemFree(nullptr) == blinkSuccess);
}

TEST_CASE("in one process registering does nothing, with any memory") {
  Job job(allCollectives(2, 1, {}), 2);
  char memory[8] = {};
  void *handle = nullptr;
  CHECK(blinkCommRegister(job[0], memory, sizeof(memory), &handle) ==
        blinkSuccess);
  CHECK(handle);
  CHECK(blinkCommDeregister(job[0], handle) == blinkSuccess);
}

TEST_CASE("collectives judge their arguments") {
  Job job(allCollectives(2, 1, {}), 2);
  alignas(16) char memory[64] = {};
  void *p = memory;
  checkError(blinkAllReduce(p, p, 1, blinkInt8, blinkSum, nullptr, nullptr),
             blinkInvalidArgument, "communicator is NULL");
  checkError(
      blinkAllReduce(nullptr, p, 1, blinkInt8, blinkSum, job[0], nullptr),
      blinkInvalidArgument, "allreduce: the send buffer is NULL");
  checkError(
      blinkAllReduce(p, nullptr, 1, blinkInt8, blinkSum, job[0], nullptr),
      blinkInvalidArgument, "allreduce: the receive buffer is NULL");
  checkError(
      blinkAllReduce(p, p, 1, blinkDataType_t(12), blinkSum, job[0], nullptr),
      blinkInvalidArgument, "unknown data type 12");
  checkError(
      blinkAllReduce(p, p, 1, blinkInt8, blinkRedOp_t(8), job[0], nullptr),
      blinkInvalidArgument, "unknown operator 8");
  checkError(blinkAllReduce(p, p, 1, blinkBfloat16, blinkBor, job[0], nullptr),
             blinkInvalidArgument,
             "bor combines the bits of integers, not bfloat16");
  checkError(blinkAllReduce(p, p, SIZE_MAX / 4, blinkFloat64, blinkSum, job[0],
                            nullptr),
             blinkInvalidArgument, "more than memory can hold");
  checkError(
      blinkAllReduce(memory + 1, p, 1, blinkFloat16, blinkSum, job[0], nullptr),
      blinkInvalidArgument, "not aligned to its elements of 2 bytes");
  checkError(blinkBroadcast(p, p, 1, blinkInt8, 2, job[0], nullptr),
             blinkInvalidArgument, "root 2 of 2 ranks");
  checkError(blinkBroadcast(p, p, 1, blinkInt8, -1, job[0], nullptr),
             blinkInvalidArgument, "root -1 of 2 ranks");
  checkError(blinkBroadcast(p, p, 1, blinkInt8, 0, job[0], nullptr),
             blinkInvalidUsage, "with root 0, only with root 1");
  // The communicator remembers its own last error.
  CHECK(std::string(blinkGetLastError(job[0])).find("root 0") !=
        std::string::npos);
  CHECK(std::string(blinkGetLastError(job[1])) == "");
  // None of these errors harmed the job.
  Case c;
  c.count = 5;
  CHECK(runCase(job, c) == "");
}

TEST_CASE("operators belong to a communicator, and have a type") {
  Job job(allCollectives(2, 1, {}), 2);
  const float scalars[2] = {2, 3};
  blinkRedOp_t ops[2] = {blinkSum, blinkSum}, other = blinkSum;
  const auto create = [&](int rank, blinkRedOp_t *op) {
    return blinkRedOpCreatePreMulSum(op, &scalars[rank], blinkFloat32,
                                     blinkScalarHostImmediate, job[rank]);
  };
  checkError(blinkRedOpCreatePreMulSum(nullptr, scalars, blinkFloat32,
                                       blinkScalarDevice, job[0]),
             blinkInvalidArgument, "NULL");
  checkError(blinkRedOpCreatePreMulSum(&other, nullptr, blinkFloat32,
                                       blinkScalarDevice, job[0]),
             blinkInvalidArgument, "NULL");
  checkError(blinkRedOpCreatePreMulSum(&other, scalars, blinkFloat32,
                                       blinkScalarDevice, nullptr),
             blinkInvalidArgument, "NULL");
  checkError(blinkRedOpCreatePreMulSum(&other, scalars, blinkDataType_t(12),
                                       blinkScalarDevice, job[0]),
             blinkInvalidArgument, "unknown data type 12");
  checkError(blinkRedOpCreatePreMulSum(&other, scalars, blinkFloat32,
                                       blinkScalarResidence_t(2), job[0]),
             blinkInvalidArgument, "unknown residence 2");
  checkError(blinkRedOpCreatePreMulSum(
                 &other, reinterpret_cast<const char *>(scalars) + 2,
                 blinkFloat32, blinkScalarDevice, job[0]),
             blinkInvalidArgument, "not aligned to its 4 bytes");
  CHECK(other == blinkSum);
  for (int rank : {0, 1})
    REQUIRE(create(rank, &ops[rank]) == blinkSuccess);
  CHECK(ops[0] > blinkBxor);
  CHECK(ops[1] != ops[0]);

  float in = 1, out[2] = {};
  const auto reduce = [&](int rank, blinkRedOp_t op, blinkDataType_t type) {
    return blinkAllReduce(&in, &out[rank], 1, type, op, job[rank], nullptr);
  };
  checkError(reduce(0, ops[1], blinkFloat32), blinkInvalidArgument,
             ("unknown operator " + std::to_string(ops[1])).c_str());
  checkError(reduce(0, ops[0], blinkFloat16), blinkInvalidArgument,
             "has a scalar of float32, the call is of float16");
  checkError(reduce(0, blinkRedOp_t(-1), blinkFloat32), blinkInvalidArgument,
             "unknown operator -1");
  CHECK(job.inGroup([&](int rank) {
    return reduce(rank, ops[rank], blinkFloat32);
  }) == blinkSuccess);
  CHECK(out[0] == 5);
  CHECK(out[1] == 5);

  // The ranks' operators have different numbers, but either all ranks multiply
  // or none does.
  blinkGroupStart();
  reduce(0, ops[0], blinkFloat32);
  reduce(1, blinkSum, blinkFloat32);
  checkError(blinkGroupEnd(), blinkInvalidUsage,
             "rank 0 has allreduce of 1 float32 with premulsum, rank 1 has "
             "allreduce of 1 float32 with sum");

  // Destroying an operator does not harm a call already made with it. This job
  // makes the calls in a group of its own.
  Job fresh(allCollectives(2, 1, {}), 2);
  blinkRedOp_t used[2];
  for (int rank : {0, 1})
    REQUIRE(blinkRedOpCreatePreMulSum(&used[rank], &scalars[rank], blinkFloat32,
                                      blinkScalarHostImmediate,
                                      fresh[rank]) == blinkSuccess);
  CHECK(fresh.inGroup([&](int rank) {
    const blinkResult_t result = blinkAllReduce(
        &in, &out[rank], 1, blinkFloat32, used[rank], fresh[rank], nullptr);
    CHECK(blinkRedOpDestroy(used[rank], fresh[rank]) == blinkSuccess);
    return result;
  }) == blinkSuccess);
  CHECK(out[1] == 5);

  checkError(blinkRedOpDestroy(ops[1], job[0]), blinkInvalidArgument,
             "not made with this communicator");
  checkError(blinkRedOpDestroy(blinkMax, job[0]), blinkInvalidArgument,
             "not made with this communicator");
  checkError(blinkRedOpDestroy(ops[0], nullptr), blinkInvalidArgument, "NULL");
  CHECK(blinkRedOpDestroy(ops[0], job[0]) == blinkSuccess);
  checkError(blinkRedOpDestroy(ops[0], job[0]), blinkInvalidArgument,
             "or is destroyed");
  checkError(reduce(0, ops[0], blinkFloat32), blinkInvalidArgument,
             "unknown operator");
  CHECK(create(0, &other) == blinkSuccess);
  CHECK(other == ops[0]); // numbers are reused
}

TEST_CASE("a communicator says what it holds") {
  Job job(allCollectives(2, 1, {}), 2);
  blinkMemoryInfo_t info = BLINK_MEMORY_INFO_INITIALIZER;
  checkError(blinkCommMemory(nullptr, &info), blinkInvalidArgument, "NULL");
  checkError(blinkCommMemory(job[0], nullptr), blinkInvalidArgument, "NULL");
  info.size = sizeof(size_t) - 1;
  checkError(blinkCommMemory(job[0], &info), blinkInvalidArgument,
             "BLINK_MEMORY_INFO_INITIALIZER");
  // A caller with an older header has a shorter struct: the rest is not
  // written.
  info.size = offsetof(blinkMemoryInfo_t, control);
  info.control = 7;
  CHECK(blinkCommMemory(job[0], &info) == blinkSuccess);
  CHECK(info.size == offsetof(blinkMemoryInfo_t, control));
  CHECK(info.slots >= 4096);
  CHECK(info.control == 7);
  // A caller with a newer header learns which fields there are.
  struct {
    blinkMemoryInfo_t info;
    uint64_t later;
  } newer = {{sizeof(newer), 0, 0, 0, 0, 0, 0}, 7};
  CHECK(blinkCommMemory(job[0], &newer.info) == blinkSuccess);
  CHECK(newer.info.size == sizeof(blinkMemoryInfo_t));
  CHECK(newer.info.slots == info.slots);
  CHECK(newer.info.job != 0);
  CHECK(newer.later == 7);
}

TEST_CASE("buffers that a rank does not need may be NULL") {
  Job job(allCollectives(3, 1, {}), 3);
  int64_t in[3] = {5, 6, 7}, out[3] = {};
  CHECK(job.inGroup([&](int rank) {
    return blinkReduce(&in[rank], rank == 1 ? &out[1] : nullptr, 1, blinkInt64,
                       blinkSum, 1, job[rank], nullptr);
  }) == blinkSuccess);
  CHECK(out[1] == 18);
  CHECK(job.inGroup([&](int rank) {
    return blinkBroadcast(rank == 1 ? &in[1] : nullptr, &out[rank], 1,
                          blinkInt64, 1, job[rank], nullptr);
  }) == blinkSuccess);
  CHECK(out[0] == 6);
  CHECK(out[2] == 6);
  // Without elements, buffers are not needed.
  CHECK(job.inGroup([&](int rank) {
    return blinkAllReduce(nullptr, nullptr, 0, blinkInt64, blinkSum, job[rank],
                          nullptr);
  }) == blinkSuccess);
}

TEST_CASE("a refused call spoils its group, and only that") {
  Job job(makeSchedule(Collective::allreduce, 0, 2, {}), 2);
  int32_t in = 1, out[2] = {};
  blinkGroupStart();
  CHECK(blinkAllReduce(&in, &out[0], 1, blinkInt32, blinkSum, job[0],
                       nullptr) == blinkSuccess);
  CHECK(blinkAllReduce(&in, nullptr, 1, blinkInt32, blinkSum, job[1],
                       nullptr) == blinkInvalidArgument);
  checkError(blinkGroupEnd(), blinkInvalidArgument, "receive buffer is NULL");
  CHECK(out[0] == 0);
  CHECK(job.inGroup([&](int rank) {
    return blinkAllReduce(&in, &out[rank], 1, blinkInt32, blinkSum, job[rank],
                          nullptr);
  }) == blinkSuccess);
  CHECK(out[0] == 2);
  checkError(blinkGroupEnd(), blinkInvalidUsage, "without a blinkGroupStart");
}

TEST_CASE("communicators need a schedule that fits") {
  Opened eight(makeSchedule(Collective::allreduce, 0, 8, {}));
  blinkComm_t comms[8];
  auto init = [&](int ranks, const int *devices, const blinkConfig_t *config) {
    comms[0] = reinterpret_cast<blinkComm_t>(comms);
    blinkResult_t result =
        blinkCommInitAll(comms, ranks, devices, eight.schedule, config);
    CHECK((comms[0] == nullptr || ranks < 1));
    return result;
  };
  int ranks = 0;
  CHECK(blinkScheduleRanks(eight.schedule, &ranks) == blinkSuccess);
  CHECK(ranks == 8);
  checkError(init(4, nullptr, nullptr), blinkInvalidUsage,
             "the schedule is for 8 ranks, the call has 4");
  checkError(init(0, nullptr, nullptr), blinkInvalidArgument, "nranks");
  int devices[8] = {};
  checkError(init(8, devices, nullptr), blinkInvalidArgument, "devices");
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  config.backend = blinkBackendCuda;
  // Without the back end, without a GPU, or with fewer than 8 GPUs, there is an
  // error text.
  if (init(8, nullptr, &config) == blinkSuccess) {
    for (blinkComm_t comm : comms)
      CHECK(blinkCommDestroy(comm) == blinkSuccess);
  } else {
    const std::string text = blinkGetLastError(nullptr);
    CAPTURE(text);
    CHECK((text.find("no CUDA back end") != std::string::npos ||
           text.find("cannot count the GPUs") != std::string::npos ||
           text.find("this machine has") != std::string::npos ||
           text.find("cannot access") != std::string::npos));
  }
  config.backend = blinkBackend_t(7);
  checkError(init(8, nullptr, &config), blinkInvalidArgument, "back end 7");
  config = BLINK_CONFIG_INITIALIZER;
  config.timeoutMs = -1;
  checkError(init(8, nullptr, &config), blinkInvalidArgument, "timeoutMs");
  config = BLINK_CONFIG_INITIALIZER;
  config.size = 3;
  checkError(init(8, nullptr, &config), blinkInvalidArgument,
             "BLINK_CONFIG_INITIALIZER");
  checkError(blinkCommInitAll(comms, 8, nullptr, nullptr, nullptr),
             blinkInvalidArgument, "schedule is NULL");
}

TEST_CASE("a schedule too large for the machine is an error") {
  BuildOptions huge;
  huge.chunkBytes = 64 << 20;
  huge.slots = 1024;
  huge.treesPerBlock = 8;
  Opened opened(makeSchedule(Collective::allreduce, 0, 8, huge)); // 7 TB
  blinkComm_t comms[8];
  checkError(blinkCommInitAll(comms, 8, nullptr, opened.schedule, nullptr),
             blinkSystemError, "smaller chunks");
}

TEST_CASE("schedules are opened from files and added to") {
  ScheduleOnDisk reduce(makeSchedule(Collective::reduce, 1, 2, {}));
  ScheduleOnDisk gather(makeSchedule(Collective::allgather, 0, 2, {}));
  std::vector<uint8_t> damaged =
      seal(makeSchedule(Collective::reduce, 1, 2, {}));
  damaged[damaged.size() / 2] ^= 1;
  ScheduleOnDisk broken(damaged);
  blinkSchedule_t schedule = reinterpret_cast<blinkSchedule_t>(&reduce);
  checkError(blinkScheduleOpen("/no/such/file.sched", &schedule),
             blinkSystemError, "/no/such/file.sched: cannot read it");
  CHECK(schedule == nullptr);
  checkError(blinkScheduleOpen("/tmp", &schedule), blinkSystemError,
             "cannot read");
  // Larger than 1 GiB: the file is refused without being read.
  ScheduleOnDisk large(damaged);
  REQUIRE(truncate(large.path(), (off_t(1) << 30) + 1) == 0);
  checkError(blinkScheduleOpen(large.path(), &schedule), blinkInvalidArgument,
             "is larger than 1 GiB, or never ends: name a schedule");
  if (!kSanitized) // AddressSanitizer makes it slow
    checkError(blinkScheduleOpen("/dev/zero", &schedule), blinkInvalidArgument,
               "/dev/zero: is larger than 1 GiB, or never ends");
  checkError(blinkScheduleOpen(broken.path(), &schedule), blinkInvalidArgument,
             "checksum");
  REQUIRE(blinkScheduleOpen(reduce.path(), &schedule) == blinkSuccess);
  blinkComm_t before[2], after[2];
  REQUIRE(blinkCommInitAll(before, 2, nullptr, schedule, nullptr) ==
          blinkSuccess);
  checkError(blinkScheduleAdd(schedule, broken.path()), blinkInvalidArgument,
             broken.path());
  REQUIRE(blinkScheduleAdd(schedule, gather.path()) == blinkSuccess);
  REQUIRE(blinkCommInitAll(after, 2, nullptr, schedule, nullptr) ==
          blinkSuccess);
  CHECK(blinkScheduleClose(schedule) == blinkSuccess);
  int8_t in[2] = {1, 2}, out[2][2] = {};
  checkError(blinkAllGather(&in[0], out[0], 1, blinkInt8, before[0], nullptr),
             blinkInvalidUsage, "no allgather for 2 ranks");
  blinkGroupStart();
  for (int rank = 0; rank < 2; ++rank)
    blinkAllGather(&in[rank], out[rank], 1, blinkInt8, after[rank], nullptr);
  CHECK(blinkGroupEnd() == blinkSuccess);
  CHECK(out[1][0] == 1);
  CHECK(out[0][1] == 2);
  for (int rank = 0; rank < 2; ++rank) {
    CHECK(blinkCommDestroy(before[rank]) == blinkSuccess);
    CHECK(blinkCommDestroy(after[rank]) == blinkSuccess);
  }
}

TEST_CASE("version and result codes") {
  int version = 0;
  CHECK(blinkGetVersion(&version) == blinkSuccess);
  CHECK(version == BLINK_VERSION);
  CHECK(blinkGetVersion(nullptr) == blinkInvalidArgument);
  for (int code = 0; code <= 7; ++code)
    for (int other = 0; other < code; ++other)
      CHECK(std::string(blinkGetErrorString(blinkResult_t(code))) !=
            blinkGetErrorString(blinkResult_t(other)));
  CHECK(blinkGetErrorString(blinkResult_t(99)) ==
        std::string("unknown result code"));
  CHECK(blinkCommDestroy(nullptr) == blinkSuccess);
  CHECK(blinkCommAbort(nullptr) == blinkSuccess);
  CHECK(blinkScheduleClose(nullptr) == blinkSuccess);
}
