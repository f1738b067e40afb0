//===- TimesTest.cpp --------------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/simulate/SlotNews.h"
#include "compiler/support/FirstTime.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <vector>

using namespace blink;

TEST_CASE("the first of many times is the least, and the lowest of equals") {
  CHECK(FirstTime().least() == kInfinity);
  constexpr uint32_t kTimes = 11;
  FirstTime times(kTimes);
  std::vector<double> plain(kTimes, kInfinity);
  uint32_t state = 1;
  for (int step = 0; step < 400; ++step) {
    state = state * 1664525 + 1013904223;
    const uint32_t which = (state >> 8) % kTimes;
    const double time = (state >> 28) == 0 ? kInfinity : (state >> 16) % 16;
    times.set(which, time);
    plain[which] = time;
    const auto least = std::min_element(plain.begin(), plain.end());
    REQUIRE(times.least() == *least);
    REQUIRE(times.first() == uint32_t(least - plain.begin()));
    REQUIRE(times.of(which) == time);
  }
}

TEST_CASE("news of slots comes in order, and not before its time") {
  SlotNews news(2);
  CHECK(news.popBefore({9, 9}) == 0);
  news.push({1, 5});
  news.push({2, 7});
  CHECK(news.popBefore({1, 5}) == 0); // the event itself
  CHECK(news.popBefore({1, 6}) == 1);
  news.push({2, 9});
  CHECK(news.popBefore({2, 8}) == 1);
  CHECK(!news.empty());
  CHECK(news.pop().number == 9);
  CHECK(news.empty());
}
