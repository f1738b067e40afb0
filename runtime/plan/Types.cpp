//===- Types.cpp - data types and operators by number ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/Types.h"

namespace blink::runtime {

const char *nameOf(blinkDataType_t type) {
  static constexpr const char *kNames[] = {
      "int8",    "uint8",   "int32",   "uint32",   "int64",      "uint64",
      "float16", "float32", "float64", "bfloat16", "float8e4m3", "float8e5m2"};
  return elementBytes(type) != 0 ? kNames[type] : "?";
}

const char *nameOf(blinkRedOp_t op) {
  static constexpr const char *kNames[] = {
      "sum", "prod", "max", "min", "avg", "band", "bor", "bxor", "premulsum"};
  return unsigned(op) <= unsigned(kPreMulSum) ? kNames[op] : "?";
}

} // namespace blink::runtime
