//===- HalfTest.cpp - 16-bit floating point -------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Half.h"

#include "doctest/doctest.h"

#include <cmath>
#include <cstring>
#include <random>

using namespace blink::runtime;

namespace {

// The same functions, evaluated at compile time.
static_assert(toFloat(Half{0x3c00}) == 1.0f);
static_assert(toFloat(Half{0x0001}) == 1.0f / (1 << 24), "least subnormal");
static_assert(toFloat(Half{0xfbff}) == -65504.0f);
static_assert(toHalf(65519.0f).bits == 0x7bff);
static_assert(toHalf(65520.0f).bits == 0x7c00, "rounds to infinity");
static_assert(toHalf(1.0f / (1 << 25)).bits == 0, "ties to even");
static_assert(toHalf(3.0f / (1 << 26)).bits == 1);
static_assert(toFloat(BFloat16{0x3f80}) == 1.0f);
static_assert(toBFloat16(1.0f + 1.0f / 256).bits == 0x3f80, "ties to even");
static_assert(toBFloat16(1.0f + 3.0f / 256).bits == 0x3f82, "ties to even");

/// Returns the value of a half, from the definition.
double valueOf(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double value = exponent == 31  ? (fraction ? NAN : INFINITY)
                 : exponent == 0 ? std::ldexp(fraction, -24)
                                 : std::ldexp(1024 + fraction, exponent - 25);
  return bits & 0x8000 ? -value : value;
}

/// Calls `check` with floats around the points where rounding changes: the
/// neighbours of each 16-bit value and of each midpoint to the next value.
template <typename Check> void forTellingFloats(bool bfloat, Check check) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float value = bfloat ? toFloat(BFloat16{uint16_t(bits)})
                         : toFloat(Half{uint16_t(bits)});
    uint32_t half = bfloat ? 0x8000 : 0x1000; // half a unit in the last place
    for (uint32_t base : {floatBits(value), floatBits(value) + half})
      for (int offset : {-1, 0, 1})
        check(bitsFloat(base + uint32_t(offset)));
  }
  std::mt19937 random(3);
  for (int i = 0; i < 400000; ++i)
    check(bitsFloat(uint32_t(random())));
  for (int i = 0; i < 200000; ++i) // subnormal halves
    check(std::ldexp(float(random() % 4096), -26) *
          (random() % 2 ? 1.0f : 1.0000001f));
}

} // namespace

TEST_CASE("every half has its value, and comes back") {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    Half half{uint16_t(bits)};
    float value = toFloat(half);
    double expected = valueOf(half.bits);
    if (expected != expected) {
      if (value == value || toHalf(value).bits != 0x7fff)
        FAIL("NaN " << bits);
      continue;
    }
    if (double(value) != expected ||
        std::signbit(value) != std::signbit(expected) ||
        toHalf(value).bits != bits)
      FAIL(bits << " gives " << value << ", expected " << expected);
  }
}

TEST_CASE("floats round to the nearest half, ties to even") {
  // Compares by value with both neighbours among the halves: an independent
  // check of the rounding.
  int checked = 0;
  forTellingFloats(false, [&](float value) {
    uint16_t got = toHalf(value).bits;
    if (value != value) {
      if (got != 0x7fff)
        FAIL("NaN becomes " << got);
      return;
    }
    double magnitude = std::fabs(double(value));
    uint16_t bits = got & 0x7fff;
    if (bool(got >> 15) != std::signbit(value) || bits > 0x7c00)
      FAIL("sign of " << value);
    // Infinity takes the place of 65536.
    auto place = [](int b) {
      return b == 0x7c00 ? 65536.0 : valueOf(uint16_t(b));
    };
    double above =
        bits == 0x7c00 ? INFINITY : (place(bits) + place(bits + 1)) / 2;
    double below = bits == 0 ? -1 : (place(bits) + place(bits - 1)) / 2;
    bool even = bits % 2 == 0;
    if (magnitude > above || magnitude < below ||
        (!even && (magnitude == above || magnitude == below)))
      FAIL(value << " becomes " << got);
    ++checked;
  });
  CHECK(checked > 500000);
}

#if defined(__FLT16_MAX__)
TEST_CASE("the compiler's half agrees") {
  forTellingFloats(false, [](float value) {
    _Float16 theirs = static_cast<_Float16>(value);
    uint16_t bits;
    std::memcpy(&bits, &theirs, sizeof bits);
    if (value == value && bits != toHalf(value).bits)
      FAIL(value << ": " << toHalf(value).bits << ", the compiler's " << bits);
  });
}
#endif

TEST_CASE("floats round to the nearest bfloat16, ties to even") {
  forTellingFloats(true, [](float value) {
    uint32_t bits = floatBits(value);
    uint16_t got = toBFloat16(value).bits;
    if (value != value) {
      if (got != 0x7fff)
        FAIL("NaN " << bits << " becomes " << got);
      return;
    }
    // The order of the bits is that of magnitudes, so the nearest by bits is
    // the nearest by value.
    uint32_t rest = bits & 0xffff;
    uint32_t up = rest > 0x8000 || (rest == 0x8000 && (bits >> 16 & 1));
    if (got != uint16_t((bits >> 16) + up))
      FAIL(value << " becomes " << got);
  });
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    BFloat16 value{uint16_t(bits)};
    bool nan = (bits & 0x7fff) > 0x7f80;
    if (toBFloat16(toFloat(value)).bits != (nan ? 0x7fff : bits))
      FAIL(bits << " does not come back");
  }
}
