//===- UseOverTime.cpp - how full links are over time ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/simulate/UseOverTime.h"

#include <algorithm>

using namespace blink;

/// Calls `give(i, time)` for each of `count` spans of `width` that have time
/// between `begin` and `end` in common.
template <typename Give>
static void divide(double begin, double end, double width, size_t count,
                   Give give) {
  for (auto i = std::min(count - 1, size_t(begin / width)); i < count; ++i) {
    // What rounding has put behind the last span belongs to it.
    const double until = i + 1 == count ? end : width * double(i + 1);
    const double time =
        std::min(end, until) - std::max(begin, width * double(i));
    if (time > 0)
      give(i, time);
    if (end <= until)
      break;
  }
}

void UseOverTime::add(llvm::ArrayRef<uint32_t> links, double rate, double begin,
                      double end) {
  while (end > width_ * kBins) {
    for (std::array<double, kBins> &bins : bytes_) {
      for (size_t i = 0; i < kBins / 2; ++i)
        bins[i] = bins[2 * i] + bins[2 * i + 1];
      std::fill(bins.begin() + kBins / 2, bins.end(), 0);
    }
    width_ *= 2;
  }
  divide(begin, end, width_, kBins, [&](size_t bin, double time) {
    for (uint32_t link : links)
      bytes_[link][bin] += rate * time;
  });
}

std::vector<std::vector<double>> UseOverTime::inParts(double end,
                                                      size_t count) const {
  std::vector<std::vector<double>> parts(bytes_.size(),
                                         std::vector<double>(count, 0));
  const double part = std::max(end, 1e-300) / double(count);
  for (size_t bin = 0; bin < kBins; ++bin) {
    const double begin = width_ * double(bin);
    const double until = std::min(begin + width_, end);
    if (until <= begin)
      break;
    divide(begin, until, part, count, [&](size_t i, double time) {
      for (size_t link = 0; link < bytes_.size(); ++link)
        parts[link][i] += bytes_[link][bin] * time / (until - begin);
    });
  }
  return parts;
}
