//===- Elements.h - the correct result of an element ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Test data and expected results, element by element, sharing no code with the
// runtime. An element is represented by its bits, in the low end of 64 bits.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_CONFORMANCE_ELEMENTS_H
#define BLINK_TEST_CONFORMANCE_ELEMENTS_H

#include "runtime/blink.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace blink::test {

inline constexpr blinkDataType_t kTypes[] = {
    blinkInt8,    blinkUint8,    blinkInt32,      blinkUint32,
    blinkInt64,   blinkUint64,   blinkFloat16,    blinkFloat32,
    blinkFloat64, blinkBfloat16, blinkFloat8e4m3, blinkFloat8e5m2};
inline constexpr unsigned kNumTypes = sizeof(kTypes) / sizeof(kTypes[0]);
inline constexpr blinkRedOp_t kOps[] = {blinkSum, blinkProd, blinkMax,
                                        blinkMin, blinkAvg,  blinkBand,
                                        blinkBor, blinkBxor};
inline constexpr unsigned kNumOps = sizeof(kOps) / sizeof(kOps[0]);

int bytesOf(blinkDataType_t type);
bool isFloat(blinkDataType_t type);
/// Whether the reduction exists: floating-point types have no bitwise
/// operators.
bool hasReduction(blinkDataType_t type, blinkRedOp_t op);

uint64_t loadBits(blinkDataType_t type, const void *buffer, size_t index);
void storeBits(blinkDataType_t type, void *buffer, size_t index, uint64_t bits);

/// Returns the exact value of a floating-point element.
double decode(blinkDataType_t type, uint64_t bits);
/// Returns the nearest element; ties go to even, and 8-bit types saturate.
uint64_t encode(blinkDataType_t type, double value);

/// Returns element `index` of rank `rank`'s input, which repeats every kPeriod
/// elements. kPeriod is a prime, so exchanged chunks are noticed.
/// Floating-point values are whole numbers (powers of two for prod) so small
/// that every partial result is exact in any order. Integers, which wrap, have
/// arbitrary bits, as do all elements when nothing is reduced (no `op`).
inline constexpr size_t kPeriod = 251;
uint64_t inputBits(blinkDataType_t type, std::optional<blinkRedOp_t> op,
                   int rank, size_t index);

/// Returns the reduction of one element from each rank.
uint64_t reduceBits(blinkDataType_t type, blinkRedOp_t op,
                    const std::vector<uint64_t> &contributions);

} // namespace blink::test

#endif // BLINK_TEST_CONFORMANCE_ELEMENTS_H
