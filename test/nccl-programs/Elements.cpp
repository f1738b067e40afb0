//===- Elements.cpp - numbers of NCCL's types -----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/nccl-programs/Elements.h"

#include <algorithm>
#include <cmath>

namespace perf {
namespace {

uint64_t mix(uint64_t a, uint64_t b, uint64_t c) {
  uint64_t x = a * 0x9e3779b97f4a7c15u + b * 0xc2b2ae3d27d4eb4fu + c;
  x = (x ^ (x >> 31)) * 0x94d049bb133111ebu;
  x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u;
  return x ^ (x >> 32);
}

/// Returns the number that the low bits stand for, in an integer type.
uint64_t extended(const Type &type, uint64_t bits) {
  const unsigned unused = 64 - 8 * unsigned(type.bytes);
  bits <<= unused;
  return type.isSigned ? uint64_t(int64_t(bits) >> unused) : bits >> unused;
}
uint64_t truncated(const Type &type, uint64_t number) {
  return type.bytes == 8 ? number : number & ((1ull << 8 * type.bytes) - 1);
}

bool isLess(const Type &type, uint64_t a, uint64_t b) {
  return type.isSigned ? int64_t(a) < int64_t(b) : a < b;
}

} // namespace

const std::vector<Type> &types() {
  static const std::vector<Type> all = {
      {ncclInt8, "int8", 1, 0, 0, true},
      {ncclUint8, "uint8", 1, 0, 0, false},
      {ncclInt32, "int32", 4, 0, 0, true},
      {ncclUint32, "uint32", 4, 0, 0, false},
      {ncclInt64, "int64", 8, 0, 0, true},
      {ncclUint64, "uint64", 8, 0, 0, false},
      {ncclHalf, "half", 2, 11, 5, true},
      {ncclFloat, "float", 4, 24, 8, true},
      {ncclDouble, "double", 8, 53, 11, true},
      {ncclBfloat16, "bfloat16", 2, 8, 8, true},
      {ncclFloat8e4m3, "f8e4m3", 1, 4, 4, true},
      {ncclFloat8e5m2, "f8e5m2", 1, 3, 5, true}};
  return all;
}

const std::vector<Op> &ops() {
  static const std::vector<Op> all = {
      {"sum", ncclSum, false, false},    {"prod", ncclProd, false, false},
      {"max", ncclMax, false, false},    {"min", ncclMin, false, false},
      {"avg", ncclAvg, false, false},    {"mulsum", ncclSum, true, false},
      {"mulsumdev", ncclSum, true, true}};
  return all;
}

bool isExact(const Type &type, const Op &op, int ranks) {
  return op.number != ncclAvg || type.precision == 0 ||
         (ranks & (ranks - 1)) == 0;
}

uint64_t encode(const Type &type, double number) {
  const int mantissa = type.precision - 1;
  const uint64_t sign = std::signbit(number) ? 1 : 0;
  const int bias = (1 << (type.exponent - 1)) - 1;
  uint64_t bits = 0;
  if (number != 0) {
    int power = 0;
    const double fraction = std::frexp(std::fabs(number), &power); // in [.5, 1)
    const int biased = power - 1 + bias;
    bits = biased > 0
               ? uint64_t(biased) << mantissa |
                     (uint64_t(std::ldexp(fraction, type.precision)) &
                      ((1ull << mantissa) - 1))
               // Subnormal numbers have no leading one.
               : uint64_t(std::ldexp(fraction, type.precision + biased - 1));
  }
  return sign << (8 * type.bytes - 1) | bits;
}

double Input::real(int rank, size_t index) const {
  const uint64_t random = mix(seed, uint64_t(rank), index);
  if (!op.isMulSum && op.number == ncclProd) // signed powers of two
    return std::ldexp(random & 4 ? 1 : -1, int(random % 3) - 1);
  const double most = std::ldexp(1, std::min(type.precision, 24));
  if (!op.isMulSum && (op.number == ncclMax || op.number == ncclMin))
    return double(random % uint64_t(most)) - most / 2;
  // Whole numbers whose sum, even doubled, fits the type. If the type has too
  // few bits for that, only some ranks contribute to an element.
  const double each = std::max(1.0, std::floor(most / (2 * ranks)));
  const int givers = std::min(ranks, int(most / (2 * each)));
  if (int((index + size_t(rank)) % size_t(ranks)) >= givers)
    return 0;
  return double(random % uint64_t(2 * each + 1)) - each;
}

double Input::realScalar(int rank) const {
  return mix(seed, 77, uint64_t(rank)) & 1 ? 2 : 1;
}

uint64_t Input::whole(int rank, size_t index) const {
  const uint64_t random = mix(seed, uint64_t(rank), index);
  // An average must not wrap, since its value would then be undefined.
  return op.number == ncclAvg ? random % (100 / uint64_t(ranks) + 1)
                              : extended(type, random);
}
uint64_t Input::wholeScalar(int rank) const {
  return mix(seed, 77, uint64_t(rank)) % 5;
}

uint64_t Input::at(int rank, size_t index) const {
  return type.precision ? encode(type, real(rank, index))
                        : truncated(type, whole(rank, index));
}

uint64_t Input::scalar(int rank) const {
  return type.precision ? encode(type, realScalar(rank)) : wholeScalar(rank);
}

uint64_t Input::reduced(size_t index) const {
  if (type.precision) {
    double result = real(0, index) * (op.isMulSum ? realScalar(0) : 1);
    for (int r = 1; r < ranks; ++r) {
      const double next = real(r, index);
      if (op.isMulSum)
        result += next * realScalar(r);
      else if (op.number == ncclProd)
        result *= next;
      else if (op.number == ncclMax)
        result = std::max(result, next);
      else if (op.number == ncclMin)
        result = std::min(result, next);
      else
        result += next;
    }
    if (op.number == ncclAvg)
      result /= ranks;
    return encode(type, result);
  }
  uint64_t result = whole(0, index) * (op.isMulSum ? wholeScalar(0) : 1);
  for (int r = 1; r < ranks; ++r) {
    const uint64_t next = whole(r, index);
    if (op.isMulSum)
      result += next * wholeScalar(r);
    else if (op.number == ncclProd)
      result *= next;
    else if (op.number == ncclMax)
      result = isLess(type, result, next) ? next : result;
    else if (op.number == ncclMin)
      result = isLess(type, next, result) ? next : result;
    else
      result += next;
  }
  if (op.number == ncclAvg)
    result /= uint64_t(ranks);
  return truncated(type, result);
}

} // namespace perf
