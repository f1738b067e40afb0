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

/// Converts a magnitude (all bits but the sign) of a format with `kFraction`
/// fraction bits and an exponent of bias `kBias` to that of a float. Exact for
/// numbers.
template <uint32_t kFraction, uint32_t kBias>
BLINK_HOST_DEVICE constexpr uint32_t widenMagnitude(uint32_t magnitude) {
  // Move exponent and fraction into place, then correct the bias.
  const uint32_t normal =
      (magnitude << (23 - kFraction)) + ((127 - kBias) << 23);
  // Read as 2^(1 - bias) * (1 + fraction), a subnormal is 2^(1 - bias) too
  // large.
  const uint32_t subnormal = floatBits(bitsFloat(normal + (1u << 23)) -
                                       bitsFloat((128 - kBias) << 23));
  return magnitude < 1u << kFraction ? subnormal : normal;
}

/// Converts in the other direction: rounds to nearest, ties to even, and
/// numbers beyond `kLargest` to that. Not for NaNs.
template <uint32_t kFraction, uint32_t kBias, uint32_t kLargest>
BLINK_HOST_DEVICE constexpr uint32_t narrowMagnitude(uint32_t magnitude) {
  constexpr uint32_t kShift = 23 - kFraction;
  constexpr uint32_t kLeastNormal = (128 - kBias) << 23;
  // One unit in the last place of this number is that of a subnormal, so the
  // addition rounds.
  constexpr uint32_t kRounder = (151 - kBias - kFraction) << 23;
  // Wraps for small magnitudes, whose result does not use it.
  const uint32_t rebased = magnitude - ((127 - kBias) << 23);
  const uint32_t rounded =
      (rebased + ((1u << (kShift - 1)) - 1) + (rebased >> kShift & 1)) >>
      kShift;
  const uint32_t normal = rounded < kLargest ? rounded : kLargest;
  const uint32_t subnormal =
      floatBits(bitsFloat(magnitude < kLeastNormal ? magnitude : 0) +
                bitsFloat(kRounder)) -
      kRounder;
  return magnitude < kLeastNormal ? subnormal : normal;
}

/// Exact.
BLINK_HOST_DEVICE constexpr float toFloat(Half half) {
  const uint32_t magnitude = half.bits & 0x7fffu;
  const uint32_t number = widenMagnitude<10, 15>(magnitude);
  // Infinity and NaN: the largest exponent stays the largest.
  const uint32_t result = magnitude >= 0x7c00u ? number + (112u << 23) : number;
  return bitsFloat(result | (uint32_t(half.bits & 0x8000u) << 16));
}

/// Rounds to nearest, ties to even; numbers beyond the range become infinity.
/// All NaNs become one, 0x7fff, as in the conversion instructions of GPUs.
BLINK_HOST_DEVICE constexpr Half toHalf(float value) {
  const uint32_t bits = floatBits(value);
  const uint32_t magnitude = bits & 0x7fffffffu;
  const uint32_t number = narrowMagnitude<10, 15, 0x7c00>(magnitude);
  return {uint16_t(magnitude > 0x7f800000u ? 0x7fffu
                                           : number | (bits >> 16 & 0x8000u))};
}

/// Exact.
BLINK_HOST_DEVICE constexpr float toFloat(BFloat16 value) {
  return bitsFloat(uint32_t(value.bits) << 16);
}

/// Rounds to nearest, ties to even. All NaNs become one, 0x7fff.
BLINK_HOST_DEVICE constexpr BFloat16 toBFloat16(float value) {
  const uint32_t bits = floatBits(value);
  const uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
  return {uint16_t((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : rounded)};
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CORE_HALF_H
