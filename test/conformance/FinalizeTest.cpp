//===- FinalizeTest.cpp - waiting for a rank's calls ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/Comm.h"
#include "test/conformance/Job.h"
#include "test/conformance/Latches.h"
#include "test/conformance/SumOne.h"

#include "doctest/doctest.h"

#include <atomic>
#include <string>
#include <thread>

using namespace blink;
using namespace blink::test;

namespace {

TestSchedule finalizedJob(int ranks) {
  return makeSchedule(Collective::allreduce, 0, ranks, {});
}

} // namespace

TEST_CASE("finalizing waits for a call, and leaves the communicator as it is") {
  Job job(finalizedJob(2), 2);
  CHECK(blinkCommFinalize(job[0]) == blinkSuccess); // no call is under way
  blinkResult_t called = blinkInProgress, waited = blinkInProgress;
  std::thread caller([&] { called = sumOne(job[0]); });
  REQUIRE(waitUntil([&] { return job[0]->backend->inFlight(0); }));
  std::atomic<bool> waits{false};
  bool wasInFlight = true;
  std::thread waiter([&] {
    waits = true;
    waited = blinkCommFinalize(job[0]);
    wasInFlight = job[0]->backend->inFlight(0);
  });
  REQUIRE(waitUntil([&] { return waits.load(); }));
  // The other rank has nothing to wait for.
  CHECK(blinkCommFinalize(job[1]) == blinkSuccess);
  CHECK(sumOne(job[1]) == blinkSuccess);
  caller.join();
  waiter.join();
  CHECK(called == blinkSuccess);
  CHECK(waited == blinkSuccess);
  CHECK_FALSE(wasInFlight);
  // Later calls work as before.
  for (blinkResult_t result :
       job.onThreads([&](int rank) { return sumOne(job[rank]); }))
    CHECK(result == blinkSuccess);
}

TEST_CASE("finalizing says how the calls ended") {
  Job job(finalizedJob(2), 2, 50);
  CHECK(sumOne(job[0]) == blinkRemoteError); // rank 1 has not called
  CHECK(blinkCommFinalize(job[1]) == blinkRemoteError);
  const std::string text = blinkGetLastError(job[1]);
  CAPTURE(text);
  CHECK(text.find("waited 50 ms for rank 1") != std::string::npos);
  CHECK(blinkCommFinalize(nullptr) == blinkInvalidArgument);
}
