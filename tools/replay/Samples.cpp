//===- Samples.cpp - random data whose reductions are exact ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A value is an integer k; a floating-point element is k * kScale. Sums stay
// within the integers that the type represents exactly, factors of products are
// 1, 2 and their negatives, and averages divide evenly.
//
//===----------------------------------------------------------------------===//

#include "tools/replay/Samples.h"

#include <algorithm>
#include <cstdlib>
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

/// Returns the largest k such that every integer up to k is exact. For integer
/// types, a rank's value can be added that many times without wrapping.
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

static constexpr double kScale = 1.0 / 16; // floats are multiples of this

/// SplitMix64's finalizer: a pseudorandom function of its argument.
static uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

/// Returns a uniform value in [-limit, limit], for limits below 2^31. Scales
/// the upper half of the random number, since a division would take most of the
/// time of a check.
static int64_t within(uint64_t random, int64_t limit) {
  return int64_t((random >> 32) * uint64_t(2 * limit + 1) >> 32) - limit;
}

/// Reduces k to the range of an integer type.
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

/// Writes one(index) for `count` indices to `out`.
template <typename One>
static void forEach(uint64_t first, size_t count, int64_t *out,
                    const One &one) {
  for (size_t i = 0; i < count; ++i)
    out[i] = one(first + i);
}

void Samples::values(int rank, uint64_t first, size_t count,
                     int64_t *out) const {
  const bool isNarrow = sizeOf(type_) == 1 && isFloat(type_);
  const auto random = [seed = seed_, rank = uint64_t(rank)](uint64_t index) {
    return mix(seed ^ mix(index * 4099 + rank));
  };
  // 8 bits leave no share for every rank, so some ranks have zeros.
  if (isNarrow && op_ == blinkSum && rank > limit_) {
    std::fill_n(out, count, 0);
    return;
  }
  if (op_ == blinkAvg)
    return averaged(rank, first, count, out);
  if (!isFloat(type_))
    return forEach(first, count, out, [&](uint64_t index) {
      return wrap(type_, static_cast<int64_t>(random(index)));
    });
  if (op_ == blinkProd)
    return forEach(first, count, out, [&](uint64_t index) {
      const uint64_t bits = random(index);
      const int64_t magnitude = rank % 4 == 0 && (bits & 2) ? 2 : 1;
      return bits & 1 ? magnitude : -magnitude;
    });
  forEach(first, count, out, [&, share = share_](uint64_t index) {
    return within(random(index), share);
  });
}

void Samples::averaged(int rank, uint64_t first, size_t count,
                       int64_t *out) const {
  if (sizeOf(type_) == 1 && isFloat(type_)) {
    int odd = numRanks_;
    while (odd % 2 == 0)
      odd /= 2;
    if (rank != 0 || odd > limit_) {
      std::fill_n(out, count, 0);
      return;
    }
    return forEach(first, count, out, [&](uint64_t index) {
      return numRanks_ * within(mix(seed_ ^ index), 1);
    });
  }
  const bool isUnsigned =
      type_ == blinkUint8 || type_ == blinkUint32 || type_ == blinkUint64;
  // All ranks share a base. The two ranks of a pair differ from it by the same
  // amount in opposite directions, so the sum is numRanks * base.
  forEach(first, count, out, [&](uint64_t index) {
    uint64_t pair = mix(seed_ ^ mix(index * 4099 + uint64_t(rank / 2) + 2048));
    int64_t base = within(mix(seed_ ^ index), share_);
    int64_t offset = within(pair, share_);
    if (isUnsigned)
      base = std::abs(base), offset = offset == 0 ? 0 : offset % (base + 1);
    if (rank == numRanks_ - 1 && numRanks_ % 2 == 1)
      return base;
    return rank % 2 == 0 ? base + offset : base - offset;
  });
}

