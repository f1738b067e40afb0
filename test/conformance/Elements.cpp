//===- Elements.cpp - the correct result of an element --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Elements.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace blink::test {
namespace {

struct FloatFormat {
  int exponentBits;
  int fractionBits;
};

FloatFormat formatOf(blinkDataType_t type) {
  switch (type) {
  case blinkFloat16:
    return {5, 10};
  case blinkBfloat16:
    return {8, 7};
  case blinkFloat32:
    return {8, 23};
  case blinkFloat8e4m3:
    return {4, 3};
  case blinkFloat8e5m2:
    return {5, 2};
  default:
    return {11, 52};
  }
}

bool isSigned(blinkDataType_t type) {
  return type == blinkInt8 || type == blinkInt32 || type == blinkInt64;
}

uint64_t mask(blinkDataType_t type) {
  return ~uint64_t(0) >> (64 - 8 * bytesOf(type));
}

/// Returns the integer that the bits stand for, in two's complement with 64
/// bits.
int64_t extend(blinkDataType_t type, uint64_t bits) {
  int shift = 64 - 8 * bytesOf(type);
  return int64_t(bits << shift) >> shift;
}

/// Returns integer * 2^exponent. Builds a normal power of two from its bits,
/// since ldexp took a tenth of the tests' time.
double scaled(uint64_t integer, int exponent) {
  if (exponent < -1022 || exponent > 1023)
    return std::ldexp(double(integer), exponent);
  const uint64_t bits = uint64_t(exponent + 1023) << 52;
  double power;
  std::memcpy(&power, &bits, sizeof(power));
  return double(integer) * power;
}

uint64_t mix(uint64_t x) { // the finalizer of splitmix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

} // namespace

int bytesOf(blinkDataType_t type) {
  static const int bytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  return bytes[type];
}

bool isFloat(blinkDataType_t type) { return type >= blinkFloat16; }

bool hasReduction(blinkDataType_t type, blinkRedOp_t op) {
  return !isFloat(type) || op <= blinkAvg;
}

uint64_t loadBits(blinkDataType_t type, const void *buffer, size_t index) {
  uint64_t bits = 0; // little endian
  size_t size = size_t(bytesOf(type));
  std::memcpy(&bits, static_cast<const char *>(buffer) + index * size, size);
  return bits;
}

void storeBits(blinkDataType_t type, void *buffer, size_t index,
               uint64_t bits) {
  size_t size = size_t(bytesOf(type));
  std::memcpy(static_cast<char *>(buffer) + index * size, &bits, size);
}

double decode(blinkDataType_t type, uint64_t bits) {
  auto [exponentBits, fractionBits] = formatOf(type);
  int bias = (1 << (exponentBits - 1)) - 1;
  uint64_t fraction = bits & ((uint64_t(1) << fractionBits) - 1);
  int exponent = int(bits >> fractionBits) & ((1 << exponentBits) - 1);
  bool negative = bits >> (exponentBits + fractionBits) & 1;
  double value;
  // e4m3 has one NaN and no infinity; its largest exponent is an ordinary one.
  if (type == blinkFloat8e4m3 && (bits & 0x7f) == 0x7f)
    value = NAN;
  else if (type != blinkFloat8e4m3 && exponent == (1 << exponentBits) - 1)
    value = fraction ? NAN : INFINITY;
  else if (exponent == 0)
    value = scaled(fraction, 1 - bias - fractionBits);
  else
    value = scaled(fraction | uint64_t(1) << fractionBits,
                   exponent - bias - fractionBits);
  return negative ? -value : value;
}

uint64_t encode(blinkDataType_t type, double value) {
  auto [exponentBits, fractionBits] = formatOf(type);
  uint64_t sign = uint64_t(std::signbit(value))
                  << (exponentBits + fractionBits);
  uint64_t infinity = ((uint64_t(1) << exponentBits) - 1) << fractionBits;
  if (type == blinkFloat8e4m3)
    infinity = 0x7f; // where infinity would be
  if (std::isnan(value))
    return infinity | uint64_t(1) << (fractionBits - 1);
  if (bytesOf(type) == 1 && std::fabs(value) >= decode(type, infinity - 1))
    return sign | (infinity - 1);
  // The bits of positive elements grow with their values. Search for the
  // largest element that is not above `magnitude`, then decide which neighbour
  // is nearer.
  double magnitude = std::fabs(value);
  uint64_t low = 0, high = infinity;
  while (low < high) {
    uint64_t middle = low + (high - low + 1) / 2;
    if (decode(type, middle) <= magnitude)
      low = middle;
    else
      high = middle - 1;
  }
  if (low == infinity || decode(type, low) == magnitude)
    return sign | low;
  // Above the largest number, assume a next one at the same distance as the one
  // before.
  double below = decode(type, low);
  double above = low + 1 == infinity ? 2 * below - decode(type, low - 1)
                                     : decode(type, low + 1);
  double middle = below + (above - below) / 2;
  bool up = magnitude > middle || (magnitude == middle && (low & 1));
  return sign | (low + up);
}

uint64_t inputBits(blinkDataType_t type, std::optional<blinkRedOp_t> op,
                   int rank, size_t index) {
  index %= kPeriod;
  uint64_t random =
      mix(index * 1000003 + uint64_t(rank) * 7919 + uint64_t(type) * 31 + 1);
  if (!isFloat(type) || !op)
    return random & mask(type);
  if (op == blinkProd) // at most 2^4 for 16 ranks, whatever the order
    return encode(type, (random & 1 ? -1 : 1) * (rank % 4 == 1 ? 2 : 1));
  if (op == blinkMax || op == blinkMin) // many values, so that few are equal
    return encode(type, double(int(random % 201) - 100));
  // With two fraction bits, sums up to 8 are exact, so at most half of 16 ranks
  // contribute.
  if (bytesOf(type) == 1)
    return encode(type, (index + size_t(rank)) % 2 == 0
                            ? double(int(random % 3) - 1)
                            : 0.0);
  return encode(type, double(int(random % 15) - 7));
}

uint64_t reduceBits(blinkDataType_t type, blinkRedOp_t op,
                    const std::vector<uint64_t> &contributions) {
  const size_t n = contributions.size();
  if (isFloat(type)) {
    std::vector<double> values;
    for (uint64_t bits : contributions)
      values.push_back(decode(type, bits));
    double result = values[0];
    for (size_t r = 1; r < n; ++r)
      result = op == blinkProd  ? result * values[r]
               : op == blinkMax ? std::max(result, values[r])
               : op == blinkMin ? std::min(result, values[r])
                                : result + values[r];
    return encode(type, op == blinkAvg ? result / double(n) : result);
  }
  auto less = [&](uint64_t a, uint64_t b) {
    return isSigned(type) ? extend(type, a) < extend(type, b) : a < b;
  };
  uint64_t result = contributions[0];
  for (size_t r = 1; r < n; ++r) {
    uint64_t next = contributions[r];
    result = op == blinkProd   ? result * next
             : op == blinkMax  ? std::max(result, next, less)
             : op == blinkMin  ? std::min(result, next, less)
             : op == blinkBand ? result & next
             : op == blinkBor  ? result | next
             : op == blinkBxor ? result ^ next
                               : result + next;
    result &= mask(type);
  }
  if (op == blinkAvg)
    result = isSigned(type) ? uint64_t(extend(type, result) / int64_t(n))
                            : result / n;
  return result & mask(type);
}

} // namespace blink::test
