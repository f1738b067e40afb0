//===- FoldTest.cpp - folds over ranges -----------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Checks that a range is the fold of its elements, for any numbers of sources
// and destinations, any length, and a destination that is a source. The
// conformance suite checks the values of elements.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Fold.h"
#include "runtime/plan/Types.h"
#include "test/common/Sanitizers.h"

#include "doctest/doctest.h"

#include <cstring>
#include <random>
#include <vector>

using namespace blink::runtime;

namespace {

/// AddressSanitizer checks the ends of ranges, which do not differ for longer
/// ones.
constexpr size_t kMostElements = blink::test::kSanitized ? 1001 : 20001;

/// Compares bit by bit, except that a sum of two NaNs may have either payload.
template <typename T>
bool sameElements(const T *got, const std::vector<T> &expected) {
  for (size_t i = 0; i < expected.size(); ++i) {
    auto value = loadElement(expected[i]), other = loadElement(got[i]);
    bool bothNan = value != value && other != other;
    if (!bothNan && std::memcmp(&got[i], &expected[i], sizeof(T)) != 0)
      return false;
  }
  return true;
}

template <typename T, typename Operator>
void checkFold(int level, blinkDataType_t type, blinkRedOp_t op,
               uint32_t divisor, std::mt19937 &random) {
  FoldFunction fold = foldFunctionOfLevel(level, type, op);
  REQUIRE(static_cast<bool>(fold));
  REQUIRE(elementBytes(type) == sizeof(T));
  for (size_t count : {size_t(0), size_t(1), size_t(5), size_t(63),
                       size_t(4096), kMostElements})
    for (uint32_t numSources : {1, 2, 3, 5})
      for (size_t numDestinations : {1, 3}) {
        // Off by one element from any alignment, with a guard at the end.
        std::vector<std::vector<T>> data(numSources + numDestinations,
                                         std::vector<T>(count + 2));
        for (auto &list : data)
          for (T &element : list) {
            uint64_t bits = random();
            std::memcpy(&element, &bits, sizeof(T));
          }
        bool inPlace = random() % 2;
        std::vector<const T *> sources;
        std::vector<const void *> from;
        std::vector<void *> to;
        for (size_t i = 0; i < data.size(); ++i) {
          if (i < numSources)
            sources.push_back(data[i].data() + 1);
          else
            to.push_back(data[i].data() + 1);
        }
        if (inPlace)
          to[0] = data[random() % numSources].data() + 1;
        from.assign(sources.begin(), sources.end());
        std::vector<T> expected(count);
        for (size_t i = 0; i < count; ++i)
          expected[i] =
              foldElement<T, Operator>(sources.data(), numSources, i, divisor);
        auto before = data;
        fold(from.data(), numSources, to.data(), numDestinations, count,
             divisor, random() % (to.size() + 1));
        for (void *destination : to)
          if (!sameElements(static_cast<const T *>(destination), expected))
            FAIL("type " << type << " op " << op << " count " << count
                         << " sources " << numSources);
        for (size_t i = 0; i < data.size(); ++i) {
          CHECK(!std::memcmp(&data[i].front(), &before[i].front(), sizeof(T)));
          CHECK(!std::memcmp(&data[i].back(), &before[i].back(), sizeof(T)));
        }
      }
}

template <typename T> void checkType(blinkDataType_t type) {
  std::mt19937 random(uint32_t(type) + 1);
  for (int level : {1, 3, 4}) {
    if (level > foldLevel())
      continue;
    checkFold<T, Sum>(level, type, blinkSum, 0, random);
    checkFold<T, Sum>(level, type, blinkAvg, 3, random);
    checkFold<T, Prod>(level, type, blinkProd, 0, random);
    checkFold<T, Max>(level, type, blinkMax, 0, random);
    checkFold<T, Min>(level, type, blinkMin, 0, random);
  }
}

} // namespace

