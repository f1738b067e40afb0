//===- DeviceFoldTest.cpp - folds as devices compute them -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Runs the fold of the CUDA back end on the host. Wherever its ranges lie, it
// must be the fold of their elements and must not write a byte beside them.
// Also tests the division of avg, and the conversions of GPUs without an
// instruction for them.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/FoldRange.h"
#include "runtime/plan/Types.h"
#include "test/common/Sanitizers.h"
#include "test/unit/runtime/Range.h"

#include "doctest/doctest.h"

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

using namespace blink::runtime;

namespace {

using blink::test::kSanitized, blink::test::OneStagedThread,
    blink::test::OneThread, blink::test::Range;
/// AddressSanitizer checks the ends of ranges, which do not differ for longer
/// ones.
constexpr int kLongest = kSanitized ? 200 : 1000;

template <typename T> T randomElement(std::mt19937_64 &random) {
  const uint64_t bits = random() % 8 ? random() : 0;
  T element;
  std::memcpy(&element, &bits, sizeof(T));
  return element;
}

template <typename T, typename Operator>
bool foldsRight(size_t count, const std::vector<uint32_t> &sourcesAbove,
                const std::vector<uint32_t> &destinationsAbove, bool inPlace,
                uint32_t divisor, std::mt19937_64 &random) {
  std::vector<Range<T>> ranges;
  std::vector<const T *> sources;
  std::vector<T *> destinations;
  for (uint32_t above : sourcesAbove) {
    ranges.emplace_back(count, above);
    sources.push_back(ranges.back().get());
    for (size_t i = 0; i < count; ++i)
      ranges.back().get()[i] = randomElement<T>(random);
  }
  for (uint32_t above : destinationsAbove) {
    ranges.emplace_back(count, above);
    destinations.push_back(ranges.back().get());
  }
  if (inPlace)
    destinations.back() = const_cast<T *>(sources.back());
  destinations.insert(destinations.begin() + random() % 2, nullptr);
  std::vector<T> expected(count);
  for (size_t i = 0; i < count; ++i)
    expected[i] = foldElement<T, Operator>(
        sources.data(), uint32_t(sources.size()), i, divisor);
  constexpr uint32_t kStages[] = {0, 6, 12, 18};
  const uint32_t stage = uint32_t(random() % 5);
  for (uint32_t thread : {1, 0, 2}) {
    const auto fold = [&](const auto &block) {
      foldRange<T, Operator>(block, sources.data(), uint32_t(sources.size()),
                             destinations.data(), uint32_t(destinations.size()),
                             count, divisor);
    };
    if (stage == 4)
      fold(OneThread{thread});
    else
      fold(OneStagedThread{{thread}, kStages[stage]});
  }
  for (const T *destination : destinations)
    for (size_t i = 0; destination && i < count; ++i) {
      const auto got = loadElement(destination[i]),
                 wanted = loadElement(expected[i]);
      // For float and double, the result may be either NaN.
      const bool nans = sizeof(T) >= 4 && got != got && wanted != wanted;
      if (!nans && std::memcmp(&destination[i], &expected[i], sizeof(T)) != 0)
        return false;
    }
  return true;
}

template <typename T, typename Operator> void checkType(uint32_t divisor) {
  std::mt19937_64 random(7);
  constexpr uint32_t kStep = sizeof(T) * (kSanitized && sizeof(T) < 8 ? 3 : 1);
  size_t wrong = 0;
  for (size_t count : {0, 1, 15, 16, 17, 31, 33, 64, 100, 301, kLongest})
    for (uint32_t from = 0; from < 16; from += kStep)
      for (uint32_t to = 0; to < 16; to += kStep) {
        const uint32_t other = random() % (16 / sizeof(T)) * sizeof(T);
        const bool inPlace = random() % 2;
        // A copy, a copy to several places, a sum, and a sum of many to many
        // places.
        wrong += !foldsRight<T, Operator>(count, {from}, {to}, false, divisor,
                                          random);
        wrong += !foldsRight<T, Operator>(count, {from}, {to, to, other}, false,
                                          divisor, random);
        wrong += !foldsRight<T, Operator>(count, {from, other}, {to}, inPlace,
                                          divisor, random);
        wrong +=
            !foldsRight<T, Operator>(count, {from, to, from, other, to},
                                     {to, other}, inPlace, divisor, random);
        wrong += !foldsRight<T, Operator>(count, {to, to, to}, {to, to},
                                          inPlace, divisor, random);
      }
  CHECK(wrong == 0);
}

template <typename A> bool sameQuotient(A x, uint32_t n) {
  const A expected = divideByRanks(x, n);
  A got = x;
  if (!Quotient<A>(n, reciprocal<A>(n)).divide(got))
    return true; // divideByRanks is called instead
  return (got != got && expected != expected) ||
         std::memcmp(&got, &expected, sizeof(A)) == 0;
}

template <typename A, typename Bits> size_t wrongQuotients(bool mayRefuse) {
  std::mt19937_64 random(5);
  size_t wrong = 0, refused = 0;
  for (uint32_t n :
       {1,  2,  3,  4,  5,  6,  7,  8,   9,    10,   11,    12,
        13, 14, 15, 16, 17, 24, 72, 576, 1023, 1024, 65535, 131071})
    for (int i = 0; i < (kSanitized ? 2000 : 20000); ++i) {
      Bits bits = Bits(random());
      // Small numbers, and multiples of n plus an amount that makes a tie.
      if (i % 4 == 0)
        bits = Bits(bits % 4096 * n + n / 2 * (i % 8 / 4));
      A x;
      std::memcpy(&x, &bits, sizeof(x));
      wrong += !sameQuotient(x, n);
      A copy = x;
      refused += !Quotient<A>(n, reciprocal<A>(n)).divide(copy);
    }
  CHECK((refused != 0) == mayRefuse);
  for (uint32_t n : {1, 3, 8, 1000003}) {
    for (A x :
         {A(0), A(1), std::numeric_limits<A>::max(),
          std::numeric_limits<A>::lowest(), std::numeric_limits<A>::min()})
      wrong += !sameQuotient(x, n);
    if constexpr (std::is_floating_point_v<A>)
      for (A x : {-A(0), A(INFINITY), -A(INFINITY), A(NAN),
                  std::numeric_limits<A>::denorm_min()})
        wrong += !sameQuotient(x, n);
  }
  return wrong;
}

} // namespace

