//===- SizeRangesTest.cpp ---------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Which of several ways serves which sizes.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/SizeRanges.h"

#include "doctest/doctest.h"

using namespace blink;

namespace {

using Ends = std::pair<uint64_t, uint64_t>;

MessageTime us(double start, double perKilobyte) {
  return {start, perKilobyte / 1000};
}

Ends ends(const std::optional<MessageTime> &oneHop, const MessageTime &tree,
          const MessageTime &large) {
  SmallRanges ranges = chooseRanges(oneHop, tree, large);
  return {ranges.oneHop, ranges.tree};
}

} // namespace

TEST_CASE("which way is for which sizes") {
  const MessageTime tree = us(6, 0.1), large = us(12, 0.01);
  // 6 us / 0.09 us/KB = 66,667 bytes; the next size that is compared is 80 KiB.
  CHECK(ends(std::nullopt, tree, large) == Ends(0, 80 << 10));
  // 2 us / 0.2 us/KB = 10,000 bytes.
  CHECK(ends(us(4, 0.3), tree, large) == Ends(10 << 10, 80 << 10));
  // One hop is as fast per byte as the tree, so the tree is never the fastest:
  // 8 / 0.09.
  CHECK(ends(us(4, 0.1), tree, large) == Ends(96 << 10, 96 << 10));
  // One hop and the tree would meet where the large trees are faster than both:
  // 8 us / 0.11.
  CHECK(ends(us(4, 0.12), tree, large) == Ends(80 << 10, 80 << 10));
  // 2 us / 0.05 us/KB = 40,000 bytes.
  CHECK(ends(us(4, 0.15), tree, large) == Ends(40 << 10, 80 << 10));
  // One hop starts later than the tree, although it is faster per byte; starts
  // as late; or is faster for less than 64 bytes.
  CHECK(ends(us(7, 0.01), tree, large) == Ends(0, 80 << 10));
  CHECK(ends(us(6, 0.1), tree, large) == Ends(0, 80 << 10));
  CHECK(ends(us(5.99, 0.3), tree, large) == Ends(0, 80 << 10));
  CHECK(ends(us(5.9, 0.6), tree, large) == Ends(224, 80 << 10));
}

TEST_CASE("other trees go on where the first ones are slow") {
  // The trees start fast, with 0.1 us per KB; others start later, with 0.02;
  // large ones start after 30 us, with 0.005.
  const MessageTime tree = us(6, 0.1), large = us(30, 0.005);
  auto ranges = [&](const std::optional<MessageTime> &later) {
    const SmallRanges of = chooseRanges(std::nullopt, tree, large, later);
    CHECK(of.oneHop == 0);
    return Ends(of.tree, of.later);
  };
  // Without the other trees, the first ones end where the large ones begin: 24
  // us / 0.095.
  CHECK(ranges(std::nullopt) == Ends(256 << 10, 256 << 10));
  // 4 us / 0.08 is 50,000 bytes, and 20 us / 0.015 is 1.33 MB.
  CHECK(ranges(us(10, 0.02)) == Ends(56 << 10, 1536 << 10));
  // At 256 KiB, the first trees take 32.2 us and the large ones 31.3. The
  // others would save less than a tenth, or nothing at any size.
  CHECK(ranges(us(24, 0.02)) == Ends(256 << 10, 256 << 10));
  CHECK(ranges(us(40, 0.05)) == Ends(256 << 10, 256 << 10));
  // The others are always faster than the first ones.
  CHECK(ranges(us(5, 0.02)) == Ends(0, 1792 << 10));
}

TEST_CASE("ends of all kinds") {
  auto end = [](double delay, double slower) {
    return ends(std::nullopt, {5, 1e-5 + slower}, {5 + delay, 1e-5}).second;
  };
  // They meet at 64 KiB or nearly there.
  CHECK(end(6.5536, 1e-4) == 64 << 10);
  CHECK(end(6.5535, 1e-4) == 64 << 10);
  CHECK(end(6.5537, 1e-4) == 80 << 10);
  CHECK(end(4.9, 1e-4) == 48 << 10);
  // They meet far out.
  CHECK(end(1000, 1e-4) == 10 << 20);
  CHECK(end(1400, 1e-4) == 14 << 20);
  // If they meet even further out, or never, the range still ends. If large
  // trees are always faster, the range is empty.
  CHECK(end(100000, 1e-4) == 16 << 20);
  CHECK(end(1, 0) == 16 << 20);
  CHECK(end(1, -1e-6) == 16 << 20);
  CHECK(end(0, 1e-4) == 0);
  CHECK(end(-1, 1e-6) == 0);
}

TEST_CASE("where two ways cross more than once, the last time counts") {
  // Chunks make steps: up to a chunk, a message makes four hops as a whole;
  // beyond, it goes in chunks of 64 KiB.
  MessageTime large = {8, 1e-4};
  large.flow.chunkBytes = 64 << 10;
  large.flow.chunkOverhead = 2;
  large.flow.largest = 1;
  large.flow.hops = 4;
  MessageTime tree = {5, 3e-4};
  auto first = ends(std::nullopt, tree, large).second;
  CHECK(large.at(first) <= tree.at(first));
  CHECK(large.at(first / 5 * 4) > tree.at(first / 5 * 4));
  for (uint64_t size = first; size < uint64_t(1) << 32; size += size / 7)
    CHECK(large.at(size) <= tree.at(size));
}
