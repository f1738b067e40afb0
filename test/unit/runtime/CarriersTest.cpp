//===- CarriersTest.cpp - rings of a broken connection --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/Carriers.h"

#include "Nobody.h"
#include "TestJob.h"

#include "doctest/doctest.h"

#include <thread>

using namespace blink::runtime;

TEST_CASE("a ring that is broken is no failure of another one") {
  Plan plan;
  plan.rings.resize(2);
  plan.rings[0].destination = 1;
  plan.rings[1].destination = 2;
  Nobody client;
  Carriers carriers;
  REQUIRE(carriers.create(plan, {true}, client).ok());
  CHECK_FALSE(carriers.anyBroken());
  carriers.noteBroken(1, "it was closed");
  CHECK(carriers.anyBroken());
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (carriers.failure(1).ok() &&
         std::chrono::steady_clock::now() < deadline)
    std::this_thread::yield();
  CHECK(carriers.failure(1).text ==
        "the connection of ranks 0 and 2 is broken: it was closed");
  CHECK(carriers.failure(0).ok());
}

TEST_CASE("a broken ring matters as long as both its ranks are there") {
  Plan plan;
  plan.rings.resize(1);
  plan.rings[0].destination = 1;
  Nobody client;
  Carriers carriers;
  REQUIRE(carriers.create(plan, {true}, client).ok());
  TestJob job(2, kLong);
  CHECK(carriers.lostWay(job).ok());
  carriers.noteBroken(0, "no heartbeat for 1000 ms");
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (carriers.lostWay(job).ok() &&
         std::chrono::steady_clock::now() < deadline)
    std::this_thread::yield();
  CHECK(carriers.lostWay(job).text == "the connection of ranks 0 and 1 is "
                                      "broken: no heartbeat for 1000 ms");
  job.detach(1);
  CHECK(carriers.lostWay(job).ok());
}
