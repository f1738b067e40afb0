//===- WideFoldTest.cpp - folds whose partial sums are floats -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Folds of the host, for each instruction set, and of devices, run on the host:
// for any mixture of float and narrow operands, and wherever narrow ranges lie.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/WideFold.h"
#include "runtime/host/Fold.h"
#include "runtime/plan/Types.h"
#include "test/common/Sanitizers.h"
#include "test/unit/runtime/Range.h"

#include "doctest/doctest.h"

#include <cstring>
#include <deque>
#include <random>
#include <vector>

using namespace blink::runtime;

namespace {

using blink::test::kSanitized, blink::test::OneThread, blink::test::Range;

struct WideCase {
  std::vector<uint8_t> partial; ///< one flag per source
  bool partialResult = false;
  uint32_t divisor = 0;
  uint32_t scaled = ~0u; ///< a narrow source, or none
};

/// The operands of a fold. Partial sums are in slots, which are aligned.
template <typename T> struct Operands {
  std::deque<Range<T>> narrow;
  std::deque<Range<float>> wide;
  std::vector<const void *> sources;
  std::vector<void *> destinations;

  void *add(bool partial, size_t count, uint32_t above) {
    return partial
               ? static_cast<void *>(wide.emplace_back(count, 0u).get())
               : static_cast<void *>(narrow.emplace_back(count, above).get());
  }
};

template <typename T> T narrowElement(std::mt19937 &random) {
  return storeElement<T>(float(int(random() % 4001) - 2000) / 64);
}

template <typename T, typename Operator>
float expectedOf(const WideCase &c, const std::vector<const void *> &sources,
                 size_t i, float scalar) {
  const auto load = [&](uint32_t s) {
    if (c.partial[s])
      return static_cast<const float *>(sources[s])[i];
    const T element = static_cast<const T *>(sources[s])[i];
    return loadElement(s == c.scaled ? scaleElement(element, scalar) : element);
  };
  float value = load(0);
  for (uint32_t s = 1; s < sources.size(); ++s)
    value = Operator::combine(value, load(s));
  return c.divisor ? divideByRanks(value, c.divisor) : value;
}

template <typename T, typename Operator> class Checker {
public:
  Checker(blinkDataType_t type, blinkRedOp_t op) : type_(type), op_(op) {}

  void check(const WideCase &c, size_t count, uint32_t from, uint32_t to) {
    const size_t numSources = c.partial.size();
    Operands<T> operands;
    std::vector<LaneOperand> lane;
    for (size_t s = 0; s < numSources; ++s) {
      void *source = operands.add(c.partial[s], count, s == 0 ? from : to);
      for (size_t i = 0; i < count; ++i)
        if (c.partial[s])
          static_cast<float *>(source)[i] = float(int(random_() % 9999)) / 7;
        else
          static_cast<T *>(source)[i] = narrowElement<T>(random_);
      operands.sources.push_back(source);
      lane.emplace_back().partial = c.partial[s];
    }
    for (int d = 0; d < 2; ++d) {
      operands.destinations.push_back(
          operands.add(c.partialResult, count, d == 0 ? to : from));
      lane.emplace_back().partial = c.partialResult;
    }
    const float scalar = 1.5f;
    const auto wrongHere = [&] {
      size_t wrong = 0;
      for (void *destination : operands.destinations)
        for (size_t i = 0; i < count; ++i) {
          const float value =
              expectedOf<T, Operator>(c, operands.sources, i, scalar);
          const T narrow = storeElement<T>(value);
          wrong += c.partialResult
                       ? std::memcmp(static_cast<float *>(destination) + i,
                                     &value, sizeof(value)) != 0
                       : std::memcmp(static_cast<T *>(destination) + i, &narrow,
                                     sizeof(narrow)) != 0;
        }
      return wrong;
    };
    const WideFold<T, Operator> fold{
        SharedPointers<const char>(
            reinterpret_cast<const char *const *>(operands.sources.data())),
        uint32_t(numSources),
        SharedPointers<char>(
            reinterpret_cast<char *const *>(operands.destinations.data())),
        2,
        lane.data(),
        c.divisor,
        c.scaled < numSources ? c.scaled : uint32_t(numSources),
        scalar};
    for (uint32_t thread : {1, 0, 2})
      foldWide(OneThread{thread}, fold, count);
    wrong += wrongHere();
    if (c.scaled < numSources)
      return; // the host makes two folds of it
    for (int level : {1, 3, 4}) {
      if (level > foldLevel())
        continue;
      for (void *destination : operands.destinations)
        std::memset(destination, 0x55,
                    count * (c.partialResult ? sizeof(float) : sizeof(T)));
      wideFoldFunctionOfLevel(level, type_,
                              op_)(operands.sources.data(), c.partial.data(),
                                   numSources, operands.destinations.data(), 2,
                                   c.partialResult, count, c.divisor, 0);
      wrong += wrongHere();
    }
  }

  size_t wrong = 0;

private:
  blinkDataType_t type_;
  blinkRedOp_t op_;
  std::mt19937 random_{3};
};

template <typename T, typename Operator>
size_t countWrong(blinkDataType_t type, blinkRedOp_t op) {
  const WideCase kCases[] = {
      {{0, 0}, true, 0},     {{0, 1, 0}, true, 0}, {{1, 0}, false, 0},
      {{1, 1, 1}, false, 0}, {{1}, true, 0},       {{0}, false, 0},
      {{1}, false, 0},       {{1, 0}, false, 6},   {{0, 1}, true, 0, 0},
      {{1, 0}, false, 0, 1}, {{0}, false, 0, 0},   {{0, 0}, false, 4}};
  Checker<T, Operator> checker(type, op);
  for (const WideCase &c : kCases) {
    const bool sums = std::is_same_v<Operator, Sum>;
    if (!sums && (c.divisor != 0 || c.scaled != ~0u))
      continue;
    for (size_t count : {0, 1, 15, 16, 17, 33, 64, 301, kSanitized ? 99 : 5001})
      for (uint32_t from = 0; from < 16; from += 3 * sizeof(T))
        checker.check(c, count, from, (from * 5 + uint32_t(sizeof(T))) % 16);
  }
  return checker.wrong;
}

} // namespace

TEST_CASE("folds of floats and narrow elements, on the host and on devices") {
  CHECK(countWrong<Half, Sum>(blinkFloat16, blinkSum) == 0);
  CHECK(countWrong<Half, Prod>(blinkFloat16, blinkProd) == 0);
  CHECK(countWrong<BFloat16, Sum>(blinkBfloat16, blinkAvg) == 0);
  CHECK(countWrong<BFloat16, Prod>(blinkBfloat16, blinkProd) == 0);
  CHECK(countWrong<Float8E4M3, Sum>(blinkFloat8e4m3, blinkSum) == 0);
  CHECK(countWrong<Float8E5M2, Sum>(blinkFloat8e5m2, blinkSum) == 0);
}

TEST_CASE("there are such folds where digits may be lost, and no others") {
  CHECK(bool(wideFoldFunction(blinkFloat16, blinkSum)));
  CHECK(bool(wideFoldFunction(blinkBfloat16, kPreMulSum)));
  CHECK_FALSE(bool(wideFoldFunction(blinkFloat16, blinkMax)));
  CHECK_FALSE(bool(wideFoldFunction(blinkFloat32, blinkSum)));
  CHECK_FALSE(bool(wideFoldFunction(blinkInt8, blinkSum)));
}
