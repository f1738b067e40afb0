//===- Float8.h - the two 8-bit floating-point types ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The OCP formats. Conversions are integer arithmetic without branches, like
// those of Half.h, and saturate: what is beyond the largest number becomes the
// largest number, infinities too, as in CUDA's and NCCL's conversions. NaN
// stays NaN.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CORE_FLOAT8_H
#define BLINK_RUNTIME_CORE_FLOAT8_H

#include "runtime/core/Half.h"

namespace blink::runtime {

/// 1 sign, 4 exponent (bias 7), 3 fraction bits; no infinities, one NaN
/// (0x7f), largest number 448.
struct Float8E4M3 {
  uint8_t bits;
};

/// 1 sign, 5 exponent (bias 15), 2 fraction bits: the upper half of a binary16;
/// largest number 57344.
struct Float8E5M2 {
  uint8_t bits;
};

/// Exact.
BLINK_HOST_DEVICE constexpr float toFloat(Float8E4M3 value) {
  const uint32_t magnitude = value.bits & 0x7fu;
  // Move exponent and fraction in place, then the bias from 7 to 127.
  const uint32_t normal = (magnitude << 20) + (120u << 23);
  // As 2^-6 * (1 + fraction) the subnormal is one 2^-6 too large.
  const uint32_t subnormal =
      floatBits(bitsFloat(normal + (1u << 23)) - bitsFloat(121u << 23));
  const uint32_t result = magnitude == 0x7fu ? 0x7fc00000u
                          : magnitude < 8u   ? subnormal
                                             : normal;
  return bitsFloat(result | (uint32_t(value.bits & 0x80u) << 24));
}

/// Rounds to nearest, ties to even, and saturates.
BLINK_HOST_DEVICE constexpr Float8E4M3 toFloat8E4M3(float value) {
  const uint32_t bits = floatBits(value);
  const uint32_t magnitude = bits & 0x7fffffffu;
  // The bias from 127 to 7; wraps for small magnitudes, which do not use it.
  const uint32_t rebased = magnitude - (120u << 23);
  const uint32_t rounded = (rebased + 0x7ffffu + (rebased >> 20 & 1)) >> 20;
  const uint32_t normal = rounded < 0x7eu ? rounded : 0x7eu;
  // One unit in the last place of 2^14 is that of a subnormal (2^-9): the
  // addition rounds.
  const uint32_t subnormal =
      floatBits(bitsFloat(magnitude < 0x3c800000u ? magnitude : 0) + 16384.0f) -
      floatBits(16384.0f);
  const uint32_t result = magnitude > 0x7f800000u    ? 0x7fu
                          : magnitude >= 0x43e80000u ? 0x7eu     // 464 and up
                          : magnitude < 0x3c800000u  ? subnormal // 2^-6
                                                     : normal;
  return {uint8_t(result | (bits >> 24 & 0x80u))};
}

/// Exact.
BLINK_HOST_DEVICE constexpr float toFloat(Float8E5M2 value) {
  return toFloat(Half{uint16_t(value.bits << 8)});
}

/// Rounds to nearest, ties to even, and saturates.
BLINK_HOST_DEVICE constexpr Float8E5M2 toFloat8E5M2(float value) {
  const uint32_t bits = floatBits(value);
  const uint32_t magnitude = bits & 0x7fffffffu;
  const uint32_t rebased = magnitude - (112u << 23);
  const uint32_t rounded = (rebased + 0xfffffu + (rebased >> 21 & 1)) >> 21;
  const uint32_t normal = rounded < 0x7bu ? rounded : 0x7bu;
  // One unit in the last place of 2^7 is that of a subnormal (2^-16).
  const uint32_t subnormal =
      floatBits(bitsFloat(magnitude < 0x38800000u ? magnitude : 0) + 128.0f) -
      floatBits(128.0f);
  const uint32_t result = magnitude > 0x7f800000u    ? 0x7fu
                          : magnitude >= 0x47700000u ? 0x7bu     // 61440 and up
                          : magnitude < 0x38800000u  ? subnormal // 2^-14
                                                     : normal;
  return {uint8_t(result | (bits >> 24 & 0x80u))};
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CORE_FLOAT8_H
