//===- Half.h - the two 16-bit floating-point types -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Conversions to and from float without branches, so that loops over them
// vectorise, and without subnormal float operands, so that a program that
// flushes those to zero gets the same bits.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CORE_HALF_H
#define BLINK_RUNTIME_CORE_HALF_H

#include "runtime/core/HostDevice.h"

#include <cstdint>

namespace blink::runtime {

/// IEEE 754 binary16: 1 sign, 5 exponent (bias 15), 10 fraction bits.
struct Half {
  uint16_t bits;
};

/// The upper half of a binary32: 1 sign, 8 exponent, 7 fraction bits.
struct BFloat16 {
  uint16_t bits;
};

BLINK_HOST_DEVICE constexpr uint32_t floatBits(float value) {
  return __builtin_bit_cast(uint32_t, value);
}
BLINK_HOST_DEVICE constexpr float bitsFloat(uint32_t bits) {
  return __builtin_bit_cast(float, bits);
}

/// Exact.
BLINK_HOST_DEVICE constexpr float toFloat(Half half) {
  const uint32_t magnitude = half.bits & 0x7fffu;
  // Move exponent and fraction in place, then the bias from 15 to 127.
  const uint32_t normal = (magnitude << 13) + (112u << 23);
  const uint32_t special = normal + (112u << 23); // infinity and NaN
  // As 2^-14 * (1 + fraction) the subnormal is one 2^-14 too large.
  const uint32_t subnormal =
      floatBits(bitsFloat(normal + (1u << 23)) - bitsFloat(113u << 23));
  const uint32_t result = magnitude >= 0x7c00u  ? special
                          : magnitude < 0x0400u ? subnormal
                                                : normal;
  return bitsFloat(result | (uint32_t(half.bits & 0x8000u) << 16));
}

/// Rounds to nearest, ties to even; beyond the range to infinity. NaNs stay
/// NaNs, made quiet, with the top of their payload.
BLINK_HOST_DEVICE constexpr Half toHalf(float value) {
  const uint32_t bits = floatBits(value);
  const uint32_t magnitude = bits & 0x7fffffffu;
  // The bias from 127 to 15; wraps for small magnitudes, which do not use it.
  const uint32_t rebased = magnitude - (112u << 23);
  const uint32_t rounded = (rebased + 0xfffu + (rebased >> 13 & 1)) >> 13;
  const uint32_t normal = rounded < 0x7c00u ? rounded : 0x7c00u;
  // One unit in the last place of 0.5 is that of a subnormal half: the addition
  // rounds.
  const uint32_t subnormal =
      floatBits(bitsFloat(magnitude < 0x38800000u ? magnitude : 0) + 0.5f) -
      floatBits(0.5f);
  const uint32_t nan = 0x7e00u | (magnitude >> 13 & 0x3ffu);
  const uint32_t result = magnitude > 0x7f800000u    ? nan
                          : magnitude >= 0x47800000u ? 0x7c00u   // 65536 and up
                          : magnitude < 0x38800000u  ? subnormal // 2^-14
                                                     : normal;
  return {uint16_t(result | (bits >> 16 & 0x8000u))};
}

/// Exact.
BLINK_HOST_DEVICE constexpr float toFloat(BFloat16 value) {
  return bitsFloat(uint32_t(value.bits) << 16);
}

/// Rounds to nearest, ties to even. NaNs stay NaNs, made quiet.
BLINK_HOST_DEVICE constexpr BFloat16 toBFloat16(float value) {
  const uint32_t bits = floatBits(value);
  const uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
  const uint32_t nan = bits >> 16 | 0x40u;
  return {uint16_t((bits & 0x7fffffffu) > 0x7f800000u ? nan : rounded)};
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CORE_HALF_H
