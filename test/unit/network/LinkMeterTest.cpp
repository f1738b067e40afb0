//===- LinkMeterTest.cpp --------------------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/network/LinkMeter.h"

#include "doctest/doctest.h"

using namespace blink::runtime::network;

namespace {

/// A meter with its own clock, read every tenth of a second.
struct Looked {
  LinkMeter meter;
  LinkMeter::Clock::time_point now{};
  uint64_t sent = 0, there = 0;

  /// Advances by `times` tenths of a second. In each, `bytes` arrive and 1000
  /// more are on their way. Returns how often there was a rate.
  int look(int times, uint64_t bytes) {
    int rates = 0;
    for (int i = 0; i < times; ++i) {
      there += bytes;
      sent = there + 1000;
      now += std::chrono::milliseconds(100);
      rates += meter.look(now, sent, there);
    }
    return rates;
  }
};

} // namespace

TEST_CASE("a connection that is full for a second has a rate") {
  Looked looked;
  looked.meter.begin(looked.now, 1e6);
  CHECK(looked.look(9, 20'000) == 0);
  CHECK(looked.look(2, 20'000) == 1);
  CHECK(looked.meter.rate() == doctest::Approx(200'000).epsilon(0.11));
  CHECK(looked.meter.plan() == doctest::Approx(1e6));
  // In the next second a second ring waits as well.
  looked.meter.begin(looked.now, 2e6);
  CHECK(looked.look(11, 50'000) == 1);
  CHECK(looked.meter.rate() == doctest::Approx(500'000).epsilon(0.11));
  CHECK(looked.meter.plan() == doctest::Approx(3e6).epsilon(0.11));
  CHECK(looked.meter.seconds() == doctest::Approx(2).epsilon(0.11));
}

TEST_CASE("of many short calls only what waits counts") {
  Looked looked;
  int rates = 0;
  for (int call = 0; call < 100; ++call) {
    looked.meter.begin(looked.now, 1e6);
    looked.now += std::chrono::milliseconds(25);
    looked.there += 5'000;
    looked.meter.end(looked.now, 1e6);
    looked.now += std::chrono::milliseconds(175); // the call computes
    looked.sent = looked.there;
    rates += looked.meter.look(looked.now, looked.sent, looked.there);
  }
  CHECK(rates == 2);
  CHECK(looked.meter.rate() == doctest::Approx(200'000).epsilon(0.05));
  CHECK(looked.meter.plan() == doctest::Approx(1e6));
}

TEST_CASE("what waits for a reader says nothing of a link") {
  Looked looked;
  looked.meter.begin(looked.now, 1e6);
  for (int i = 0; i < 100; ++i) {
    CHECK(looked.look(5, 0) == 0);
    // Everything has arrived.
    looked.there = looked.sent;
    looked.now += std::chrono::milliseconds(100);
    CHECK(!looked.meter.look(looked.now, looked.sent, looked.there));
  }
  CHECK(looked.meter.seconds() == 0);
}

TEST_CASE("nor do channels without a plan, or a link that is idle") {
  Looked looked;
  looked.meter.begin(looked.now, 0);
  CHECK(looked.look(100, 20'000) == 0);
  looked.meter.end(looked.now, 0);
  CHECK(looked.look(100, 20'000) == 0);
}

TEST_CASE("a link that moves nothing has a rate, too") {
  Looked looked;
  looked.meter.begin(looked.now, 1e6);
  CHECK(looked.look(11, 0) == 1);
  CHECK(looked.meter.rate() == 0);
  CHECK(megabytes(looked.meter.plan()) == "1 MB");
  CHECK(megabytes(24'856'000) == "24.9 MB");
}
