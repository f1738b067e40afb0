//===- OperatorsTest.cpp - the effect of operators on elements ------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Operators.h"

#include "doctest/doctest.h"

#include <cmath>
#include <initializer_list>
#include <limits>

using namespace blink::runtime;

// Integers wrap. Overflow in a constant expression would not compile.
static_assert(Sum::combine<int32_t>(INT32_MAX, 1) == INT32_MIN);
static_assert(Sum::combine<int64_t>(INT64_MIN, -1) == INT64_MAX);
static_assert(Prod::combine<int32_t>(INT32_MIN, -1) == INT32_MIN);
static_assert(Prod::combine<int64_t>(INT64_MAX, 2) == -2);
static_assert(Sum::combine<int8_t>(127, 1) == -128);
static_assert(Prod::combine<uint8_t>(200, 2) == 144);
static_assert(Sum::combine<uint64_t>(~uint64_t(0), 2) == 1);
static_assert(Max::combine<int8_t>(-1, 1) == 1);
static_assert(Max::combine<uint8_t>(255, 1) == 255);
static_assert(Min::combine<int64_t>(INT64_MIN, 0) == INT64_MIN);
static_assert(divideByRanks<int32_t>(-7, 2) == -3, "towards zero");
static_assert(divideByRanks<int32_t>(7, 2) == 3);
static_assert(divideByRanks<int8_t>(-128, 200) == 0, "more ranks than values");
static_assert(divideByRanks<uint64_t>(~uint64_t(0), 1) == ~uint64_t(0));
static_assert(divideByRanks<int64_t>(INT64_MIN, 65535) == INT64_MIN / 65535);
static_assert(divideByRanks(1.0f, 4) == 0.25f);

TEST_CASE("max and min hand NaN on from either side") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  for (float other : {0.0f, 1.0f, -infinity, infinity}) {
    CHECK(std::isnan(Max::combine(nan, other)));
    CHECK(std::isnan(Max::combine(other, nan)));
    CHECK(std::isnan(Min::combine(nan, other)));
    CHECK(std::isnan(Min::combine(other, nan)));
  }
  // Of two zeros the later one is the result, so that every run has the same
  // bits.
  CHECK(std::signbit(Max::combine(0.0f, -0.0f)));
  CHECK(!std::signbit(Max::combine(-0.0f, 0.0f)));
  CHECK(std::signbit(Min::combine(0.0f, -0.0f)));
}

TEST_CASE("a fold of halves rounds once") {
  // 2048 + 1 + 1 + ...: in half precision, every partial sum would be rounded
  // to 2048.
  const Half sources[] = {toHalf(2048), toHalf(1), toHalf(1), toHalf(1),
                          toHalf(1)};
  const Half *pointers[5];
  for (int i = 0; i < 5; ++i)
    pointers[i] = &sources[i];
  CHECK(toFloat(foldElement<Half, Sum>(pointers, 5, 0, 0)) == 2052.0f);
  // The division also comes before rounding: 65504 + 65504 is not a half, but
  // half of it is.
  const Half large = toHalf(65504);
  const Half *two[] = {&large, &large};
  CHECK(toFloat(foldElement<Half, Sum>(two, 2, 0, 2)) == 65504.0f);
}
