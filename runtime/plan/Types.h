//===- Types.h - data types and operators by number -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Maps the numbers of the C API to names, sizes and the core's types.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_PLAN_TYPES_H
#define BLINK_RUNTIME_PLAN_TYPES_H

#include "runtime/blink.h"
#include "runtime/core/Operators.h"

#include <cstddef>

namespace blink::runtime {

/// Calls `function(T())` with the core's type of `type`. Returns what that
/// returns, or a default value for a type that does not exist.
template <typename Function>
BLINK_ALWAYS_INLINE constexpr auto withType(blinkDataType_t type,
                                            Function function)
    -> decltype(function(float())) {
  switch (type) {
  case blinkInt8:
    return function(int8_t());
  case blinkUint8:
    return function(uint8_t());
  case blinkInt32:
    return function(int32_t());
  case blinkUint32:
    return function(uint32_t());
  case blinkInt64:
    return function(int64_t());
  case blinkUint64:
    return function(uint64_t());
  case blinkFloat16:
    return function(Half());
  case blinkFloat32:
    return function(float());
  case blinkFloat64:
    return function(double());
  case blinkBfloat16:
    return function(BFloat16());
  case blinkFloat8e4m3:
    return function(Float8E4M3());
  case blinkFloat8e5m2:
    return function(Float8E5M2());
  }
  return {};
}

/// In a CallKind: a sum of what each rank has multiplied by a scalar of its
/// own. The API has other numbers for such operators (api/Operators.h).
inline constexpr blinkRedOp_t kPreMulSum = blinkRedOp_t(blinkBxor + 1);

/// Calls `function` in the same way with Sum(), Prod() and so on. `blinkAvg`
/// sums here, because the fold that completes divides; kPreMulSum sums, because
/// the folds that read an input multiply.
template <typename Function>
BLINK_ALWAYS_INLINE constexpr auto withOperator(blinkRedOp_t op,
                                                Function function)
    -> decltype(function(Sum())) {
  switch (op == kPreMulSum ? blinkSum : op) {
  case blinkSum:
  case blinkAvg:
    return function(Sum());
  case blinkProd:
    return function(Prod());
  case blinkMax:
    return function(Max());
  case blinkMin:
    return function(Min());
  case blinkBand:
    return function(Band());
  case blinkBor:
    return function(Bor());
  case blinkBxor:
    return function(Bxor());
  }
  return {};
}

constexpr bool isInteger(blinkDataType_t type) {
  return type >= blinkInt8 && type <= blinkUint64;
}

/// Whether the operator combines bits, and so takes only integers.
constexpr bool isBitwise(blinkRedOp_t op) {
  return op >= blinkBand && op <= blinkBxor;
}

/// Whether partial sums are wider than the type if a program asks for that
/// (Accumulation::f32): the type is computed in float, and the operator may
/// need its digits.
constexpr bool isWidened(blinkDataType_t type, blinkRedOp_t op) {
  const bool narrow = type == blinkFloat16 || type == blinkBfloat16 ||
                      type == blinkFloat8e4m3 || type == blinkFloat8e5m2;
  return narrow && (op == blinkSum || op == blinkProd || op == blinkAvg ||
                    op == kPreMulSum);
}

/// Calls `function(T())` with the type that folds of the operator compute in.
/// That is the type of withType, except that one fold of bytes serves all
/// integers if the operator combines bits. Returns a default value if there is
/// no such reduction.
template <typename Operator, typename Function>
BLINK_ALWAYS_INLINE constexpr auto withFoldType(blinkDataType_t type,
                                                Function function)
    -> decltype(function(uint8_t())) {
  if constexpr (!kBitwise<Operator>)
    return withType(type, function);
  else if (isInteger(type))
    return function(uint8_t());
  else
    return {};
}

/// Bytes of an element; 0 for a type that does not exist.
inline size_t elementBytes(blinkDataType_t type) {
  return withType(type, [](auto zero) { return sizeof(zero); });
}

/// Returns a name such as "float32", or "?".
const char *nameOf(blinkDataType_t type);
/// Returns a name such as "sum", or "?".
const char *nameOf(blinkRedOp_t op);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_PLAN_TYPES_H
