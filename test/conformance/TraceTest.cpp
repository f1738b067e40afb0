//===- TraceTest.cpp - BLINK_TRACE ----------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "schedules/trace/PerfettoTrace.h"
#include "test/conformance/Job.h"

#include "doctest/doctest.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <unistd.h>

using namespace blink;
using namespace blink::test;

namespace {

std::string readFile(const std::string &path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

} // namespace

TEST_CASE("BLINK_TRACE writes a slice for every fold") {
  const std::string pattern = "/tmp/blink-trace-%p";
  const std::string path = "/tmp/blink-trace-" + std::to_string(getpid());
  setenv("BLINK_TRACE", pattern.c_str(), 1);
  BuildOptions layout;
  layout.shape = Shape::chain;
  layout.chunkBytes = 64;
  {
    // A communicator that cannot be made takes no file's name.
    const std::vector<uint8_t> bytes =
        seal(makeSchedule(Collective::broadcast, 0, 3, layout));
    blinkSchedule_t schedule = nullptr;
    REQUIRE(blinkScheduleOpenMemory(bytes.data(), bytes.size(), &schedule) ==
            blinkSuccess);
    blinkComm_t comms[2];
    CHECK(blinkCommInitAll(comms, 2, nullptr, schedule, nullptr) !=
          blinkSuccess);
    blinkScheduleClose(schedule);
    Job job(makeSchedule(Collective::broadcast, 0, 3, layout), 3);
    Case c;
    c.collective = Collective::broadcast;
    c.type = blinkFloat32;
    c.count = 5 * 16; // five chunks
    CHECK(runCase(job, c) == "");
  }
  unsetenv("BLINK_TRACE");
  sched::ReplayTrace trace;
  REQUIRE(sched::fromPerfetto(readFile(path), trace) == "");
  std::remove(path.c_str());
  REQUIRE(trace.folds.size() == 15);
  std::map<uint32_t, std::vector<sched::TracedFold>> folds;
  for (const sched::TracedFold &fold : trace.folds)
    folds[fold.rank].push_back(fold);
  for (uint32_t rank : {0u, 1u, 2u}) {
    CAPTURE(rank);
    REQUIRE(folds[rank].size() == 5);
    CHECK(trace.ranks[rank].find("rank " + std::to_string(rank)) == 0);
    for (uint64_t chunk = 0; chunk < 5; ++chunk) {
      const sched::TracedFold &fold = folds[rank][chunk];
      CHECK(fold.chunk == chunk);
      CHECK(fold.step == 0);
      CHECK(fold.bytes == 64);
      CHECK(fold.begin <= fold.end);
      // A chunk arrives only after the rank before has written it.
      if (rank > 0)
        CHECK(folds[rank - 1][chunk].end <= fold.end);
    }
  }
  REQUIRE(trace.variants.size() == 1);
  CHECK(trace.variants[0].name == "broadcast, chunks of 64 bytes");
}
