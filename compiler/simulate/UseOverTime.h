//===- UseOverTime.h - how full links are over time -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_SIMULATE_USEOVERTIME_H
#define BLINK_COMPILER_SIMULATE_USEOVERTIME_H

#include "llvm/ADT/ArrayRef.h"

#include <array>
#include <cstdint>
#include <vector>

namespace blink {

/// Adds up what links carry, in at most kBins equally long bins of time: how
/// long a simulation takes is known only at its end, and it has far more
/// transfers than bins. Whenever time exceeds the last bin, bins are joined in
/// pairs.
class UseOverTime {
public:
  explicit UseOverTime(size_t numLinks) : bytes_(numLinks) {}

  /// Adds a transfer over `links` with one rate, in bytes a microsecond, from
  /// `begin` to `end`, in microseconds.
  void add(llvm::ArrayRef<uint32_t> links, double rate, double begin,
           double end);
  /// Returns the bytes of each link in each of `count` equal parts of the time
  /// until `end`. A bin that crosses a border is divided evenly.
  std::vector<std::vector<double>> inParts(double end, size_t count) const;

private:
  static constexpr size_t kBins = 512;

  double width_ = 1.0 / 1024;                    ///< of a bin, in microseconds
  std::vector<std::array<double, kBins>> bytes_; ///< by link
};

} // namespace blink

#endif // BLINK_COMPILER_SIMULATE_USEOVERTIME_H
