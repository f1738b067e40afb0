//===- EmulatedSwitchTest.cpp - switches that reduce and multicast --------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Trees for which a switch works, on emulated devices that the switch connects:
// results, calls that use links instead, and machines and drivers without a
// switch.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/Launch.h"
#include "runtime/cuda/SwitchMemory.h"
#include "test/common/SwitchedStars.h"
#include "test/conformance/Job.h"
#include "test/emulation/Emulation.h"
#include "test/emulation/Failures.h"
#include "test/emulation/Multicast.h"
#include "test/emulation/VirtualMemory.h"

#include "doctest/doctest.h"

#include <chrono>
#include <cstring>
#include <set>

using namespace blink;
using namespace blink::test;

namespace {

BuildOptions smallChunks() {
  BuildOptions options;
  options.chunkBytes = 512;
  options.slots = 3;
  options.lanes = 2;
  return options;
}

Case sumOf(blinkDataType_t type, size_t count) {
  Case c;
  c.type = type;
  c.count = count;
  return c;
}

/// The outputs of the late rank. The other ranks are calls ahead of it, as far
/// as the slots allow.
const std::set<const void *> *lateOutputs;

void beLate(const runtime::Launch &launch, unsigned, unsigned thread,
            unsigned) {
  if (thread == 0 && lateOutputs->count(launch.ranks[0].recv))
    pauseThread(std::chrono::microseconds(200));
}

/// Runs the case and returns true if the switch worked for it.
bool usesSwitch(const Job &job, const Case &c) {
  const uint64_t before = numMulticasts();
  CAPTURE(c.describe());
  CHECK(runCase(job, c) == "");
  return numMulticasts() != before;
}

} // namespace

TEST_CASE("a switch adds and copies, whatever the size and place") {
  emulatedMachine = {};
  constexpr blinkDataType_t kTypes[] = {
      blinkFloat32, blinkFloat64, blinkFloat16, blinkBfloat16,
      blinkInt32,   blinkUint32,  blinkInt64,   blinkUint64};
  unsigned number = 0;
  for (int ranks : {2, 3, 5, 8}) {
    CAPTURE(ranks);
    Job job(switchedStars(ranks, 2, smallChunks()), ranks);
    for (size_t count : {1, 2, 3, 17, 255, 256, 257, 1000, 5003, 12001})
      for (int i = 0; i < 2; ++i) {
        Case c = variedCase(Collective::allreduce, count, 0, number * 5);
        c.op = blinkSum;
        c.type = kTypes[number++ % 8];
        CHECK(usesSwitch(job, c));
      }
  }
}

TEST_CASE("what a switch cannot add goes over links alone") {
  emulatedMachine = {};
  Job job(switchedStars(4, 1, smallChunks()), 4);
  Case c = sumOf(blinkFloat32, 3000);
  for (blinkRedOp_t op : {blinkProd, blinkMax, blinkMin}) {
    c.op = op;
    CHECK_FALSE(usesSwitch(job, c));
  }
  c.op = blinkSum;
  for (blinkDataType_t type : {blinkInt8, blinkUint8, blinkFloat8e4m3})
    CHECK_FALSE(usesSwitch(job, sumOf(type, 3000)));
  // Calls with and without the switch alternate: no chunk of one kind may be
  // taken for one of the other.
  for (size_t count : {1, 4000, 7, 300, 9000})
    for (blinkRedOp_t next : {blinkSum, blinkMax, blinkSum}) {
      c.count = count;
      c.op = next;
      CHECK(usesSwitch(job, c) == (next == blinkSum));
    }
}

TEST_CASE("averages are sums of a switch, where those are not rounded") {
  emulatedMachine = {};
  for (int ranks : {2, 3, 8}) {
    CAPTURE(ranks);
    Job job(switchedStars(ranks, 1, smallChunks()), ranks);
    unsigned number = 0;
    for (size_t count : {1, 3, 257, 1000, 5003})
      for (blinkDataType_t type :
           {blinkFloat32, blinkFloat64, blinkInt32, blinkUint32, blinkInt64,
            blinkUint64, blinkFloat16, blinkBfloat16}) {
        Case c = variedCase(Collective::allreduce, count, 0, ++number * 5);
        c.op = blinkAvg;
        c.type = type;
        CHECK(usesSwitch(job, c) ==
              (type != blinkFloat16 && type != blinkBfloat16));
      }
  }
  // One of these two trees has no switch.
  TestSchedule model = makeSchedule(
      Collective::allreduce, 0, 4,
      {{1, 2, 0, 0, 1, {-1, 0, 0, 0}}, {1, 2, 0, 1, 3, {1, -1, 0, 2}}},
      smallChunks());
  leadOverSwitch(model);
  Job job(model, 4);
  Case c = sumOf(blinkFloat32, 3000);
  CHECK(usesSwitch(job, c));
  c.op = blinkAvg;
  CHECK_FALSE(usesSwitch(job, c));
}

