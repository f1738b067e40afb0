//===- SizeRanges.cpp - which variant is for which sizes ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/SizeRanges.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>

using namespace blink;

std::vector<uint64_t> blink::comparedSizes() {
  // On real machines times cross below 2 MiB. Where they never cross, as with
  // tiny chunks by an option, the small variants must not take messages so
  // large that the large variant could not be tested any more.
  constexpr uint64_t kLeast = 64, kMost = 16 << 20;
  std::vector<uint64_t> sizes;
  for (uint64_t power = kLeast; power < kMost; power *= 2)
    for (uint64_t quarter = 0; quarter < 4; ++quarter)
      sizes.push_back(power + power / 4 * quarter);
  sizes.push_back(kMost);
  return sizes;
}

/// Returns the first index from which on `isNoSlower` holds up to `end`.
template <typename Function>
static size_t firstOf(size_t end, Function isNoSlower) {
  while (end > 0 && isNoSlower(end - 1))
    --end;
  return end;
}

static uint64_t sizeOf(const std::vector<uint64_t> &sizes, size_t end) {
  return end == 0 ? 0 : sizes[std::min(end, sizes.size() - 1)];
}

uint64_t blink::endOfMedium(const MessageTime &medium,
                            const MessageTime &large) {
  constexpr double kWorthIt = 0.95;
  std::vector<uint64_t> sizes = comparedSizes();
  return sizeOf(sizes, firstOf(sizes.size(), [&](size_t i) {
                  return medium.at(sizes[i]) >= kWorthIt * large.at(sizes[i]);
                }));
}

SmallRanges blink::chooseRanges(const std::optional<MessageTime> &oneHop,
                                const MessageTime &tree,
                                const MessageTime &large,
                                const std::optional<MessageTime> &later) {
  constexpr double kWorthIt = 0.9;
  std::vector<uint64_t> sizes = comparedSizes();
  bool hops = oneHop && oneHop->at(sizes[0]) < tree.at(sizes[0]);
  auto hopAt = [&](uint64_t size) {
    return hops ? oneHop->at(size) : std::numeric_limits<double>::infinity();
  };
  auto smallAt = [&](uint64_t size) {
    return std::min(tree.at(size), hopAt(size));
  };
  size_t treeEnd = firstOf(sizes.size(), [&](size_t i) {
    return large.at(sizes[i]) <= smallAt(sizes[i]);
  });
  size_t laterEnd = treeEnd;
  if (later) {
    const size_t end = firstOf(sizes.size(), [&](size_t i) {
      return large.at(sizes[i]) <=
             std::min(smallAt(sizes[i]), later->at(sizes[i]));
    });
    const size_t begin = firstOf(end, [&](size_t i) {
      return later->at(sizes[i]) <= smallAt(sizes[i]);
    });
    auto isFaster = [&](uint64_t size) {
      return later->at(size) <=
             kWorthIt * std::min(smallAt(size), large.at(size));
    };
    if (std::any_of(sizes.begin() + long(begin), sizes.begin() + long(end),
                    isFaster)) {
      treeEnd = begin;
      laterEnd = end;
    }
  }
  size_t hopEnd = firstOf(
      treeEnd, [&](size_t i) { return tree.at(sizes[i]) <= hopAt(sizes[i]); });
  return {sizeOf(sizes, hopEnd), sizeOf(sizes, treeEnd),
          sizeOf(sizes, laterEnd)};
}
