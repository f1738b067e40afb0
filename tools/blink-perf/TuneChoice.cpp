//===- TuneChoice.cpp - crossing points from measured times ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blink-perf/TuneChoice.h"

#include <algorithm>

namespace blink::perf {
namespace {

/// Compares first the time lost, then the number of sizes that change variant.
struct Cost {
  double lost = 0;
  size_t moved = 0;

  Cost operator+(const Cost &other) const {
    return {lost + other.lost, moved + other.moved};
  }
  bool operator<(const Cost &other) const {
    return lost != other.lost ? lost < other.lost : moved < other.moved;
  }
};

double fastest(const Times &times, size_t size) {
  double best = times[0][size];
  for (const std::vector<double> &own : times)
    best = std::min(best, own[size]);
  return best;
}

/// Returns the variant for each size such that variants do not descend as sizes
/// grow. Uses dynamic programming over sizes.
std::vector<size_t> assign(const std::vector<std::vector<Cost>> &costs) {
  const size_t numVariants = costs[0].size();
  std::vector<Cost> sums(numVariants);
  std::vector<std::vector<size_t>> before; // by size and variant
  for (const std::vector<Cost> &own : costs) {
    before.emplace_back(numVariants);
    size_t best = 0; // among variants up to v, over all smaller sizes
    std::vector<Cost> next(numVariants);
    for (size_t v = 0; v < numVariants; ++v) {
      if (sums[v] < sums[best])
        best = v;
      before.back()[v] = best;
      next[v] = sums[best] + own[v];
    }
    sums = next;
  }
  std::vector<size_t> variants(costs.size());
  size_t v = size_t(std::min_element(sums.begin(), sums.end()) - sums.begin());
  for (size_t s = costs.size(); s-- > 0; v = before[s][v])
    variants[s] = v;
  return variants;
}

/// Returns the number of the first size that some variant from `v` on serves.
size_t firstOf(const std::vector<size_t> &variants, size_t v) {
  return size_t(std::lower_bound(variants.begin(), variants.end(), v) -
                variants.begin());
}

} // namespace

size_t variantFor(const std::vector<uint64_t> &starts, uint64_t size) {
  return size_t(std::upper_bound(starts.begin(), starts.end(), size) -
                starts.begin()) -
         1;
}

std::vector<uint64_t> chooseStarts(const std::vector<uint64_t> &sizes,
                                   const Times &times,
                                   const std::vector<uint64_t> &starts) {
  // Includes the unknown sizes; no time is lost at them.
  std::vector<uint64_t> all = sizes;
  while (all.back() <= ~uint64_t(0) / 2)
    all.push_back(2 * all.back());
  std::vector<std::vector<Cost>> costs;
  for (size_t s = 0; s < all.size(); ++s) {
    costs.emplace_back(starts.size());
    const double best = s < sizes.size() ? fastest(times, s) : 0;
    for (size_t v = 0; v < starts.size(); ++v) {
      costs[s][v].moved = v != variantFor(starts, all[s]);
      if (best > 0 && times[v][s] > best * (1 + kNoticed))
        costs[s][v].lost = times[v][s] / best - 1;
    }
  }
  const std::vector<size_t> variants = assign(costs);

  // Of variants that take over at the same size, all but the last serve none.
  std::vector<uint64_t> chosen = starts;
  for (size_t v = 0, end; v < starts.size(); v = end) {
    const auto first = firstOf(variants, v);
    bool stay = true;
    for (end = v; end < starts.size() && firstOf(variants, end) == first; ++end)
      stay &= first ==
              size_t(std::lower_bound(all.begin(), all.end(), starts[end]) -
                     all.begin());
    const uint64_t last = first < all.size() ? all[first] : ~uint64_t(0) - 1;
    for (size_t w = v; !stay && w < end; ++w)
      chosen[w] = first == 0 ? w : last - (end - 1 - w);
  }
  // Applies if there are more variants than bytes for them.
  for (size_t v = 1; v < starts.size(); ++v)
    chosen[v] = std::max(chosen[v], chosen[v - 1] + 1);
  return chosen;
}

size_t chooseFastest(const Times &times, size_t current) {
  std::vector<double> sums(times.size());
  for (size_t s = 0; s < times[0].size(); ++s)
    if (const double best = fastest(times, s); best > 0)
      for (size_t i = 0; i < times.size(); ++i)
        sums[i] += times[i][s] / best;
  const auto least = std::min_element(sums.begin(), sums.end());
  const bool keep = sums[current] <= *least * (1 + kNoticed);
  return keep ? current : size_t(least - sums.begin());
}

double usual(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() > 2 ? 1 : 0];
}

} // namespace blink::perf
