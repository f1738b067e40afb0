//===- TuneChoiceTest.cpp - crossing points of given times ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blink-perf/TuneChoice.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <random>

using namespace blink::perf;

namespace {

using Starts = std::vector<uint64_t>;
constexpr uint64_t kMost = ~uint64_t(0);

/// Returns `count` sizes: 8, 16, ...
Starts sizesOf(size_t count) {
  Starts sizes;
  for (size_t s = 0; s < count; ++s)
    sizes.push_back(uint64_t(8) << s);
  return sizes;
}

Starts choose(const Times &times, const Starts &starts) {
  return chooseStarts(sizesOf(times[0].size()), times, starts);
}

/// Returns the time lost at the measured sizes.
double lost(const Times &times, const Starts &starts) {
  const Starts sizes = sizesOf(times[0].size());
  double sum = 0;
  for (size_t s = 0; s < sizes.size(); ++s) {
    double best = times[0][s];
    for (const auto &own : times)
      best = std::min(best, own[s]);
    const double time = times[variantFor(starts, sizes[s])][s];
    if (time > best * (1 + kNoticed))
      sum += time / best - 1;
  }
  return sum;
}

void checkOrdered(const Starts &starts) {
  CHECK(starts[0] == 0);
  for (size_t v = 1; v < starts.size(); ++v)
    CHECK(starts[v - 1] < starts[v]);
  CHECK(starts.back() < kMost);
}

} // namespace

TEST_CASE("the variant for a size") {
  CHECK(variantFor({0, 10, 20}, 0) == 0);
  CHECK(variantFor({0, 10, 20}, 9) == 0);
  CHECK(variantFor({0, 10, 20}, 10) == 1);
  CHECK(variantFor({0, 10, 20}, kMost) == 2);
}

TEST_CASE("a crossing point moves to where the other variant is faster") {
  const Times times = {{1, 1, 2, 4, 8}, {2, 2, 1, 1, 1}}; // sizes 8 to 128
  CHECK(choose(times, {0, 16}) == Starts{0, 32});
  CHECK(choose(times, {0, 1 << 20}) == Starts{0, 32});
  CHECK(choose(times, {0, 1}) == Starts{0, 32});
}

TEST_CASE("a start that passes no measured size stays, to the byte") {
  const Times times = {{1, 1, 2, 4}, {2, 2, 1, 1}};
  for (const uint64_t start : {17, 20, 31, 32})
    CHECK(choose(times, {0, start}) == Starts{0, start});
  CHECK(choose(times, {0, 33}) == Starts{0, 32});
  CHECK(choose(times, {0, 16}) == Starts{0, 32});
}

TEST_CASE("what is hardly faster moves nothing") {
  const double less = 1 / (1 + 0.9 * kNoticed);
  const Times times = {{1, 1, 1, 1}, {less, less, less, less}};
  for (const uint64_t start : {1, 8, 16, 32, 64, 1000})
    CHECK(choose(times, {0, start}) == Starts{0, start});
  const double more = 1 / (1 + 1.1 * kNoticed);
  CHECK(choose({{1, 1, 1, 1}, {1, 1, more, 1}}, {0, 1000}) == Starts{0, 32});
}

TEST_CASE("the sum over all sizes decides, not the first that is faster") {
  // The second variant loses little at 16 and gains much at 8 and 32.
  CHECK(choose({{3, 1, 3, 3}, {1, 1.5, 1, 1}}, {0, 16}) == Starts{0, 1});
  CHECK(choose({{1, 3, 1, 3}, {1.5, 1, 1.5, 1}}, {0, 1000}) == Starts{0, 16});
}

TEST_CASE("above the sizes measured as little as possible changes hands") {
  // The first variant is faster at all measured sizes. Beyond 64 the second one
  // keeps what it has.
  const Times first = {{1, 1, 1, 1}, {2, 2, 2, 2}};
  CHECK(choose(first, {0, 16}) == Starts{0, 128});
  CHECK(choose(first, {0, 65}) == Starts{0, 65});
  CHECK(choose(first, {0, 1 << 20}) == Starts{0, 1 << 20});
  CHECK(choose(first, {0, kMost - 1}) == Starts{0, kMost - 1});
}

