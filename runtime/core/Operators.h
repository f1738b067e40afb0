//===- Operators.h - element types and reduction operators ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The operations of a fold on one element, on host and device: load it into an
// accumulator, combine accumulators, finish, store.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CORE_OPERATORS_H
#define BLINK_RUNTIME_CORE_OPERATORS_H

#include "runtime/core/DeviceConversions.h"

#include <cstdint>
#include <type_traits>

namespace blink::runtime {

/// The type that a fold computes in: float for the narrow floating-point types,
/// which are structs, else the type itself.
template <typename T>
using Accumulator = std::conditional_t<std::is_class_v<T>, float, T>;

template <typename T>
BLINK_HOST_DEVICE constexpr Accumulator<T> loadElement(T element) {
  if constexpr (std::is_same_v<T, Accumulator<T>>) {
    return element;
  } else if constexpr (kByInstructions<T>) {
    float values[4 / sizeof(T)] = {};
    widenWord(T(), element.bits, values);
    return values[0];
  } else {
    return toFloat(element);
  }
}

template <typename T>
BLINK_HOST_DEVICE constexpr T storeElement(Accumulator<T> value) {
  if constexpr (kByInstructions<T>) {
    const float values[4 / sizeof(T)] = {value};
    return {decltype(T::bits)(narrowWord(T(), values))};
  } else if constexpr (std::is_same_v<T, Half>)
    return toHalf(value);
  else if constexpr (std::is_same_v<T, BFloat16>)
    return toBFloat16(value);
  else if constexpr (std::is_same_v<T, Float8E4M3>)
    return toFloat8E4M3(value);
  else if constexpr (std::is_same_v<T, Float8E5M2>)
    return toFloat8E5M2(value);
  else
    return value;
}

/// Integers use unsigned arithmetic of at least 32 bits: it wraps around, while
/// the overflow of signed integers (and of products of promoted 16-bit ones) is
/// undefined.
template <typename A> struct Arithmetic {
  using Type = A;
};
template <> struct Arithmetic<int8_t> {
  using Type = uint32_t;
};
template <> struct Arithmetic<uint8_t> {
  using Type = uint32_t;
};
template <> struct Arithmetic<int32_t> {
  using Type = uint32_t;
};
template <> struct Arithmetic<int64_t> {
  using Type = uint64_t;
};

struct Sum {
  template <typename A> BLINK_HOST_DEVICE static constexpr A combine(A a, A b) {
    using Wide = typename Arithmetic<A>::Type;
    return A(Wide(a) + Wide(b));
  }
};

struct Prod {
  template <typename A> BLINK_HOST_DEVICE static constexpr A combine(A a, A b) {
    using Wide = typename Arithmetic<A>::Type;
    return A(Wide(a) * Wide(b));
  }
};

// A NaN on either side wins: if a is NaN, a != a; if b is, the comparison is
// false and the result is b. Of two equal values, such as -0 and +0, the result
// is b.
struct Max {
  template <typename A> BLINK_HOST_DEVICE static constexpr A combine(A a, A b) {
    return a > b || a != a ? a : b;
  }
};

struct Min {
  template <typename A> BLINK_HOST_DEVICE static constexpr A combine(A a, A b) {
    return a < b || a != a ? a : b;
  }
};

// These combine bits, so it does not matter how the bits are divided into
// elements: their folds are folds of bytes, whatever the type (withFoldType in
// plan/Types.h).
struct Band {
  template <typename A> BLINK_HOST_DEVICE static constexpr A combine(A a, A b) {
    return A(a & b);
  }
};

struct Bor {
  template <typename A> BLINK_HOST_DEVICE static constexpr A combine(A a, A b) {
    return A(a | b);
  }
};

struct Bxor {
  template <typename A> BLINK_HOST_DEVICE static constexpr A combine(A a, A b) {
    return A(a ^ b);
  }
};

/// Whether the operator is one of these three.
template <typename Operator>
inline constexpr bool kBitwise =
    std::is_same_v<Operator, Band> || std::is_same_v<Operator, Bor> ||
    std::is_same_v<Operator, Bxor>;

/// Multiplies a contribution by its rank's scalar and rounds the product to its
/// type. So all ranks add the same number, whether they receive it or compute
/// it.
template <typename T>
BLINK_HOST_DEVICE constexpr T scaleElement(T element, Accumulator<T> scalar) {
  return storeElement<T>(Prod::combine(loadElement(element), scalar));
}

/// The last step of `avg`. Integers round towards zero.
template <typename A>
BLINK_HOST_DEVICE_CALL constexpr A divideByRanks(A sum, uint32_t numRanks) {
  if constexpr (std::is_floating_point_v<A>)
    return sum / A(numRanks);
  else if constexpr (std::is_signed_v<A> && sizeof(A) <= 4)
    return A(int32_t(sum) / int32_t(numRanks));
  else if constexpr (std::is_signed_v<A>)
    return A(int64_t(sum) / int64_t(numRanks));
  else if constexpr (sizeof(A) <= 4)
    return A(uint32_t(sum) / numRanks);
  else
    return A(sum / numRanks);
}

/// Folds one element: combines the sources in order, then divides unless
/// `divisor` is 0. Needs numSources >= 1. With one source and no division it
/// copies the bits, including those of NaNs.
template <typename T, typename Operator>
BLINK_HOST_DEVICE inline T foldElement(const T *const *sources,
                                       uint32_t numSources, uint64_t index,
                                       uint32_t divisor) {
  if (numSources == 1 && divisor == 0)
    return sources[0][index];
  Accumulator<T> value = loadElement(sources[0][index]);
  BLINK_ROLLED
  for (uint32_t s = 1; s < numSources; ++s)
    value = Operator::combine(value, loadElement(sources[s][index]));
  if (divisor != 0)
    value = divideByRanks(value, divisor);
  return storeElement<T>(value);
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CORE_OPERATORS_H
