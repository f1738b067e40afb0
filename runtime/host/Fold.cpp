//===- Fold.cpp - which fold for this processor ---------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Fold.h"

namespace blink::runtime {

// FoldLoops.cpp, compiled for each level.
namespace level1 {
FoldFunction foldFunction(blinkDataType_t type, blinkRedOp_t op);
WideFoldFunction wideFoldFunction(blinkDataType_t type, blinkRedOp_t op);
ScaleFunction scaleFunction(blinkDataType_t type);
} // namespace level1
#if defined(__x86_64__)
namespace level3 {
FoldFunction foldFunction(blinkDataType_t type, blinkRedOp_t op);
WideFoldFunction wideFoldFunction(blinkDataType_t type, blinkRedOp_t op);
ScaleFunction scaleFunction(blinkDataType_t type);
} // namespace level3
namespace level4 {
FoldFunction foldFunction(blinkDataType_t type, blinkRedOp_t op);
WideFoldFunction wideFoldFunction(blinkDataType_t type, blinkRedOp_t op);
ScaleFunction scaleFunction(blinkDataType_t type);
} // namespace level4
#endif

int foldLevel() {
#if defined(__x86_64__)
  // The features of -march=x86-64-v3 and -v4 that loops over arrays use.
  static const int level =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512vl") &&
              __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512cd")
          ? 4
      : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
              __builtin_cpu_supports("bmi2")
          ? 3
          : 1;
  return level;
#else
  return 1;
#endif
}

FoldFunction foldFunctionOfLevel(int level, blinkDataType_t type,
                                 blinkRedOp_t op) {
#if defined(__x86_64__)
  if (level == 4)
    return level4::foldFunction(type, op);
  if (level == 3)
    return level3::foldFunction(type, op);
#endif
  return level1::foldFunction(type, op);
}

FoldFunction foldFunction(blinkDataType_t type, blinkRedOp_t op) {
  return foldFunctionOfLevel(foldLevel(), type, op);
}

WideFoldFunction wideFoldFunctionOfLevel(int level, blinkDataType_t type,
                                         blinkRedOp_t op) {
#if defined(__x86_64__)
  if (level == 4)
    return level4::wideFoldFunction(type, op);
  if (level == 3)
    return level3::wideFoldFunction(type, op);
#endif
  return level1::wideFoldFunction(type, op);
}

WideFoldFunction wideFoldFunction(blinkDataType_t type, blinkRedOp_t op) {
  return wideFoldFunctionOfLevel(foldLevel(), type, op);
}

ScaleFunction scaleFunctionOfLevel(int level, blinkDataType_t type) {
#if defined(__x86_64__)
  if (level == 4)
    return level4::scaleFunction(type);
  if (level == 3)
    return level3::scaleFunction(type);
#endif
  return level1::scaleFunction(type);
}

ScaleFunction scaleFunction(blinkDataType_t type) {
  return scaleFunctionOfLevel(foldLevel(), type);
}

} // namespace blink::runtime