TEST_CASE("a variant that is best nowhere keeps a byte") {
  const Times last = {{2, 2, 2, 2}, {1, 1, 1, 1}};
  CHECK(choose(last, {0, 64}) == Starts{0, 1});
  CHECK(choose(last, {0, 3}) == Starts{0, 3}); // serves no measured size
  const Times third = {{2, 2, 2, 2}, {2, 2, 2, 2}, {1, 1, 1, 1}};
  CHECK(choose(third, {0, 32, 64}) == Starts{0, 1, 2});
  CHECK(choose(third, {0, 8, 64}) == Starts{0, 1, 2});
  const Times outer = {{1, 1, 2, 2}, {3, 3, 3, 3}, {2, 2, 1, 1}};
  CHECK(choose(outer, {0, 16, 64}) == Starts{0, 31, 32});
  CHECK(choose(outer, {0, 20, 64}) == Starts{0, 31, 32});
  CHECK(choose(outer, {0, 20, 28}) == Starts{0, 20, 28}); // nothing moves
  CHECK(choose(outer, {0, 16, 17}) == Starts{0, 31, 32}); // no room below 17
  const Times middle = {{2, 2, 2, 2}, {1, 1, 1, 1}, {2, 2, 2, 2}};
  CHECK(choose(middle, {0, 16, 32}) == Starts{0, 1, 128});
  // Without times, no change is an improvement.
  CHECK(choose({{0, 0}, {0, 0}}, {0, 16}) == Starts{0, 16});
}

TEST_CASE("one variant, and sizes to the largest there are") {
  CHECK(choose({{1, 2, 3}}, {0}) == Starts{0});
  const Starts sizes = {uint64_t(1) << 62, uint64_t(1) << 63};
  CHECK(chooseStarts(sizes, {{1, 1}, {2, 2}}, {0, 5}) == Starts{0, kMost - 1});
}

TEST_CASE("no other starts lose less, of all there are") {
  std::mt19937 random(1);
  const auto upTo = [&](size_t most) { return random() % (most + 1); };
  for (int round = 0; round < 2000; ++round) {
    const size_t numSizes = 1 + upTo(5), numVariants = 1 + upTo(3);
    Times times(numVariants);
    for (auto &own : times)
      for (size_t s = 0; s < numSizes; ++s)
        own.push_back(1 + 0.02 * double(upTo(20)));
    Starts starts = {0};
    while (starts.size() < numVariants)
      starts.push_back(starts.back() + 1 + upTo(100));
    const Starts chosen = choose(times, starts);
    checkOrdered(chosen);
    // Each variant but the first starts at one of the sizes, or is unused.
    double least = 1e9;
    std::vector<size_t> first(numVariants);
    for (;;) {
      Starts other;
      for (size_t v = 0; v < numVariants; ++v)
        other.push_back(v == 0 ? 0 : uint64_t(8) << first[v]);
      if (std::is_sorted(other.begin(), other.end()))
        least = std::min(least, lost(times, other));
      size_t v = 1;
      while (v < numVariants && ++first[v] > numSizes)
        first[v++] = 0;
      if (v >= numVariants)
        break;
    }
    CHECK(lost(times, chosen) == doctest::Approx(least));
    CHECK(choose(times, chosen) == chosen);
  }
}

TEST_CASE("the chunk size that is fastest, unless it is hardly so") {
  CHECK(chooseFastest({{2, 2}, {1, 2}, {2, 1.5}}, 0) == 1);
  CHECK(chooseFastest({{1.02, 1}, {1, 1}}, 0) == 0);
  CHECK(chooseFastest({{1.08, 1}, {1, 1}}, 0) == 1);
  CHECK(chooseFastest({{1, 1}, {1, 1}}, 1) == 1);
  // All sizes have the same weight, however long they take.
  CHECK(chooseFastest({{2, 100}, {1, 120}}, 0) == 1);
  CHECK(chooseFastest({{5}}, 0) == 0);
}

TEST_CASE("what an undisturbed run takes") {
  CHECK(usual({}) == 0);
  CHECK(usual({3}) == 3);
  CHECK(usual({9, 1}) == 1);
  CHECK(usual({9, 1, 2}) == 2);
  CHECK(usual({400, 1, 3, 200, 2}) == 2);
}