TEST_CASE("narrow sums with float32 in between go over links") {
  emulatedMachine = {};
  // A star with root 0, for which the switch works, and a chain.
  TestSchedule model = makeSchedule(
      Collective::allreduce, 0, 4,
      {{1, 2, 0, 0, 1, {-1, 0, 0, 0}}, {1, 2, 0, 1, 3, {1, -1, 0, 2}}},
      smallChunks());
  leadOverSwitch(model);
  const Job plain(model, 4), wide(withFloatSums(model), 4);
  const Job stars(withFloatSums(switchedStars(4, 1, smallChunks())), 4);
  for (size_t count : {200, 3000}) {
    CHECK(usesSwitch(plain, sumOf(blinkBfloat16, count)));
    CHECK_FALSE(usesSwitch(wide, sumOf(blinkBfloat16, count)));
    CHECK(usesSwitch(wide, sumOf(blinkFloat32, count)));
    CHECK_FALSE(usesSwitch(wide, sumOf(blinkFloat16, count)));
    // The switch adds in float32 by itself.
    CHECK(usesSwitch(stars, sumOf(blinkBfloat16, count)));
  }
}

TEST_CASE("a root that reads its own result again does without a switch") {
  emulatedMachine = {};
  BuildOptions options = smallChunks();
  options.splitRoot = true;
  for (int ranks : {2, 4}) {
    Job job(switchedStars(ranks, 2, options), ranks);
    for (size_t count : {1, 300, 5000})
      CHECK_FALSE(usesSwitch(job, sumOf(blinkFloat32, count)));
  }
}

TEST_CASE("calls follow each other without a wait between") {
  emulatedMachine = {};
  constexpr int kRanks = 4;
  Job job(switchedStars(kRanks, 2, smallChunks()), kRanks);
  std::vector<Case> cases;
  for (unsigned number = 0; number < 40; ++number) {
    Case c = variedCase(Collective::allreduce, 1 + number * 977 % 6000, 0,
                        number * 3);
    c.op = number % 5 == 4 ? blinkMax : blinkSum;
    c.type = number % 3 == 0 ? blinkFloat16 : blinkFloat32;
    cases.push_back(c);
  }
  std::vector<std::vector<RankBuffers>> buffers(kRanks);
  for (int rank = 0; rank < kRanks; ++rank) {
    useDeviceOf(rank);
    for (const Case &c : cases)
      buffers[size_t(rank)].emplace_back(c, kRanks, rank);
  }
  std::set<const void *> late;
  for (const RankBuffers &own : buffers[1])
    late.insert(own.recv());
  lateOutputs = &late;
  const LaneHookScope hook(beLate);
  const uint64_t before = numMulticasts();
  const std::vector<blinkResult_t> results = job.onThreads([&](int rank) {
    for (size_t i = 0; i < cases.size(); ++i) {
      const RankBuffers &own = buffers[size_t(rank)][i];
      const blinkResult_t result =
          call(cases[i], own.send(), own.recv(), job[rank], job.stream(rank));
      if (result != blinkSuccess)
        return result;
    }
    return blinkSuccess;
  });
  for (blinkResult_t result : results)
    CHECK(result == blinkSuccess);
  CHECK(numMulticasts() != before);
  for (int rank = 0; rank < kRanks; ++rank)
    for (RankBuffers &own : buffers[size_t(rank)])
      CHECK(own.check() == "");
}

TEST_CASE("without a switch, or a driver that lets one, links do it") {
  const TestSchedule model = switchedStars(3, 1, smallChunks());
  emulatedMachine = {};
  emulatedMachine.multicast = false;
  {
    Job job(model, 3);
    CHECK_FALSE(usesSwitch(job, sumOf(blinkFloat32, 2000)));
  }
  emulatedMachine = {};
  emulatedMachine.devices = 2; // one of them has two ranks
  {
    Job job(model, 3);
    CHECK_FALSE(usesSwitch(job, sumOf(blinkFloat32, 2000)));
  }
  emulatedMachine = {};
  const size_t before = numVirtual();
  const int refused = CUDA_ERROR_NOT_PERMITTED;
  for (const char *name :
       {"cuMulticastGetGranularity", "cuMulticastCreate",
        "cuMulticastAddDevice", "cuMulticastBindMem", "cuMemCreate", "cuMemMap",
        "cuMemAddressReserve", "cuMemSetAccess"})
    for (unsigned n : {0, 2}) {
      CAPTURE(name);
      CAPTURE(n);
      failCall(name, n, refused);
      {
        Job job(model, 3);
        if (failuresLeft() == 0)
          CHECK_FALSE(usesSwitch(job, sumOf(blinkFloat32, 2000)));
      }
      CHECK(numVirtual() == before);
      CHECK(misuse() == "");
      while (failuresLeft() != 0) // the function was called less often
        failureOf(name, 0);
    }
}

TEST_CASE("memory of a switch comes and goes whole") {
  emulatedMachine = {};
  const size_t before = numVirtual();
  {
    runtime::SwitchMemory memory;
    const runtime::Status status = memory.create({1, 3, 4}, 5000);
    REQUIRE(status.text == "");
    CHECK(memory.bytes() >= 5000);
    CHECK(memory.own(0) != memory.own(2));
    std::memset(memory.own(1), 7, memory.bytes());
    const std::vector<char *> parts = multicastParts(memory.all() + 4096);
    REQUIRE(parts.size() == 3);
    CHECK(parts[1][0] == 7);
    CHECK(parts[0][0] == 0);
    parts[2][5] = 9;
    CHECK(memory.own(2)[4096 + 5] == 9);
  }
  CHECK(numVirtual() == before);
  runtime::SwitchMemory twice;
  CHECK_FALSE(twice.create({1, 1}, 5000).ok());
}
