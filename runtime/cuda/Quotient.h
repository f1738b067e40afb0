//===- Quotient.h - the division of avg on devices --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Computes the same bits as divideByRanks, with a reciprocal that is computed
// once.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_QUOTIENT_H
#define BLINK_RUNTIME_CUDA_QUOTIENT_H

#include "runtime/core/Operators.h"

#include <limits>

namespace blink::runtime {

BLINK_DEVICE inline float fusedMultiplyAdd(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
BLINK_DEVICE inline double fusedMultiplyAdd(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
BLINK_DEVICE inline uint32_t multiplyHigh(uint32_t a, uint32_t b) {
  return uint32_t(uint64_t(a) * b >> 32);
}
BLINK_DEVICE inline uint64_t multiplyHigh(uint64_t a, uint64_t b) {
#if defined(__CUDA_ARCH__)
  return __umul64hi(a, b);
#else
  return uint64_t(static_cast<unsigned __int128>(a) * b >> 64);
#endif
}

/// Returns the reciprocal that Quotient needs for a number of ranks; for 0 a
/// value that is not used.
template <typename A> BLINK_DEVICE inline auto reciprocal(uint32_t n) {
  if constexpr (std::is_floating_point_v<A>)
    return n ? A(1) / A(n) : A(0);
  else if constexpr (sizeof(A) == 8)
    return n ? ~uint64_t(0) / n : 0;
  else
    return n ? ~uint32_t(0) / n : 0;
}

/// Divides by a number of ranks n >= 1.
template <typename A, bool kFloat = std::is_floating_point_v<A>> class Quotient;

/// Floating point. Let r be the float nearest to 1/n, and q the one nearest to
/// x*r. The remainder x - n*q has no more bits than fit, since n is an integer
/// below 2^17 and q is off by at most 1.5 units in the last place, so one fused
/// operation computes it exactly. The next one, remainder*r + q, is exact but
/// for one rounding and the error of r, which is 2^-22 units in the last place.
/// The quotient itself lies no nearer than 2^-18 such units to the middle
/// between two numbers, so both round to the same, unless it lies exactly in
/// the middle. That takes a subnormal quotient and an inexact r, for which
/// `divide` returns false.
template <typename A> class Quotient<A, true> {
  using Limits = std::numeric_limits<A>;

public:
  BLINK_DEVICE Quotient(uint32_t n, A reciprocal)
      : divisor_(A(n)), reciprocal_(reciprocal) {
    constexpr uint32_t kMost = 1u << 17;
    const bool powerOfTwo = (n & (n - 1)) == 0;
    least_ = powerOfTwo  ? A(0)
             : n < kMost ? Limits::min() * A(kMost)
                         : Limits::infinity();
  }

  /// Returns false if it did not divide; then divideByRanks must.
  BLINK_DEVICE bool divide(A &x) const {
    const A magnitude = x < 0 ? -x : x;
    const bool can = !(magnitude < least_) || x == 0;
    const A q = x * reciprocal_;
    const A rest = fusedMultiplyAdd(-divisor_, q, x);
    // q is right if the remainder is 0, and if x is not finite.
    const bool left = rest < 0 || rest > 0;
    x = left ? fusedMultiplyAdd(rest, reciprocal_, q) : q;
    return can;
  }

private:
  A divisor_, reciprocal_, least_;
};

/// Integers. With r = floor((2^N - 1) / n), x*r / 2^N is less than 1 below x/n,
/// so its integer part is the quotient or one less.
template <typename A> class Quotient<A, false> {
  using Unsigned = std::conditional_t<sizeof(A) == 8, uint64_t, uint32_t>;

public:
  BLINK_DEVICE Quotient(uint32_t n, Unsigned reciprocal)
      : divisor_(n), reciprocal_(reciprocal) {}

  BLINK_DEVICE bool divide(A &x) const {
    bool negative = false;
    if constexpr (std::is_signed_v<A>)
      negative = x < 0;
    const Unsigned wide = Unsigned(x);
    const Unsigned magnitude = negative ? -wide : wide;
    Unsigned q = multiplyHigh(magnitude, reciprocal_);
    q += magnitude - q * divisor_ >= divisor_;
    x = A(negative ? -q : q);
    return true;
  }

private:
  Unsigned divisor_, reciprocal_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_QUOTIENT_H
