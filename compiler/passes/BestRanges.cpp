//===- BestRanges.cpp - the best ranges of some variants ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/BestRanges.h"

#include "compiler/support/Infinity.h"

using namespace blink;

namespace {

/// The ranges of two variants: the first one serves the sizes at places from
/// `begin` to below `middle`, the second one those from there to below `end`.
struct Ranges {
  double product = kInfinity; ///< of all times
  size_t begin = 0, middle = 0, end = 0;
};

} // namespace

static double product(const Times &times, size_t from, size_t to) {
  double product = 1;
  for (size_t place = from; place < to; ++place)
    product *= times[place];
  return product;
}

/// Returns the best ranges of two variants.
static Ranges rangesOf(const Times &small, const Times &first,
                       const Times &second, const Times &large,
                       const Times &now) {
  const size_t last = large.size();
  Ranges best;
  for (size_t begin = 0; begin <= last; ++begin)
    for (size_t middle = begin; middle <= last; ++middle)
      for (size_t end = middle; end <= last; ++end) {
        const Times &next = begin < middle ? first : second;
        if (begin < end && next[begin] > now[begin])
          continue;
        const double all =
            product(small, 0, begin) * product(first, begin, middle) *
            product(second, middle, end) * product(large, end, last);
        if (all < best.product)
          best = {all, begin, middle, end};
      }
  return best;
}

std::vector<ChosenRange> blink::bestRanges(const Times &small,
                                           const std::vector<Times> &others,
                                           const Times &large,
                                           const Times &now) {
  constexpr double kWorthIt = 0.85;
  const Times never(large.size(), kInfinity);
  Ranges best = rangesOf(small, never, never, large, now);
  size_t first = 0, second = 0;
  auto offer = [&](size_t one, size_t other, Ranges ranges, double worth) {
    ranges.product /= worth;
    if (ranges.product >= best.product)
      return;
    best = ranges;
    first = one;
    second = other;
  };
  for (size_t one = 0; one < others.size(); ++one) {
    offer(one, one, rangesOf(small, others[one], never, large, now), kWorthIt);
    for (size_t other = one + 1; other < others.size(); ++other)
      offer(one, other, rangesOf(small, others[one], others[other], large, now),
            kWorthIt * kWorthIt);
  }
  std::vector<ChosenRange> chosen;
  if (best.begin < best.middle)
    chosen.push_back({first, best.begin, best.middle});
  if (best.middle < best.end)
    chosen.push_back({second, best.middle, best.end});
  return chosen;
}