TEST_CASE("a device folds ranges wherever they lie") {
  checkType<float, Sum>(0);
  checkType<Half, Sum>(0);
  checkType<BFloat16, Max>(0);
  checkType<Float8E4M3, Sum>(0);
  checkType<int8_t, Prod>(0);
  checkType<int8_t, Max>(0);
  checkType<uint8_t, Min>(0);
  checkType<double, Min>(0);
  checkType<int64_t, Sum>(0);
  checkType<uint8_t, Band>(0);
  checkType<uint8_t, Bor>(0);
  checkType<uint8_t, Bxor>(0);
}

TEST_CASE("a device divides sums as the host does") {
  for (uint32_t divisor : {2, 6}) {
    checkType<float, Sum>(divisor);
    checkType<double, Sum>(divisor);
    checkType<Half, Sum>(divisor);
    checkType<Float8E5M2, Sum>(divisor);
    checkType<int8_t, Sum>(divisor);
    checkType<uint8_t, Sum>(divisor);
    checkType<int32_t, Sum>(divisor);
    checkType<uint64_t, Sum>(divisor);
  }
}

TEST_CASE("a reciprocal gives the quotient's bits") {
  CHECK(wrongQuotients<float, uint32_t>(true) == 0);
  CHECK(wrongQuotients<double, uint64_t>(true) == 0);
  CHECK(wrongQuotients<int8_t, uint8_t>(false) == 0);
  CHECK(wrongQuotients<uint8_t, uint8_t>(false) == 0);
  CHECK(wrongQuotients<int32_t, uint32_t>(false) == 0);
  CHECK(wrongQuotients<uint32_t, uint32_t>(false) == 0);
  CHECK(wrongQuotients<int64_t, uint64_t>(false) == 0);
  CHECK(wrongQuotients<uint64_t, uint64_t>(false) == 0);
}

TEST_CASE("float8e4m3 is widened by way of halves") {
  for (uint32_t bits = 0; bits < 0x100; ++bits)
    for (uint32_t place = 0; place < 4; ++place) {
      // Its neighbours have all bits set.
      const uint32_t word = (bits << (8 * place)) | ~(0xffu << (8 * place));
      uint32_t nans = 0;
      const uint32_t halves = scaledHalves(word, int(place / 2), nans);
      const auto pick = [&](uint32_t pair) {
        return uint16_t(pair >> (place % 2 * 16));
      };
      const float scale = toFloat(Half{pick(kUnscale)});
      const Half product = toHalf(toFloat(Half{pick(halves)}) * scale);
      const float got = toFloat(Half{uint16_t(product.bits | pick(nans))});
      const float expected = toFloat(Float8E4M3{uint8_t(bits)});
      if (expected != expected ? got == got
                               : floatBits(got) != floatBits(expected))
        FAIL(bits << " at " << place << " becomes " << got);
    }
}