void Samples::combine(const int64_t *next, size_t count,
                      int64_t *result) const {
  const auto by = [&](const auto &operation) {
    for (size_t i = 0; i < count; ++i)
      result[i] = operation(result[i], next[i]);
  };
  switch (op_) {
  case blinkSum:
  case blinkAvg:
    return by([](uint64_t a, uint64_t b) { return int64_t(a + b); });
  case blinkProd:
    return by([](uint64_t a, uint64_t b) { return int64_t(a * b); });
  case blinkMin:
    if (type_ == blinkUint64)
      return by([](uint64_t a, uint64_t b) { return std::min(a, b); });
    return by([](int64_t a, int64_t b) { return std::min(a, b); });
  case blinkMax:
    if (type_ == blinkUint64)
      return by([](uint64_t a, uint64_t b) { return std::max(a, b); });
    return by([](int64_t a, int64_t b) { return std::max(a, b); });
  case blinkBand:
    return by([](int64_t a, int64_t b) { return a & b; });
  case blinkBor:
    return by([](int64_t a, int64_t b) { return a | b; });
  case blinkBxor:
    return by([](int64_t a, int64_t b) { return a ^ b; });
  }
}

/// Encodes a value that the format represents exactly and as a normal number.
/// Takes the bits of a double: the format's mantissa is the first bits of its.
static unsigned encodeExact(double value, int exponentBits, int mantissaBits) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  if (bits << 1 == 0)
    return 0;
  const int exponent = int(bits >> 52 & 0x7ff) - 1023;
  const int bias = (1 << (exponentBits - 1)) - 1;
  const auto mantissa = unsigned(bits << 12 >> (64 - mantissaBits));
  const auto sign = unsigned(bits >> 63) << (exponentBits + mantissaBits);
  return sign | unsigned(exponent + bias) << mantissaBits | mantissa;
}

void Samples::store(const int64_t *values, size_t count, void *out) const {
  const auto as = [&](const auto &convert) {
    auto *to = static_cast<uint8_t *>(out);
    for (size_t i = 0; i < count; ++i) {
      const auto element = convert(values[i]);
      std::memcpy(to + i * sizeof(element), &element, sizeof(element));
    }
  };
  const double scale = op_ == blinkProd ? 1 : kScale;
  switch (type_) {
  case blinkInt8:
  case blinkUint8:
    return as([](int64_t k) { return uint8_t(k); });
  case blinkInt32:
  case blinkUint32:
    return as([](int64_t k) { return uint32_t(k); });
  case blinkInt64:
  case blinkUint64:
    return as([](int64_t k) { return k; });
  case blinkFloat16:
    return as([&](int64_t k) {
      return uint16_t(encodeExact(double(k) * scale, 5, 10));
    });
  case blinkBfloat16:
    return as([&](int64_t k) {
      return uint16_t(encodeExact(double(k) * scale, 8, 7));
    });
  case blinkFloat8e4m3:
    return as([&](int64_t k) {
      return uint8_t(encodeExact(double(k) * scale, 4, 3));
    });
  case blinkFloat8e5m2:
    return as([&](int64_t k) {
      return uint8_t(encodeExact(double(k) * scale, 5, 2));
    });
  case blinkFloat32:
    return as([&](int64_t k) { return float(double(k) * scale); });
  case blinkFloat64:
    return as([&](int64_t k) { return double(k) * scale; });
  }
}

static constexpr size_t kAtOnce = 256; // elements that fit into an L1 cache

void Samples::inputs(int rank, uint64_t first, size_t count, void *out) const {
  int64_t some[kAtOnce];
  auto *to = static_cast<uint8_t *>(out);
  for (size_t done = 0, number; done < count; done += number) {
    number = std::min(kAtOnce, count - done);
    values(rank, first + done, number, some);
    store(some, number, to + done * sizeOf(type_));
  }
}

void Samples::reduced(uint64_t first, size_t count, void *out) const {
  int64_t result[kAtOnce], next[kAtOnce];
  auto *to = static_cast<uint8_t *>(out);
  for (size_t done = 0, number; done < count; done += number) {
    number = std::min(kAtOnce, count - done);
    values(0, first + done, number, result);
    for (int rank = 1; rank < numRanks_; ++rank) {
      values(rank, first + done, number, next);
      combine(next, number, result);
    }
    if (op_ == blinkAvg)
      for (size_t i = 0; i < number; ++i)
        result[i] /= numRanks_;
    store(result, number, to + done * sizeOf(type_));
  }
}