TEST_CASE("a range is the fold of its elements") {
  checkType<int8_t>(blinkInt8);
  checkType<uint8_t>(blinkUint8);
  checkType<int32_t>(blinkInt32);
  checkType<uint32_t>(blinkUint32);
  checkType<int64_t>(blinkInt64);
  checkType<uint64_t>(blinkUint64);
  checkType<Half>(blinkFloat16);
  checkType<float>(blinkFloat32);
  checkType<double>(blinkFloat64);
  checkType<BFloat16>(blinkBfloat16);
  checkType<Float8E4M3>(blinkFloat8e4m3);
  checkType<Float8E5M2>(blinkFloat8e5m2);
}

namespace {

template <typename T> void checkScale(blinkDataType_t type) {
  std::mt19937 random(uint32_t(type) + 31);
  const auto anyElement = [&] {
    const uint64_t bits = uint64_t(random()) << 32 | random();
    T element;
    std::memcpy(&element, &bits, sizeof(T));
    return element;
  };
  for (int level : {1, 3, 4}) {
    if (level > foldLevel())
      continue;
    for (size_t count : {0, 1, 5, 63, 4099}) {
      std::vector<T> in(count), out(count + 1), expected;
      const T factor = anyElement();
      uint64_t bits = ~uint64_t(0);
      std::memcpy(&bits, &factor, sizeof(T));
      for (T &element : in) {
        element = anyElement();
        expected.push_back(scaleElement(element, loadElement(factor)));
      }
      const T guard = out[count];
      scaleFunctionOfLevel(level, type)(in.data(), bits, out.data(), count);
      CHECK(sameElements(out.data(), expected));
      CHECK(!std::memcmp(&out[count], &guard, sizeof(T)));
    }
  }
}

} // namespace

TEST_CASE("a range is multiplied element by element") {
  checkScale<int8_t>(blinkInt8);
  checkScale<uint8_t>(blinkUint8);
  checkScale<int32_t>(blinkInt32);
  checkScale<int64_t>(blinkInt64);
  checkScale<Half>(blinkFloat16);
  checkScale<float>(blinkFloat32);
  checkScale<double>(blinkFloat64);
  checkScale<BFloat16>(blinkBfloat16);
  checkScale<Float8E4M3>(blinkFloat8e4m3);
  checkScale<Float8E5M2>(blinkFloat8e5m2);
  CHECK(!scaleFunction(blinkDataType_t(12)));
}

TEST_CASE("bits are combined byte by byte, whatever the type") {
  std::mt19937 random(9);
  for (int level : {1, 3, 4}) {
    if (level > foldLevel())
      continue;
    for (blinkDataType_t type : {blinkInt8, blinkUint64})
      for (blinkRedOp_t op : {blinkBand, blinkBor, blinkBxor}) {
        bool same = foldFunctionOfLevel(level, type, op) ==
                    foldFunctionOfLevel(level, blinkUint8, op);
        CHECK(same);
      }
    checkFold<uint8_t, Band>(level, blinkUint8, blinkBand, 0, random);
    checkFold<uint8_t, Bor>(level, blinkUint8, blinkBor, 0, random);
    checkFold<uint8_t, Bxor>(level, blinkUint8, blinkBxor, 0, random);
  }
}

TEST_CASE("the processor's level is one there is") {
  CHECK((foldLevel() == 1 || foldLevel() == 3 || foldLevel() == 4));
  bool best = foldFunction(blinkFloat32, blinkMax) ==
              foldFunctionOfLevel(foldLevel(), blinkFloat32, blinkMax);
  CHECK(best);
}

TEST_CASE("there is no fold for what does not exist") {
  CHECK(elementBytes(blinkDataType_t(12)) == 0);
  CHECK(!foldFunction(blinkDataType_t(12), blinkSum));
  CHECK(!foldFunction(blinkFloat32, blinkRedOp_t(9)));
  CHECK(!foldFunction(blinkFloat32, blinkBand));
}
