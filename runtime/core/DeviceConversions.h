//===- DeviceConversions.h - conversions by instructions --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Does with the conversion instructions of a GPU what Half.h and Float8.h
// compute, a word of elements at a time. For numbers and infinities both follow
// IEEE 754 or OCP to the last bit. Narrowing turns all NaNs into one, that of
// the instructions, and so do Half.h and Float8.h. Which NaN a widened NaN
// becomes does not matter, because everything that is computed in float is
// narrowed in the end.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CORE_DEVICECONVERSIONS_H
#define BLINK_RUNTIME_CORE_DEVICECONVERSIONS_H

#include "runtime/core/Float8.h"

#include <type_traits>

namespace blink::runtime {

/// Converts two of the four Float8E4M3 in `word`, the lower two (`upper` 0) or
/// the upper two, to halves times 2^-8. For GPUs without a conversion
/// instruction. Sets bit 13 of each half of `nans` whose element is a NaN.
BLINK_HOST_DEVICE constexpr uint32_t scaledHalves(uint32_t word, int upper,
                                                  uint32_t &nans) {
  const uint32_t pair = word >> (16 * upper);
  const uint32_t bytes = (pair & 0xffu) << 8 | (pair & 0xff00u) << 16;
  const uint32_t magnitudes = bytes >> 1 & 0x3f803f80u;
  nans = (magnitudes + 0x00800080u) >> 1 & 0x20002000u;
  return magnitudes | (bytes & 0x80008000u);
}
/// The factor 2^8 that turns the result of scaledHalves into the right halves.
/// A NaN then is 1.875 * 2^8, which with bit 13 set is a NaN.
inline constexpr uint32_t kUnscale = 0x5c005c00; // 2^8 twice

/// Whether widenWord and narrowWord convert T, so that its fold computes in
/// float.
template <typename T>
inline constexpr bool kByInstructions =
#if defined(__CUDA_ARCH__)
    std::is_class_v<T>;
#else
    false;
#endif

#if defined(__CUDA_ARCH__)

// Instructions between float and the 8-bit types: from sm_89 on, if nvcc
// supports them.
#if __CUDA_ARCH__ >= 900 ||                                                    \
    (__CUDA_ARCH__ >= 890 &&                                                   \
     __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1201)
#define BLINK_FLOAT8_INSTRUCTIONS 1
#endif

__device__ inline void widenHalves(uint32_t halves, float *values) {
  asm("{.reg .b16 low, high;\n"
      "mov.b32 {low, high}, %2;\n"
      "cvt.f32.f16 %0, low;\n"
      "cvt.f32.f16 %1, high;}"
      : "=f"(values[0]), "=f"(values[1])
      : "r"(halves));
}

__device__ inline void widenWord(Half, uint32_t word, float *values) {
  widenHalves(word, values);
}
__device__ inline void widenWord(BFloat16, uint32_t word, float *values) {
  values[0] = bitsFloat(word << 16);
  values[1] = bitsFloat(word & 0xffff0000u);
}
__device__ inline void widenWord(Float8E4M3, uint32_t word, float *values) {
#pragma unroll
  for (int upper = 0; upper < 2; ++upper) {
    uint32_t halves;
#if BLINK_FLOAT8_INSTRUCTIONS
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;"
        : "=r"(halves)
        : "h"(uint16_t(word >> (16 * upper))));
#else
    uint32_t nans = 0;
    const uint32_t scaled = scaledHalves(word, upper, nans);
    asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(halves) : "r"(scaled), "r"(kUnscale));
    halves |= nans;
#endif
    widenHalves(halves, values + 2 * upper);
  }
}
__device__ inline void widenWord(Float8E5M2, uint32_t word, float *values) {
  // A Float8E5M2 is the upper half of a binary16.
  widenHalves(__byte_perm(word, 0, 0x1404), values);
  widenHalves(__byte_perm(word, 0, 0x3424), values + 2);
}

__device__ inline uint32_t narrowWord(Half, const float *values) {
  uint32_t word;
#if __CUDA_ARCH__ >= 800
  asm("cvt.rn.f16x2.f32 %0, %2, %1;"
      : "=r"(word)
      : "f"(values[0]), "f"(values[1]));
#else
  asm("{.reg .b16 low, high;\n"
      "cvt.rn.f16.f32 low, %1;\n"
      "cvt.rn.f16.f32 high, %2;\n"
      "mov.b32 %0, {low, high};}"
      : "=r"(word)
      : "f"(values[0]), "f"(values[1]));
#endif
  return word;
}
__device__ inline uint32_t narrowWord(BFloat16, const float *values) {
#if __CUDA_ARCH__ >= 800
  uint32_t word;
  asm("cvt.rn.bf16x2.f32 %0, %2, %1;"
      : "=r"(word)
      : "f"(values[0]), "f"(values[1]));
  return word;
#else
  return toBFloat16(values[0]).bits | uint32_t(toBFloat16(values[1]).bits)
                                          << 16;
#endif
}
/// Narrows two elements to 8 bits each.
__device__ inline uint16_t narrowPair(Float8E4M3, float low, float high) {
#if BLINK_FLOAT8_INSTRUCTIONS
  uint16_t pair;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %2, %1;"
      : "=h"(pair)
      : "f"(low), "f"(high));
  return pair;
#else
  return toFloat8E4M3(low).bits | uint16_t(toFloat8E4M3(high).bits) << 8;
#endif
}
__device__ inline uint16_t narrowPair(Float8E5M2, float low, float high) {
#if BLINK_FLOAT8_INSTRUCTIONS
  uint16_t pair;
  asm("cvt.rn.satfinite.e5m2x2.f32 %0, %2, %1;"
      : "=h"(pair)
      : "f"(low), "f"(high));
  return pair;
#else
  return toFloat8E5M2(low).bits | uint16_t(toFloat8E5M2(high).bits) << 8;
#endif
}
template <typename Float8>
__device__ inline uint32_t narrowWord(Float8 type, const float *values) {
  return narrowPair(type, values[0], values[1]) |
         uint32_t(narrowPair(type, values[2], values[3])) << 16;
}

#endif // __CUDA_ARCH__

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CORE_DEVICECONVERSIONS_H
