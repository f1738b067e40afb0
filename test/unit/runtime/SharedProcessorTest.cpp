//===- SharedProcessorTest.cpp - two ranks on one processor ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/SharedProcessor.h"
#include "runtime/core/Memory.h"
#include "runtime/host/Segment.h"
#include "test/common/ScheduleBuilder.h"

#include "doctest/doctest.h"

#include <sched.h>
#include <thread>

using namespace blink;
using namespace blink::runtime;
using namespace blink::test;

namespace {

cpu_set_t processors() {
  cpu_set_t mine;
  REQUIRE(sched_getaffinity(0, sizeof(mine), &mine) == 0);
  return mine;
}

/// Pins the calling thread to its processor and returns that processor.
int stay() {
  const int here = sched_getcpu();
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(here, &only);
  REQUIRE(sched_setaffinity(0, sizeof(only), &only) == 0);
  return sched_getcpu();
}

} // namespace

TEST_CASE("a thread that leaves a processor may use it as before") {
  const cpu_set_t mine = processors();
  bool left = false;
  // The kernel may move the thread back at once.
  for (int tries = 0; tries < 10 && !left; ++tries) {
    const int here = sched_getcpu();
    CHECK(leaveProcessor(here) == (CPU_COUNT(&mine) > 1));
    left = sched_getcpu() != here;
    const cpu_set_t now = processors();
    CHECK(CPU_EQUAL(&mine, &now));
  }
  CHECK(left == (CPU_COUNT(&mine) > 1));
  std::thread([] {
    const cpu_set_t one = (stay(), processors());
    CHECK_FALSE(leaveProcessor(sched_getcpu())); // there is no other processor
    const cpu_set_t now = processors();
    CHECK(CPU_EQUAL(&one, &now));
  }).join();
  CHECK_FALSE(leaveProcessor(-1));
}

TEST_CASE("a rank finds who waited on its processor") {
  std::vector<uint8_t> bytes =
      seal(makeSchedule(Collective::allreduce, 0, 3, {}));
  ScheduleSet files(1);
  Plan plan;
  Segment segment;
  REQUIRE(OpenFile::copy(bytes.data(), bytes.size(), files[0]).ok());
  REQUIRE(Plan::create(files, 3, {}, plan).ok());
  REQUIRE(segment.create(plan).ok());
  std::thread([&] {
    const uint64_t here = uint64_t(stay()) + 1;
    SharedProcessor processor;
    CHECK_FALSE(processor.leave(segment, 1, 3));
    CHECK_FALSE(processor.found());
    CHECK(loadRelaxed(&segment.rank(1).processor) == here);
    for (int other : {0, 2}) {
      storeRelaxed(&segment.rank(other).processor, here);
      CHECK(processor.leave(segment, 1, 3));
      CHECK(processor.found());
      storeRelaxed(&segment.rank(other).processor, here + 1);
      CHECK_FALSE(processor.leave(segment, 1, 3));
      CHECK_FALSE(processor.found());
    }
  }).join();
}
