//===- Samples.cpp - random data whose reductions are exact ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A value is an integer k; a floating point element is k / kScale. Sums stay
// below the type's exact integers, products are of 1 and 2 and their
// negatives, and averages divide evenly.
//
//===----------------------------------------------------------------------===//

#include "tools/replay/Samples.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace blink;

const char *const blink::kTypeNames[] = {
    "int8",  "uint8",  "int32",    "uint32",   "int64",    "uint64", "half",
    "float", "double", "bfloat16", "fp8_e4m3", "fp8_e5m2", nullptr};
const char *const blink::kOpNames[] = {"sum",  "prod", "max",  "min",  "avg",
                                       "band", "bor",  "bxor", nullptr};

const char *blink::nameOf(blinkDataType_t type) { return kTypeNames[type]; }
const char *blink::nameOf(blinkRedOp_t op) { return kOpNames[op]; }

size_t blink::sizeOf(blinkDataType_t type) {
  static constexpr size_t kSizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  return kSizes[type];
}

static bool isFloat(blinkDataType_t type) { return type >= blinkFloat16; }

bool blink::reducesBy(blinkRedOp_t op, blinkDataType_t type) {
  return op < blinkBand || !isFloat(type);
}

/// Largest k such that every integer up to it is exact, and that many times a
/// rank may be added without wrapping.
static int64_t exactLimit(blinkDataType_t type) {
  switch (type) {
  case blinkInt8:
    return 127;
  case blinkUint8:
  case blinkBfloat16:
    return 255;
  case blinkFloat16:
    return 2047;
  case blinkFloat32:
    return (1 << 24) - 1;
  case blinkFloat8e4m3:
    return 15;
  case blinkFloat8e5m2:
    return 7;
  default:
    return (1 << 30) - 1;
  }
}

static constexpr double kScale = 16; // floats are k / 16

/// SplitMix64's finaliser: a random function of its argument.
static uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

/// Uniform in [-limit, limit], for limits below 2^31. By the upper half of the
/// random number: a division would be most of the time of checking a result.
static int64_t within(uint64_t random, int64_t limit) {
  return int64_t((random >> 32) * uint64_t(2 * limit + 1) >> 32) - limit;
}

/// What is left of k in an integer type.
static int64_t wrap(blinkDataType_t type, int64_t k) {
  switch (type) {
  case blinkInt8:
    return static_cast<int8_t>(k);
  case blinkUint8:
    return static_cast<uint8_t>(k);
  case blinkInt32:
    return static_cast<int32_t>(k);
  case blinkUint32:
    return static_cast<uint32_t>(k);
  default:
    return k;
  }
}

Samples::Samples(blinkDataType_t type, blinkRedOp_t op, int numRanks,
                 uint64_t seed)
    : type_(type), op_(op), numRanks_(numRanks), seed_(seed),
      limit_(exactLimit(type)) {
  if (op == blinkAvg)
    share_ = limit_ / (2 * numRanks);
  else if (op == blinkSum)
    share_ = std::max<int64_t>(1, limit_ / numRanks);
  else
    share_ = limit_;
}

int64_t Samples::value(int rank, uint64_t index) const {
  uint64_t random = mix(seed_ ^ mix(index * 4099 + uint64_t(rank)));
  bool isUnsigned =
      type_ == blinkUint8 || type_ == blinkUint32 || type_ == blinkUint64;
  // With 8 bits there is no room for a share a rank: some ranks have zeros.
  if (sizeOf(type_) == 1 && isFloat(type_) && op_ == blinkSum && rank > limit_)
    return 0;
  if (sizeOf(type_) == 1 && isFloat(type_) && op_ == blinkAvg) {
    int odd = numRanks_;
    while (odd % 2 == 0)
      odd /= 2;
    return rank == 0 && odd <= limit_
               ? numRanks_ * within(mix(seed_ ^ index), 1)
               : 0;
  }
  if (op_ == blinkAvg) {
    // All ranks share a base, and pairs of ranks differ from it by as much up
    // as down: the sum is numRanks * base.
    uint64_t pair = mix(seed_ ^ mix(index * 4099 + uint64_t(rank / 2) + 2048));
    int64_t base = within(mix(seed_ ^ index), share_);
    int64_t offset = within(pair, share_);
    if (isUnsigned)
      base = std::abs(base), offset = offset == 0 ? 0 : offset % (base + 1);
    if (rank == numRanks_ - 1 && numRanks_ % 2 == 1)
      return base;
    return rank % 2 == 0 ? base + offset : base - offset;
  }
  if (!isFloat(type_))
    return wrap(type_, static_cast<int64_t>(random));
  if (op_ == blinkProd) {
    int64_t magnitude = rank % 4 == 0 && (random & 2) ? 2 : 1;
    return random & 1 ? magnitude : -magnitude;
  }
  return within(random, share_);
}

void Samples::reduced(uint64_t index, void *out) const {
  bool isUnsigned64 = type_ == blinkUint64;
  int64_t result = value(0, index);
  for (int rank = 1; rank < numRanks_; ++rank) {
    int64_t next = value(rank, index);
    bool less =
        isUnsigned64 ? uint64_t(next) < uint64_t(result) : next < result;
    switch (op_) {
    case blinkSum:
    case blinkAvg:
      result = static_cast<int64_t>(uint64_t(result) + uint64_t(next));
      break;
    case blinkProd:
      result = static_cast<int64_t>(uint64_t(result) * uint64_t(next));
      break;
    case blinkMin:
      result = less ? next : result;
      break;
    case blinkMax:
      result = less ? result : next;
      break;
    case blinkBand:
      result &= next;
      break;
    case blinkBor:
      result |= next;
      break;
    case blinkBxor:
      result ^= next;
      break;
    }
  }
  store(op_ == blinkAvg ? result / numRanks_ : result, out);
}

/// Encodes a value that the format can hold exactly.
static unsigned encodeExact(double value, int exponentBits, int mantissaBits) {
  if (value == 0)
    return 0;
  int exponent;
  double fraction = std::frexp(std::fabs(value), &exponent); // [0.5, 1)
  int bias = (1 << (exponentBits - 1)) - 1;
  unsigned mantissa =
      static_cast<unsigned>(std::ldexp(fraction * 2 - 1, mantissaBits));
  unsigned biased = static_cast<unsigned>(exponent - 1 + bias);
  unsigned sign = value < 0 ? 1u << (exponentBits + mantissaBits) : 0u;
  return sign | biased << mantissaBits | mantissa;
}

template <typename T> static void put(T value, void *out) {
  std::memcpy(out, &value, sizeof value);
}

void Samples::store(int64_t k, void *out) const {
  double real = op_ == blinkProd ? double(k) : double(k) / kScale;
  switch (type_) {
  case blinkInt8:
  case blinkUint8:
    return put(static_cast<uint8_t>(k), out);
  case blinkInt32:
  case blinkUint32:
    return put(static_cast<uint32_t>(k), out);
  case blinkInt64:
  case blinkUint64:
    return put(k, out);
  case blinkFloat16:
    return put(static_cast<uint16_t>(encodeExact(real, 5, 10)), out);
  case blinkBfloat16:
    return put(static_cast<uint16_t>(encodeExact(real, 8, 7)), out);
  case blinkFloat8e4m3:
    return put(static_cast<uint8_t>(encodeExact(real, 4, 3)), out);
  case blinkFloat8e5m2:
    return put(static_cast<uint8_t>(encodeExact(real, 5, 2)), out);
  case blinkFloat32:
    return put(static_cast<float>(real), out);
  case blinkFloat64:
    return put(real, out);
  }
}
