//===- Float8.h - the two 8-bit floating-point types ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The OCP formats. Conversions are integer arithmetic without branches, like
// those of Half.h, and saturate: a number beyond the largest one becomes the
// largest, and so does infinity, as in CUDA's and NCCL's conversions. All NaNs
// become one, 0x7f.
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
  const uint32_t result =
      magnitude == 0x7fu ? 0x7fc00000u : widenMagnitude<3, 7>(magnitude);
  return bitsFloat(result | (uint32_t(value.bits & 0x80u) << 24));
}

/// Rounds to nearest, ties to even, and saturates.
BLINK_HOST_DEVICE constexpr Float8E4M3 toFloat8E4M3(float value) {
  const uint32_t bits = floatBits(value);
  const uint32_t magnitude = bits & 0x7fffffffu;
  const uint32_t number = narrowMagnitude<3, 7, 0x7e>(magnitude);
  return {
      uint8_t(magnitude > 0x7f800000u ? 0x7fu : number | (bits >> 24 & 0x80u))};
}

/// Exact.
BLINK_HOST_DEVICE constexpr float toFloat(Float8E5M2 value) {
  return toFloat(Half{uint16_t(value.bits << 8)});
}

/// Rounds to nearest, ties to even, and saturates.
BLINK_HOST_DEVICE constexpr Float8E5M2 toFloat8E5M2(float value) {
  const uint32_t bits = floatBits(value);
  const uint32_t magnitude = bits & 0x7fffffffu;
  const uint32_t number = narrowMagnitude<2, 15, 0x7b>(magnitude);
  return {
      uint8_t(magnitude > 0x7f800000u ? 0x7fu : number | (bits >> 24 & 0x80u))};
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CORE_FLOAT8_H
