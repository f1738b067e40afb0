//===- GeometryTest.cpp - ranges of trees and chunks ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Geometry.h"

#include "doctest/doctest.h"

#include <random>
#include <vector>

using namespace blink::runtime;

namespace {

struct Split {
  std::vector<uint32_t> numerators;
  uint32_t denominator = 0;
};

Split randomSplit(std::mt19937_64 &random) {
  // Small denominators, that of rounded fractions (2^30), and the largest.
  const uint32_t denominators[] = {1, 7, 24, 1u << 30, 0xffffffffu};
  Split split;
  split.denominator = denominators[random() % 5];
  uint32_t left = split.denominator;
  while (left != 0) {
    uint32_t most = split.numerators.size() < 20 ? left : 0;
    uint32_t part = most ? uint32_t(random() % most) + 1 : left;
    split.numerators.push_back(part);
    left -= part;
  }
  return split;
}

} // namespace

TEST_CASE("trees partition the block, aligned, in proportion") {
  std::mt19937_64 random(17);
  for (int run = 0; run < 4000; ++run) {
    Split split = randomSplit(random);
    uint32_t bytes = 1u << random() % 4;
    uint64_t count = random() >> random() % 64;
    uint64_t granule = kGranuleBytes / bytes;
    uint64_t at = 0;
    uint32_t before = 0;
    for (uint32_t numerator : split.numerators) {
      ElementRange range =
          treeRange(count, bytes, before, numerator, split.denominator);
      before += numerator;
      REQUIRE(range.begin == at);
      REQUIRE(range.end >= range.begin);
      REQUIRE((range.end % granule == 0 || range.end == count));
      // Each end is within a granule of the exact share; the last granule of
      // the block counts as a whole one.
      long double exact = (long double)count * numerator / split.denominator;
      long double error = (long double)range.size() - exact;
      long double slack = 2 * granule + 1e-9L * exact;
      REQUIRE((error <= slack && error >= -slack));
      at = range.end;
    }
    REQUIRE(at == count);
  }
}

TEST_CASE("chunks partition a tree") {
  std::mt19937_64 random(18);
  for (int run = 0; run < 500; ++run) {
    uint32_t bytes = 1u << random() % 4;
    uint32_t chunkBytes = 16 * uint32_t(1 + random() % 64);
    uint64_t begin = random() >> (1 + random() % 63);
    ElementRange tree{begin, begin + random() % 5000};
    uint64_t chunks = chunkCount(tree, bytes, chunkBytes);
    CHECK(chunks == (tree.size() * bytes + chunkBytes - 1) / chunkBytes);
    uint64_t at = tree.begin;
    for (uint64_t chunk = 0; chunk < chunks; ++chunk) {
      ElementRange range = chunkRange(tree, bytes, chunkBytes, chunk);
      REQUIRE(range.begin == at);
      REQUIRE(range.size() > 0);
      REQUIRE(range.size() * bytes <= chunkBytes);
      at = range.end;
    }
    REQUIRE(at == tree.end);
  }
}

TEST_CASE("the largest counts do not overflow") {
  const uint64_t most = ~uint64_t(0);
  for (uint32_t bytes : {1u, 2u, 4u, 8u})
    for (uint32_t denominator : {1u, 2u, 3u, 1u << 30, 0xffffffffu}) {
      uint64_t last = 0;
      for (uint32_t part : {0u, 1u, denominator / 2, denominator - 1}) {
        if (part >= denominator)
          continue;
        uint64_t boundary = shareBoundary(most, bytes, part, denominator);
        CHECK((part == 0) == (boundary == 0));
        CHECK(boundary < most);
        CHECK(boundary >= last);
        last = boundary;
      }
      CHECK(shareBoundary(most, bytes, denominator, denominator) == most);
    }
}
