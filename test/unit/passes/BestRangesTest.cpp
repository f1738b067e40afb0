//===- BestRangesTest.cpp ---------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/BestRanges.h"

#include "compiler/support/Infinity.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <random>
#include <string>

using namespace blink;

namespace {

constexpr double kNever = kInfinity;

/// Returns the ranges as "which begin-end".
std::string textOf(const std::vector<ChosenRange> &ranges) {
  std::string text;
  for (const ChosenRange &range : ranges)
    text += (text.empty() ? "" : ", ") + std::to_string(range.which) + " " +
            std::to_string(range.begin) + "-" + std::to_string(range.end);
  return text;
}

Times nowOf(const Times &small, const Times &large) {
  Times now;
  for (size_t place = 0; place < small.size(); ++place)
    now.push_back(std::min(small[place], large[place]));
  return now;
}

std::string choose(const Times &small, const std::vector<Times> &others,
                   const Times &large) {
  return textOf(bestRanges(small, others, large, nowOf(small, large)));
}

double productOf(const Times &times) {
  double product = 1;
  for (const double time : times)
    product *= time;
  return product;
}

} // namespace

TEST_CASE("ranges are those in which variants are the fastest") {
  const Times small{1, 2, 4, kNever, kNever, kNever};
  const Times large{kNever, 5, 5, 5, 6, 8};
  CHECK(choose(small, {}, large) == "");
  CHECK(choose(small, {{2, 1, 2, 3, 9, 9}}, large) == "0 1-4");
  CHECK(choose(small, {{2, 1, 2, 9, 9, 9}, {4, 4, 4, 3, 4, 9}}, large) ==
        "0 1-3, 1 3-5");
  // The order is that of the list.
  CHECK(choose(small, {{4, 4, 4, 3, 4, 9}, {2, 1, 2, 9, 9, 9}}, large) ==
        "1 1-3");
  CHECK(choose(small, {{2, 1, 1, 1, 1, 1}}, large) == "0 1-6");
}

TEST_CASE("each variant has to be worth it") {
  const Times small{1, kNever, kNever}, large{kNever, 10, 10};
  CHECK(choose(small, {{9, 9, 9.5}}, large) == "");
  CHECK(choose(small, {{9, 8.4, 10}}, large) == "0 1-2");
  CHECK(choose(small, {{9, 8, 10}, {9, 8, 9}}, large) == "1 1-3");
}

TEST_CASE("a range does not begin where messages would take longer") {
  const Times small{2, kNever, kNever}, large{5, 5, 5};
  // Both the small and the large variant may be faster there.
  CHECK(textOf(bestRanges(small, {{3, 3, 3}}, large, {2, 2.5, 5})) == "");
  CHECK(textOf(bestRanges(small, {{3, 3, 3}}, large, {2, 3, 5})) == "0 1-3");
}

TEST_CASE("without sizes there are no ranges") {
  CHECK(bestRanges({}, {{}, {}}, {}, {}).empty());
}

TEST_CASE("no choice of ranges is much better") {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(1, 4);
  for (int round = 0; round < 200; ++round) {
    constexpr size_t kSizes = 5, kBegin = 2;
    auto times = [&](size_t from, size_t to) {
      Times result(kSizes, kNever);
      for (size_t place = from; place < to; ++place)
        result[place] = number(random);
      return result;
    };
    const Times small = times(0, kBegin), large = times(1, kSizes);
    const std::vector<Times> others{times(0, kSizes), times(0, kSizes)};
    const Times now = nowOf(small, large);
    // A word has a letter for the variant of each size, in ascending order.
    double least = kNever;
    for (unsigned word = 0; word < 1u << (2 * kSizes); ++word) {
      Times taken;
      unsigned before = 0;
      bool isAllowed = true;
      for (size_t place = 0; place < kSizes; ++place) {
        const unsigned which = word >> (2 * place) & 3;
        taken.push_back(which == 0   ? small[place]
                        : which == 3 ? large[place]
                                     : others[which - 1][place]);
        const bool begins = (which == 1 || which == 2) && before == 0;
        isAllowed &= which >= before && (!begins || taken[place] <= now[place]);
        before = which;
      }
      if (isAllowed)
        least = std::min(least, productOf(taken));
    }
    Times taken(kSizes);
    const auto chosen = bestRanges(small, others, large, now);
    const size_t first = chosen.empty() ? kBegin : chosen.front().begin;
    for (size_t place = 0; place < kSizes; ++place)
      taken[place] = place < first ? small[place] : large[place];
    if (chosen.empty())
      taken = {small[0], now[1], large[2], large[3], large[4]};
    for (const ChosenRange &range : chosen)
      for (size_t place = range.begin; place < range.end; ++place)
        taken[place] = others[range.which][place];
    CHECK(productOf(taken) <= least / (0.85 * 0.85) * (1 + 1e-9));
  }
}
