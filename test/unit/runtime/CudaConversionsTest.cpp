//===- CudaConversionsTest.cpp - CUDA's conversions on the host -----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// On the host, CUDA's headers convert in software what a GPU converts by an
// instruction, with the same results. Blink's conversions must give the same
// bits, including NaNs.
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Float8.h"

#include "doctest/doctest.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <random>

using namespace blink::runtime;

namespace {

template <typename Check> void forTellingFloats(Check check) {
  // Values around each number of each format and around each midpoint between
  // two. The formats have at most 10 fraction bits, and bfloat16 has the widest
  // range.
  for (uint32_t high = 0; high < 0x80000; ++high)
    for (uint32_t low : {0u, 1u, 0x1fffu})
      check(bitsFloat(high << 13 | low));
  std::mt19937 random(17);
  for (int i = 0; i < 400000; ++i)
    check(bitsFloat(uint32_t(random())));
}

} // namespace

TEST_CASE("narrowing gives the bits of CUDA's conversions") {
  size_t wrong[4] = {};
  forTellingFloats([&](float value) {
    const __half_raw half = __float2half_rn(value);
    const __nv_bfloat16_raw bfloat = __float2bfloat16_rn(value);
    wrong[0] += toHalf(value).bits != half.x;
    wrong[1] += toBFloat16(value).bits != bfloat.x;
    wrong[2] += toFloat8E4M3(value).bits !=
                __nv_cvt_float_to_fp8(value, __NV_SATFINITE, __NV_E4M3);
    wrong[3] += toFloat8E5M2(value).bits !=
                __nv_cvt_float_to_fp8(value, __NV_SATFINITE, __NV_E5M2);
  });
  CHECK(wrong[0] == 0);
  CHECK(wrong[1] == 0);
  CHECK(wrong[2] == 0);
  CHECK(wrong[3] == 0);
}

TEST_CASE("widening gives the numbers of CUDA's conversions") {
  const auto same = [](float a, float b) {
    return a != a ? b != b : floatBits(a) == floatBits(b);
  };
  size_t wrong = 0;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    __half_raw half;
    half.x = uint16_t(bits);
    wrong += !same(toFloat(Half{half.x}), __half2float(half));
    if (bits > 0xff)
      continue;
    wrong += !same(toFloat(Float8E4M3{uint8_t(bits)}),
                   __half2float(__nv_cvt_fp8_to_halfraw(
                       __nv_fp8_storage_t(bits), __NV_E4M3)));
    wrong += !same(toFloat(Float8E5M2{uint8_t(bits)}),
                   __half2float(__nv_cvt_fp8_to_halfraw(
                       __nv_fp8_storage_t(bits), __NV_E5M2)));
  }
  CHECK(wrong == 0);
}
