//===- ReplayBuffersTest.cpp - a replay that does nothing is noticed ------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/replay/ReplayBuffers.h"
#include "schedules/Collectives.h"
#include "test/common/ScheduleBuilder.h"

#include "doctest/doctest.h"

using namespace blink;

TEST_CASE("outputs are wrong until a call has written them, in any iteration") {
  constexpr int kRanks = 3;
  for (const sched::Collective collective : sched::kJointCollectives)
    for (const bool inPlace : {false, true}) {
      if (inPlace && !sched::hasInPlace(collective))
        continue;
      CAPTURE(sched::EnumNameCollective(collective));
      CAPTURE(inPlace);
      const std::vector<uint8_t> bytes =
          test::seal(test::makeSchedule(collective, 0, kRanks, {}));
      std::string error;
      const sched::Program &program =
          *sched::openSchedule(bytes.data(), bytes.size(), error)
               ->programs()
               ->Get(0);
      ReplayOptions options;
      options.bytes = 1200;
      options.inPlace = inPlace;
      ReplayBuffers buffers(program, options);
      buffers.allocate(0, kRanks);
      blinkSchedule_t schedule = nullptr;
      blinkComm_t comms[kRanks] = {};
      REQUIRE(blinkScheduleOpenMemory(bytes.data(), bytes.size(), &schedule) ==
              blinkSuccess);
      REQUIRE(blinkCommInitAll(comms, kRanks, nullptr, schedule, nullptr) ==
              blinkSuccess);
      for (const bool calls : {true, false}) {
        buffers.fill();
        if (calls) {
          blinkGroupStart();
          for (int rank = 0; rank < kRanks; ++rank)
            buffers.call(rank, comms[rank]);
          CHECK(blinkGroupEnd() == blinkSuccess);
        }
        ReplayResult result;
        buffers.check(result);
        CHECK(result.checked != 0);
        CHECK((result.wrong == 0) == calls);
      }
      for (blinkComm_t comm : comms)
        blinkCommDestroy(comm);
      blinkScheduleClose(schedule);
    }
}
